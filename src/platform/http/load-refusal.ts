import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../common/error/app-error';
import { ERROR_STATUS } from '../../common/error/error-code';
import { printError } from './error-body';
import { requestIdFrom } from './request-id';
import { SECURITY_HEADERS } from './security-headers';

const ERROR = unavailable('There is too much to do at the moment.');
/** What stands before and behind the request's id, which JSON needs no escapes for. */
const [BEFORE_ID = '', AFTER_ID = ''] = printError(ERROR, '\n').split('\\n');
/** Names and values in turn, as Node sends them without a further look. */
const HEADERS: readonly string[] = [
  ...SECURITY_HEADERS.flat(),
  ...Object.entries(ERROR.headers).flat(),
  ...['Cache-Control', 'no-store'],
  ...['Content-Type', 'application/json; charset=utf-8'],
];

/**
 * Answers as every failure is answered, before the application has any work with the request. It is
 * made of what is ready: refusing must cost much less than serving.
 */
export function refuseForLoad(request: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdFrom(request.headers['x-request-id']);
  const body = BEFORE_ID + requestId + AFTER_ID;
  const length = String(body.length);
  response.writeHead(ERROR_STATUS[ERROR.code], [
    ...HEADERS,
    ...['X-Request-Id', requestId, 'Content-Length', length],
  ]);
  response.end(body, 'latin1');
}
