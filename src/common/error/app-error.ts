import type { ErrorCode } from './error-code';
import type { FieldError } from './field-error';

export interface AppErrorOptions {
  /** What is wrong with which field; shown to the client. */
  readonly details?: readonly FieldError[];
  /** Response headers that belong to the failure, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What really happened; for the log, never for the client. */
  readonly cause?: unknown;
}

/**
 * A failure with an answer: `code` decides the status, `message` is public. Layers below
 * HTTP throw it; only the exception filter turns it into a response.
 */
export class AppError extends Error {
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

/** 400: the request itself is wrong; `details` names each place. */
export function invalidRequest(details: readonly FieldError[], message?: string): AppError {
  const first = details[0];
  return new AppError(
    'invalid_request',
    message ?? (first ? `${first.field}: ${first.message}` : 'The request is not valid.'),
    { details },
  );
}

/**
 * 404, with the same words for everything, so that what belongs to somebody else cannot be
 * told from what never was.
 */
export function notFound(): AppError {
  return new AppError('not_found', 'There is nothing here.');
}

/** 503: the service cannot answer now; trying again in a second may help. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** 409: the request is well-formed, but what is stored stands against it. */
export function conflict(message: string, details: readonly FieldError[] = []): AppError {
  return new AppError('conflict', message, { details });
}
