import type { ArgumentsHost } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import type { CountedResponse } from './load';

// Nest's `switchToHttp` adds three functions to the context at every call. The guards, interceptors
// and parameters of a request would call it ten times.

/** Returns the request that a guard, an interceptor, a filter or a parameter is called for. */
export const requestOf = (context: ArgumentsHost): AppRequest => context.getArgByIndex(0);

/** Returns the response to the request that a guard, an interceptor or a filter is called for. */
export const responseOf = (context: ArgumentsHost): Response & CountedResponse =>
  context.getArgByIndex(1);
