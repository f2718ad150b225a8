import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import {
  AppError,
  ERROR_STATUS,
  invalidRequest,
  notFound,
  unavailable,
} from '../../common/error/app-error';
import {
  isLockTimeout,
  isOutcomeUnknown,
  isRetryable,
  isUnavailable,
} from '../database/database-error';
import { Logger } from '../logging/logger';
import { cutResponse } from './cut-response';
import { errorBody, errorFormOf } from './error-form';
import { HSTS, SECURITY_HEADERS } from './start-request';
import { requestOf, responseOf } from '../load/exchange';

/** Headers that an error response keeps. The others describe the response that failed. */
const KEPT_HEADERS = new Set([
  'connection',
  'ratelimit',
  'ratelimit-policy',
  'set-cookie',
  'x-request-id',
  ...[HSTS, ...SECURITY_HEADERS.map(([name]) => name)].map((name) => name.toLowerCase()),
]);

/**
 * Turns errors of the application into responses. Connections that are rejected before routing get
 * theirs from `socket-rejection.ts`.
 */
@Catch()
export class AppExceptionFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const response = responseOf(host);
    const error = toAppError(thrown, request.method);
    const status = ERROR_STATUS[error.code];
    request.errorCode = error.code;
    if (status >= 500) this.report(thrown, error, request);
    try {
      // A partial response cannot be taken back.
      if (response.headersSent) cutResponse(response);
      else send(error, status, request, response);
    } catch (failure) {
      // Nothing is left that could handle an error of this filter: it would end the process.
      this.report(failure, new AppError('internal', 'Internal server error.'), request);
      cutResponse(response);
    }
  }

  private report(thrown: unknown, error: AppError, { requestId }: AppRequest): void {
    if (isExpected(error)) {
      this.logger.pino.warn({ requestId }, error.message);
      return;
    }
    this.logger.pino.error(
      { requestId, err: error.cause ?? thrown },
      error.code === 'internal' ? 'request failed' : error.message,
    );
  }
}

function send(
  error: AppError,
  status: number,
  { requestId, originalUrl }: AppRequest,
  response: Response,
): void {
  const form = errorFormOf(originalUrl);
  for (const name of response.getHeaderNames())
    if (!KEPT_HEADERS.has(name)) response.removeHeader(name);
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', form.contentType);
  response.statusCode = status;
  // Not `json()`, which would add an ETag and respond to conditional requests with 304.
  const body = form.print(error, requestId);
  // Node would send chunks after a length was removed.
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

const LOCKED =
  'Another change, such as a conversion of a column, takes long. Nothing was changed. Retry later.';

/** Returns whether load or another change is the reason of an error. A stack would say nothing more. */
function isExpected({ code, cause }: AppError): boolean {
  return code !== 'internal' && (cause === undefined || isLockTimeout(cause) || isRetryable(cause));
}

/** Methods for which a lost database connection cannot leave a change behind. */
const READS = new Set(['GET', 'HEAD']);

function toAppError(thrown: unknown, method: string): AppError {
  if (thrown instanceof AppError) return thrown;
  if (!READS.has(method) && isOutcomeUnknown(thrown)) {
    return unavailable(
      'The database connection was lost. The change may or may not have been made.',
      thrown,
    );
  }
  if (isLockTimeout(thrown)) return unavailable(LOCKED, thrown);
  if (isUnavailable(thrown)) {
    return unavailable('The service is temporarily unavailable. Retry later.', thrown);
  }
  const status = statusOf(thrown);
  if (status === 404) return notFound();
  if (status !== undefined && status >= 400 && status < 500) {
    return invalidRequest([], 'The request is not valid.');
  }
  return new AppError('internal', 'Internal server error.', { cause: thrown });
}

/** Returns the status of errors that Nest and Express throw themselves. */
function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}

const CODE = /^\{"error":\{"code":"(\w+)"/;

/** Returns the code of an error response that `printError` has printed. */
export function codeOfPrinted(body: string | null): string | undefined {
  return CODE.exec(body ?? '')?.[1];
}

/** Returns the body of an error response as JSON text. */
export function printError({ code, message, details }: AppError, requestId: string): string {
  return JSON.stringify(errorBody(code, message, requestId, details));
}
