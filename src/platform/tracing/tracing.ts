import type { NextFunction, Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';

/** Where traces go, where they go anywhere. */
export interface Tracing {
  /** A step of every request's way, which traces what follows. */
  request(request: AppRequest, response: Response, next: NextFunction): void;
  /** Traces work of the database. @param name Never its text or its values. */
  database<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Sends what is left, as far as that goes within some seconds. */
  close(): Promise<void>;
}
