import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import {
  type AppRequest,
  isKeyCaller,
  isProbe,
  type KeyCaller,
  routeOf,
  waitMsOf,
} from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import type { CountedResponse } from '../load/load';
import {
  runWithTimings,
  shouldCollectTimings,
  RequestTimings,
  stopCollecting,
} from '../time/request-timings';
import { isDecodable, timesSent } from './query';
import type { RequestLog } from './request-log';
import { rewriteConsoleUrl } from './rewrite-console-url';

/** Called for every finished request that was sent with a key. */
export type RecordCall = (
  caller: KeyCaller,
  request: AppRequest,
  response: ServerResponse,
  durationMs: number,
) => void;

/**
 * Called for every finished request. `route` is the pattern of the route that handled it.
 * `durationMs` does not include waits for changes.
 */
export type ObserveRequest = (
  method: string,
  route: string | undefined,
  status: number,
  durationMs: number,
) => void;

/**
 * Sets the id of a request, starts its timer, and writes its log line at the end.
 */
export function startRequest(log: RequestLog, recordCall: RecordCall, observe?: ObserveRequest) {
  return (request: AppRequest, response: Response, next: NextFunction): void => {
    request.requestId = requestIdFrom(request.headers['x-request-id']);
    const startedAtMs = performance.now();
    const timings = shouldCollectTimings(request.method, request.url)
      ? new RequestTimings()
      : undefined;
    response.setHeader('X-Request-Id', request.requestId);
    // Emitted once. `once` would take a function and an object more, for as long as a stream lasts.
    response.on('close', () => {
      // The client may have disconnected before a response began.
      (response as Response & CountedResponse).stopCounting();
      const durationMs = performance.now() - startedAtMs;
      log.write(request, response, durationMs, timings);
      if (timings) stopCollecting();
      const workMs = durationMs - waitMsOf(request);
      observe?.(request.method, routeOf(request), response.statusCode, workMs);
      const { caller } = request;
      if (request.isDelegated) return;
      if (caller && isKeyCaller(caller)) recordCall(caller, request, response, durationMs);
    });
    // A URL with invalid percent escapes matches no route: it is handled as an unknown route.
    if (request.url.includes('%') && !isDecodable(request.path)) {
      request.url = request.url.replaceAll('%', '%25');
    }
    rewriteConsoleUrl(request, response);
    const rest = (): void => {
      next(rejection(request));
    };
    if (timings) runWithTimings(timings, rest);
    else rest();
  };
}

function rejection(request: AppRequest): AppError | undefined {
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

/** Sets the security headers of API responses, which are data and never a page. */
const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

/**
 * Names and values of the security headers. They never change, so helmet runs only once: its chain
 * of steps took 7 % of the time of a page of 20 rows.
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = headersOf(setHeaders);

/** Sent only over HTTPS (RFC 6797, 7.2). */
export const HSTS = 'Strict-Transport-Security';
const HSTS_VALUE = 'max-age=31536000; includeSubDomains';

/**
 * Sets the security headers on every response. `Strict-Transport-Security` is set if the request
 * reached this process, or according to a trusted proxy the proxy, over HTTPS.
 */
export function setSecurityHeaders(
  request: Request,
  response: ServerResponse,
  next: () => void,
): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  if (request.secure) response.setHeader(HSTS, HSTS_VALUE);
  next();
}

function headersOf(
  set: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  set(request, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/**
 * Rejects a request unless it reached this process over HTTPS, or a trusted proxy reports that it
 * reached the proxy over HTTPS. It does not redirect: a redirected client would send
 * its key in clear text each time, unnoticed.
 */
export function requireHttps(request: Request, _response: Response, next: NextFunction): void {
  if (request.secure || isProbe(request.path)) {
    next();
    return;
  }
  next(
    new AppError(
      'https_required',
      'HTTPS is required. Revoke any API key that you sent over plain HTTP.',
    ),
  );
}

const SAFE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the client's request id if it is safe to print, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SAFE_REQUEST_ID.test(header) ? header : randomUUID();
}
