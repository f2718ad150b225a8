import type { NextFunction, Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';

/** Receiver of traces. */
export interface Tracing {
  /** Middleware that traces the rest of a request. */
  request(request: AppRequest, response: Response, next: NextFunction): void;
  /**
   * Traces a database operation.
   * @param name Never the SQL text or its values.
   */
  database<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining traces. Gives up after some seconds. */
  close(): Promise<void>;
}
