import { shorten } from '../text/id';

export interface AppErrorOptions {
  /** Errors of individual fields, shown to the client. */
  readonly details?: readonly FieldError[];
  /** Response headers of the error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Underlying error, for the log only. Never shown to the client. */
  readonly cause?: unknown;
  /** Detail of an error of SCIM (RFC 7644, section 3.12). */
  readonly scimType?: ScimErrorType;
}

/** Values of `scimType` (RFC 7644, table 9). */
export type ScimErrorType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'tooMany';

/** Maximum number of details in a response, so that its size does not grow with the request. */
const MAX_DETAILS = 100;
/** Maximum number of details that are counted. Validation stops there. */
export const MAX_COUNTED_DETAILS = 1_000;
/** Maximum length of a detail's `field`. No valid path to a column is this long. */
const MAX_FIELD_LENGTH = 200;

/**
 * An error with a public response: `code` determines the status, and `message` is public. Layers
 * below HTTP throw it, and the exception filter turns it into a response.
 */
export class AppError extends Error {
  /** The first 100 details. A `field` that a client has made too long is shortened. */
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly scimType: ScimErrorType | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = (options.details ?? []).slice(0, MAX_DETAILS).map(shortened);
    this.headers = options.headers ?? {};
    this.scimType = options.scimType;
  }
}

function shortened(detail: FieldError): FieldError {
  return { ...detail, field: shorten(detail.field, MAX_FIELD_LENGTH) };
}

/** 400: the request is invalid. `details` lists each error, or the first of very many. */
export function invalidRequest(details: readonly FieldError[], message?: string): AppError {
  return new AppError('invalid_request', message ?? summary(details), { details });
}

/** 400: one property or parameter is invalid. */
export function invalidField(field: string, code: DetailCode, message: string): AppError {
  return invalidRequest([fieldError(field, code, message)]);
}

/** Returns the error of one property or parameter. */
export function fieldError(field: string, code: DetailCode, message: string): FieldError {
  return { field, code, message };
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

/**
 * All values of `code` in the entries of `error.details`. Clients may depend on them, as on error
 * codes. docs/api/errors.md describes each of them.
 */
export const DETAIL_CODES = [
  'ambiguous_match',
  'conflicting_rows',
  'cursor_mismatch',
  'duplicate',
  'duplicate_choice',
  'duplicate_column',
  'duplicate_header',
  'duplicate_key',
  'duplicate_link',
  'duplicate_parameter',
  'duplicate_row',
  'excess_precision',
  'forbidden_address',
  'incompatible_parameters',
  'incomplete_body',
  'inexact_number',
  'invalid_compression',
  'invalid_format',
  'invalid_text',
  'invalid_utf8',
  'malformed_json',
  'not_a_choice',
  'not_indexed',
  'not_unique',
  'out_of_range',
  'read_only',
  'recent_sign_in_required',
  'required',
  'revision_mismatch',
  'too_deep',
  'too_large',
  'too_many',
  'unknown_column',
  'unknown_datagrid',
  'unknown_operator',
  'unknown_parameter',
  'unknown_property',
  'unknown_row',
  'wrong_code',
  'wrong_passkey',
  'wrong_password',
  'wrong_type',
] as const;

export type DetailCode = (typeof DETAIL_CODES)[number];

/**
 * All values of `error.code` with their HTTP status. The list is closed: clients may depend on it,
 * so a new code is added here and in docs/api/errors.md, and codes are never renamed.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  query_too_expensive: 400,
  unauthenticated: 401,
  forbidden: 403,
  account_suspended: 403,
  https_required: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_key_reused: 409,
  idempotency_key_in_use: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An error in one property or parameter of a request, shown to the client. */
export interface FieldError {
  /**
   * Location: a parameter's name, or a dotted path into the body such as `rows.3.values.amount`.
   */
  field: string;
  /**
   * Machine-readable error: a detail code, or the `error.code` of a batch operation that failed.
   */
  code: DetailCode | ErrorCode;
  /** Human-readable error: one line of English that says what would be accepted. */
  message: string;
}
