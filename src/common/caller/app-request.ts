import type { Request } from 'express';
import type { Caller } from './caller';

/** What the request's way adds to Express's request. */
export interface AppRequest extends Request {
  /** Also in `X-Request-Id`, in every error body and in the log. */
  requestId: string;
  /** The body as it was sent, where it was received before its turn to be read. */
  bodyBytes?: Buffer;
  /** How long its body was waited for, in milliseconds; absent where it was not received. */
  bodyMs?: number;
  /** Of the trace that it belongs to, by this service's tracing. */
  traceId?: string;
  /** Whether `body` has been parsed before its turn. */
  isBodyParsed?: true;
  /** Whether the console asks for a route of the public API: with the session, not with a key. */
  isFromConsole?: true;
  /** Whether it has passed the database gate before its body was parsed. */
  hasDatabasePlace?: true;
  /** Set by the caller guard; absent on public routes. */
  caller?: Caller;
}
