import type { NextFunction, Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { routeOf } from '../../common/caller/route-of';
import { AppError, invalidRequest } from '../../common/error/app-error';
import type { CountedResponse } from '../load/load';
import { follow, isFollowed, RequestTimings, stopFollowing } from '../time/request-timings';
import { rewriteConsoleUrl } from './rewrite-console-url';
import { requestIdFrom } from './request-id';
import type { RequestLog } from './request-log';
import { timesSent } from './times-sent';

function pathDecodes(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Called for every finished request that was sent with a key. */
export type CountCall = (keyId: string, status: number) => void;

/** Called for every finished request. `route` is the pattern of the route that handled it. */
export type ObserveRequest = (
  method: string,
  route: string | undefined,
  status: number,
  durationMs: number,
) => void;

/**
 * First step of every request: sets its id, starts its timer, and writes its log line at the end.
 */
export function startRequest(log: RequestLog, countCall: CountCall, observe?: ObserveRequest) {
  return (request: AppRequest, response: Response, next: NextFunction): void => {
    request.requestId = requestIdFrom(request.headers['x-request-id']);
    const startedAtMs = performance.now();
    const timings = isFollowed(request.method, request.url) ? new RequestTimings() : undefined;
    response.setHeader('X-Request-Id', request.requestId);
    response.once('close', () => {
      // The client may have disconnected before a response began.
      (response as Response & CountedResponse).endWork();
      const durationMs = performance.now() - startedAtMs;
      log.write(request, response, durationMs, timings);
      if (timings) stopFollowing();
      observe?.(request.method, routeOf(request), response.statusCode, durationMs);
      const keyId = request.caller?.keyId;
      if (keyId) countCall(keyId, response.statusCode);
    });
    // A URL with invalid percent escapes matches no route: it is handled as an unknown route.
    if (request.url.includes('%') && !pathDecodes(request.path)) {
      request.url = request.url.replaceAll('%', '%25');
    }
    rewriteConsoleUrl(request, response);
    const rest = (): void => {
      next(refusal(request));
    };
    if (timings) follow(timings, rest);
    else rest();
  };
}

function refusal(request: AppRequest): AppError | undefined {
  const hosts = timesSent(request, 'host');
  if (hosts === 0 && request.httpVersion === '1.1') {
    return invalidRequest([{ field: 'Host', code: 'required', message: 'is required' }]);
  }
  if (hosts > 1) {
    return invalidRequest([
      { field: 'Host', code: 'duplicate_header', message: 'must be given at most once' },
    ]);
  }
  if ('expectationFailed' in request) {
    return new AppError('expectation_failed', 'Expect must be 100-continue.');
  }
  return undefined;
}
