import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type AppError,
  ERROR_STATUS,
  type ErrorCode,
  unavailable,
} from '../../common/error/app-error';
import type { Logger } from '../logging/logger';
import { ERROR_FORMS, errorBody, type ErrorForm, errorFormOf } from './error-form';
import { requestIdFrom, SECURITY_HEADERS } from './start-request';

type ApiResponse = (request: IncomingMessage, response: ServerResponse) => void;

/** Alternating names and values, which Node sends without further processing. */
const COMMON_HEADERS: readonly string[] = [
  ...SECURITY_HEADERS.flat(),
  ...['Cache-Control', 'no-store'],
];

/**
 * Rejects a request with the usual error body, before the application does any work for it. The
 * response is prepared in advance: rejecting must cost much less than serving.
 */
export const rejectForLoad = rejectionOf(unavailable('The server is overloaded. Retry later.'));

const rejectWhileStarting = rejectionOf(
  unavailable('The service is starting and waiting for its database. Retry later.'),
);

const LIVE_PATH = /^\/health\/live(\?|$)/;
const LIVE_BODY = JSON.stringify({ data: { status: 'ok' } });

/**
 * Handles requests before the application is ready: `/health/live` succeeds, and all others return
 * 503.
 */
export const respondWhileStarting: ApiResponse = (request, response) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !LIVE_PATH.test(request.url ?? '')) {
    rejectWhileStarting(request, response);
    return;
  }
  const requestId = requestIdFrom(request.headers['x-request-id']);
  response.writeHead(200, [
    ...COMMON_HEADERS,
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['X-Request-Id', requestId, 'Content-Length', String(LIVE_BODY.length)],
  ]);
  response.end(LIVE_BODY);
};

function rejectionOf(error: AppError): ApiResponse {
  const rejections = new Map(ERROR_FORMS.map((form) => [form, rejectionIn(form, error)]));
  return (request, response) => {
    rejections.get(errorFormOf(request.url ?? ''))?.(request, response);
  };
}

function rejectionIn(form: ErrorForm, error: AppError): ApiResponse {
  /** The body before and after the request id, which needs no JSON escapes. SCIM has none. */
  const [beforeId = '', afterId] = form.print(error, '\n').split('\\n');
  const headers = [
    ...COMMON_HEADERS,
    ...['Content-Type', form.contentType],
    ...Object.entries(error.headers).flat(),
  ];
  const status = ERROR_STATUS[error.code];
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const body = afterId === undefined ? beforeId : beforeId + requestId + afterId;
    const length = String(body.length);
    response.writeHead(status, [
      ...headers,
      ...['X-Request-Id', requestId, 'Content-Length', length],
    ]);
    response.end(body, 'latin1');
  };
}

type ParserFault = NodeJS.ErrnoException;

function codeOf(fault: ParserFault): [ErrorCode, string] {
  if (fault.code === 'HPE_HEADER_OVERFLOW') {
    return ['headers_too_large', 'The request line and headers are too large.'];
  }
  if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['request_timeout', 'The request was not received in time.'];
  }
  if (fault.code === 'HPE_INVALID_URL') {
    const message =
      'The URL is not valid. Percent-encode characters that are not ASCII, as in %C3%A9.';
    return ['invalid_request', message];
  }
  return ['invalid_request', 'The request is not valid HTTP.'];
}

/**
 * Responds to requests that Node's parser rejects: writes the usual error body directly to the
 * socket and closes it. Only the error's code is logged, because its other fields contain the
 * received bytes, which may include a key.
 */
export function rejectAtSocket(logger: Logger, fault: ParserFault, socket: Duplex): void {
  const responding = (socket as { _httpMessage?: ServerResponse })._httpMessage;
  if (!socket.writable || responding?.headersSent === true || fault.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [code, message] = codeOf(fault);
  const status = ERROR_STATUS[code];
  const requestId = requestIdFrom(undefined);
  logger.pino.info({ requestId, status, fault: fault.code }, 'request rejected');
  const body = JSON.stringify(errorBody(code, message, requestId));
  socket.end(
    [
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
