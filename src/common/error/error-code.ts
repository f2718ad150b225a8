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
