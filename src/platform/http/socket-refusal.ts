import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_STATUS, type ErrorCode } from '../../common/error/error-code';
import type { Logger } from '../logging/logger';
import { errorBody } from './error-body';
import { requestIdFrom } from './request-id';

type ParserFault = NodeJS.ErrnoException;

function codeOf(fault: ParserFault): [ErrorCode, string] {
  if (fault.code === 'HPE_HEADER_OVERFLOW') {
    return ['headers_too_large', 'The request line and headers are too large.'];
  }
  if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['request_timeout', 'The request was not received in time.'];
  }
  return ['invalid_request', 'The request is not valid HTTP.'];
}

/**
 * Responds to requests that Node's parser rejects: writes the usual error body directly to the
 * socket and closes it. Only the error's code is logged, because its other fields contain the
 * received bytes, which may include a key.
 */
export function refuseAtSocket(logger: Logger, fault: ParserFault, socket: Duplex): void {
  const answering = (socket as { _httpMessage?: ServerResponse })._httpMessage;
  if (!socket.writable || answering?.headersSent === true || fault.code === 'ECONNRESET') {
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
