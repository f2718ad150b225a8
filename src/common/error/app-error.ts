import { shorten } from '../text/shorten';
import type { ErrorCode } from './error-code';
import type { FieldError } from './field-error';

export interface AppErrorOptions {
  /** Errors of individual fields, shown to the client. */
  readonly details?: readonly FieldError[];
  /** Response headers of the error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Underlying error, for the log only. Never shown to the client. */
  readonly cause?: unknown;
}

/** Maximum number of details in a response, so that its size does not grow with the request. */
const MAX_DETAILS = 100;
/** Maximum number of details that are counted. Validation stops there. */
export const MAX_COUNTED_DETAILS = 1_000;
/** Maximum length of a detail's `field`. No valid path to a column is this long. */
const MAX_FIELD_LENGTH = 200;

/**
 * An error with a public response: `code` determines the status, and `message` is public. Layers
 * below HTTP throw it, and only the exception filter turns it into a response.
 */
export class AppError extends Error {
  /** The first 100 details. A `field` that a client has made too long is shortened. */
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

/** 400: the request is invalid. `details` lists each error, or the first of very many. */
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
 * 404. The message depends only on the path, so that another account's resource cannot be told
 * apart from one that never existed.
 * @param kind Kind of resource that the path names.
 */
export function notFound(kind = 'Resource'): AppError {
  return new AppError('not_found', `${kind} not found.`);
}

/** 403: the user or the account is suspended. The response does not tell which. */
export function accountSuspended(): AppError {
  return new AppError('account_suspended', 'This user or account is suspended.');
}

/** 503: the service is temporarily unable to respond. A retry after a second may succeed. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/**
 * 429: the caller's account has used its share of a resource. A retry after a second may succeed.
 * Not 503, because a load balancer would then avoid an instance that has capacity for other
 * accounts.
 */
export function accountShareUsed(message: string): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': '1' } });
}

/** 409: the request is valid but conflicts with stored data. */
export function conflict(message: string, details: readonly FieldError[] = []): AppError {
  return new AppError('conflict', message, { details });
}
