import { shorten } from '../text/shorten';
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

/** So many places are named at most: a failure's answer is not to grow with what was sent. */
const MAX_DETAILS = 100;
/** So many places are counted at most: who checks stops there. */
export const MAX_COUNTED_DETAILS = 1_000;
/** Longer than any way to a column that there can be. */
const MAX_FIELD_LENGTH = 200;

/**
 * A failure with an answer: `code` decides the status, `message` is public. Layers below
 * HTTP throw it; only the exception filter turns it into a response.
 */
export class AppError extends Error {
  /** The first 100, their places shortened where a client has made them long. */
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = (options.details ?? []).slice(0, MAX_DETAILS).map(shortened);
    this.headers = options.headers ?? {};
  }
}

function shortened(detail: FieldError): FieldError {
  return { ...detail, field: shorten(detail.field, MAX_FIELD_LENGTH) };
}

/** 400: the request itself is wrong; `details` names each place, or the first of very many. */
export function invalidRequest(details: readonly FieldError[], message?: string): AppError {
  return new AppError('invalid_request', message ?? summary(details), { details });
}

function summary(details: readonly FieldError[]): string {
  if (details.length > MAX_DETAILS) {
    const count = String(Math.min(details.length, MAX_COUNTED_DETAILS));
    const atLeast = details.length < MAX_COUNTED_DETAILS ? '' : 'At least ';
    return `${atLeast}${count} errors found; the first ${String(MAX_DETAILS)} are listed.`;
  }
  const [first] = details;
  if (!first) return 'The request is not valid.';
  return `${shortened(first).field}: ${first.message}`;
}

/**
 * 404. The words depend on the path alone, so that what belongs to somebody else cannot be told from
 * what never was.
 * @param kind The kind of thing that the path names.
 */
export function notFound(kind = 'Resource'): AppError {
  return new AppError('not_found', `${kind} not found.`);
}

/** 403: the user, or their account, is suspended; which of the two is not told. */
export function accountSuspended(): AppError {
  return new AppError('account_suspended', 'This user or account is suspended.');
}

/** 503: the service cannot answer now; trying again in a second may help. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/**
 * 429: the caller's account has used its share of a resource; retrying in a second may help. Not 503,
 * which would make a load balancer turn away from an instance that has room for other accounts.
 */
export function accountShareUsed(message: string): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': '1' } });
}

/** 409: the request is well-formed, but what is stored conflicts with it. */
export function conflict(message: string, details: readonly FieldError[] = []): AppError {
  return new AppError('conflict', message, { details });
}
