import type { Request } from 'express';
import type { Caller } from './caller';

/** What the request's way adds to Express's request. */
export interface AppRequest extends Request {
  /** Also in `X-Request-Id`, in every error body and in the log. */
  requestId: string;
  /** Set by the API-key guard; absent on public routes. */
  caller?: Caller;
}
