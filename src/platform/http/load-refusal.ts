import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable, type AppError } from '../../common/error/app-error';
import { ERROR_STATUS } from '../../common/error/error-code';
import { printError } from './error-body';
import { requestIdFrom } from './request-id';
import { SECURITY_HEADERS } from './security-headers';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Alternating names and values, which Node sends without further processing. */
const COMMON_HEADERS: readonly string[] = [
  ...SECURITY_HEADERS.flat(),
  ...['Cache-Control', 'no-store'],
  ...['Content-Type', 'application/json; charset=utf-8'],
];

/**
 * Rejects a request with the usual error body, before the application does any work for it. The
 * response is prepared in advance: rejecting must cost much less than serving.
 */
export const refuseForLoad = refusalOf(unavailable('The server is overloaded. Retry later.'));

const refuseWhileStarting = refusalOf(
  unavailable('The service is starting and waiting for its database. Retry later.'),
);

const LIVE_PATH = /^\/health\/live(\?|$)/;
const LIVE_BODY = JSON.stringify({ data: { status: 'ok' } });

/**
 * Handles requests before the application is ready: `/health/live` succeeds, and all others return
 * 503.
 */
export const answerWhileStarting: Answer = (request, response) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !LIVE_PATH.test(request.url ?? '')) {
    refuseWhileStarting(request, response);
    return;
  }
  const requestId = requestIdFrom(request.headers['x-request-id']);
  response.writeHead(200, [
    ...COMMON_HEADERS,
    ...['X-Request-Id', requestId, 'Content-Length', String(LIVE_BODY.length)],
  ]);
  response.end(LIVE_BODY);
};

function refusalOf(error: AppError): Answer {
  /** The body before and after the request id, which needs no JSON escapes. */
  const [beforeId = '', afterId = ''] = printError(error, '\n').split('\\n');
  const headers = [...COMMON_HEADERS, ...Object.entries(error.headers).flat()];
  const status = ERROR_STATUS[error.code];
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const body = beforeId + requestId + afterId;
    const length = String(body.length);
    response.writeHead(status, [
      ...headers,
      ...['X-Request-Id', requestId, 'Content-Length', length],
    ]);
    response.end(body, 'latin1');
  };
}
