import type { Request } from 'express';
import type { Caller } from './caller';

/** Properties that request processing adds to Express's request. */
export interface AppRequest extends Request {
  /** Also sent in `X-Request-Id`, in every error body and in the log. */
  requestId: string;
  /** Bytes of the body, decompressed, if it was received before it is parsed. */
  bodyBytes?: Buffer;
  /**
   * Time spent receiving the body, in milliseconds. Absent if the service did not read the body.
   */
  bodyMs?: number;
  /** Id of the trace that the request belongs to, set by this service's tracing. */
  traceId?: string;
  /** Whether `body` has been parsed early, before the body interceptor. */
  isBodyParsed?: true;
  /** Whether the console calls a route of the public API, with a session instead of a key. */
  isFromConsole?: true;
  /** Whether the request passed the database gate before its body was parsed. */
  hasDatabasePlace?: true;
  /** Set by the caller guard; absent on public routes. */
  caller?: Caller;
}
