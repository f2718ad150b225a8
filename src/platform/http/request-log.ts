import type { Response } from 'express';
import { type AppRequest, routeOf, waitMsOf } from '../../common/caller/app-request';
import type { Logger } from '../logging/logger';
import { rounded, type RequestTimings } from '../time/request-timings';

/**
 * Routes excluded from slow-request warnings: imports and exports take as long as their clients do.
 */
const LONG_ROUTE = /\/(import|export)$/;
/** Shorter waits are omitted: they explain nothing. */
const MIN_WAIT_MS = 1;
/** W3C trace context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/**
 * Writes the log line of a finished request. A slow request is a warning with its time breakdown.
 * The time in which it waits for changes does not make it slow.
 */
export class RequestLog {
  constructor(
    private readonly logger: Logger,
    private readonly slowMs: number,
  ) {}

  /** @param timings Database timings, if they were collected for this request. */
  write(
    request: AppRequest,
    response: Response,
    durationMs: number,
    timings: RequestTimings | undefined,
  ): void {
    const route = routeOf(request);
    const { caller } = request;
    const waitMs = waitMsOf(request);
    const isSlow = durationMs - waitMs >= this.slowMs && !LONG_ROUTE.test(route ?? '');
    // pino omits undefined fields. Spreading optional ones costs more.
    const fields = {
      requestId: request.requestId,
      traceId: request.traceId ?? traceOf(request),
      method: request.method,
      route,
      status: response.statusCode,
      durationMs: rounded(durationMs),
      databaseMs: timings && rounded(timings.databaseMs),
      connectionMs: wait(timings?.connectionMs),
      lockMs: wait(timings?.lockMs),
      bodyMs: wait(request.bodyMs),
      waitMs: wait(waitMs),
      keyId: caller?.keyId ?? undefined,
      userId: caller?.sessionId ? caller.userId : undefined,
      accountId: caller?.accountId,
      aborted: response.writableFinished ? undefined : true,
    };
    if (!isSlow) this.logger.pino.info(fields, 'request');
    else {
      const statements = timings?.slowest;
      this.logger.pino.warn({ ...fields, slow: true, statements }, 'request');
    }
  }
}

function wait(ms = 0): number | undefined {
  return ms < MIN_WAIT_MS ? undefined : rounded(ms);
}

function traceOf({ headers }: AppRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
