import type { Response } from 'express';
import type { CountedResponse } from '../load/load';

/** A response that sends itself: a file or a stream. */
export interface SentResponse {
  /** If it rejects, the exception filter handles the error, and cuts the connection if necessary. */
  send(response: Response & CountedResponse): Promise<void>;
}

/** Returns whether a controller has returned a file or a stream. */
export function isSent(result: unknown): result is SentResponse {
  return typeof (result as Partial<SentResponse> | null | undefined)?.send === 'function';
}
