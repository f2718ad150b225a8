import type { Response } from 'express';
import type { CountedResponse } from '../load/load';

/** A response that sends itself: a file or a stream. */
export interface SendableResponse {
  /** If it rejects, the exception filter handles the error, and cuts the connection if necessary. */
  send(response: Response & CountedResponse): Promise<void>;
}

/** Returns whether a result sends itself, as files and streams do. */
export function isSendable(result: unknown): result is SendableResponse {
  return typeof (result as Partial<SendableResponse> | null | undefined)?.send === 'function';
}
