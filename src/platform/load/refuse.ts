import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../common/error/app-error';
import { ERROR_STATUS } from '../../common/error/error-code';
import { printError } from '../http/error-body';
import { requestIdFrom } from '../http/request-id';
import { securityHeaders } from '../http/security-headers';

const setSecurityHeaders = securityHeaders();
const ERROR = unavailable('There is too much to do at the moment.');
const NAMES = Object.entries(ERROR.headers);

/** Whether a request is a probe of the platform's, which is answered whatever there is to do. */
export function isProbe({ url }: IncomingMessage): boolean {
  return url?.startsWith('/health/') === true;
}

/** Answers as every failure is answered, before the application has any work with the request. */
export function refuse(request: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdFrom(request.headers['x-request-id']);
  const body = printError(ERROR, requestId);
  setSecurityHeaders(request, response, () => undefined);
  for (const [name, value] of NAMES) response.setHeader(name, value);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.statusCode = ERROR_STATUS[ERROR.code];
  response.end(body);
}
