import type { ErrorCode } from '../../common/error/error-code';
import type { FieldError } from '../../common/error/field-error';

interface FailureText {
  /** Meaning of the code, for any route. */
  readonly meaning: string;
  /** Example of the error message. */
  readonly message: string;
  readonly details?: readonly FieldError[];
}

/**
 * Texts of the errors that routes return. The introduction describes the codes of the protocol
 * itself.
 */
export const FAILURE_TEXTS: Partial<Record<ErrorCode, FailureText>> = {
  invalid_request: {
    meaning: 'the request is wrong; `details` names each place. Unknown query parameters are, too.',
    message: 'limit: must be an integer from 1 to 200',
    details: [
      {
        field: 'limit',
        code: 'out_of_range',
        message: 'must be an integer from 1 to 200',
      },
    ],
  },
  unauthenticated: {
    meaning: 'the key is missing, malformed, unknown, revoked or expired.',
    message: 'A valid API key is required: Authorization: Bearer mk_…',
  },
  forbidden: {
    meaning: "the role of the key's owner does not allow this.",
    message: 'The role viewer does not allow this.',
  },
  account_suspended: {
    meaning: "the key's owner, or their account, is suspended.",
    message: 'This user or account is suspended.',
  },
  https_required: {
    meaning: 'the request came by plain HTTP, which this installation does not serve.',
    message: 'HTTPS is required. Revoke any API key that you sent over plain HTTP.',
  },
  quota_exceeded: {
    meaning: 'the account would have more of this than it may.',
    message: 'Quota exceeded: this account may have at most 100 workspaces.',
  },
  not_found: {
    meaning: 'there is no such thing in your account.',
    message: 'Datagrid not found.',
  },
  request_timeout: {
    meaning: 'the body stopped coming.',
    message: 'The request was not received in time.',
  },
  conflict: {
    meaning:
      'the change conflicts with stored data, such as a name or unique value that is already used.',
    message: 'name: is already used by another workspace in this account',
    details: [
      {
        field: 'name',
        code: 'duplicate',
        message: 'is already used by another workspace in this account',
      },
    ],
  },
  idempotency_key_reused: {
    meaning: 'the `Idempotency-Key` was sent with another request; a new request needs a new key.',
    message: 'This Idempotency-Key was used with a different request. Use a new key.',
  },
  idempotency_key_in_use: {
    meaning:
      'the request with this `Idempotency-Key` is being carried out. Send it again after `Retry-After`.',
    message: 'A request with this Idempotency-Key is still in progress. Retry later.',
  },
  precondition_failed: {
    meaning: 'it has changed since the version that `If-Match` names; read it again.',
    message: 'The resource has changed. Its ETag does not match If-Match.',
  },
  payload_too_large: {
    meaning: 'the body or a row in it is too large.',
    message: 'The body is larger than 10485760 bytes.',
  },
  unsupported_media_type: {
    meaning: 'the body is not sent as JSON in UTF-8, or as what the route takes.',
    message: 'Content-Type must be application/json, in UTF-8.',
  },
  rate_limited: {
    meaning: 'too many requests. Wait for `Retry-After`, then try with growing pauses.',
    message: 'Rate limit of this key exceeded. Retry after 17 seconds.',
  },
  internal: {
    meaning: 'a fault of the service; report `requestId`.',
    message: 'Internal server error.',
  },
  unavailable: {
    meaning: 'the service cannot answer for the moment. Wait for `Retry-After`.',
    message: 'The service is temporarily unavailable. Retry later.',
  },
};
