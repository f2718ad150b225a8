import type { ErrorCode } from '../../common/error/error-code';
import type { FieldError } from '../../common/error/field-error';

interface FailureText {
  /** What the code means, for any route. */
  readonly meaning: string;
  /** An example of its message. */
  readonly message: string;
  readonly details?: readonly FieldError[];
}

/** What routes answer where they fail. Codes of the protocol itself stand in the introduction. */
export const FAILURE_TEXTS: Partial<Record<ErrorCode, FailureText>> = {
  invalid_request: {
    meaning: 'the request is wrong; `details` names each place. Unknown query parameters are, too.',
    message: 'limit: must be a whole number from 1 to 200',
    details: [
      {
        field: 'limit',
        code: 'out_of_range',
        message: 'must be a whole number from 1 to 200',
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
    message: 'Only HTTPS is served. A key that was sent without it may have been read: revoke it.',
  },
  quota_exceeded: {
    meaning: 'the account would have more of this than it may.',
    message: 'This account may have 100 workspaces.',
  },
  not_found: {
    meaning: 'there is no such thing in your account.',
    message: 'Datagrid not found.',
  },
  request_timeout: {
    meaning: 'the body stopped coming.',
    message: 'The request took too long to arrive.',
  },
  conflict: {
    meaning: 'what is stored stands against it, such as a name or unique value in use.',
    message: 'name: is the name of another workspace in this account',
    details: [
      {
        field: 'name',
        code: 'duplicate',
        message: 'is the name of another workspace in this account',
      },
    ],
  },
  idempotency_key_reused: {
    meaning: 'the `Idempotency-Key` was sent with another request; a new request needs a new key.',
    message: 'This Idempotency-Key was sent with another request. A new request needs a new key.',
  },
  idempotency_key_in_use: {
    meaning:
      'the request with this `Idempotency-Key` is being carried out. Send it again after `Retry-After`.',
    message: 'A request with this Idempotency-Key is being carried out.',
  },
  precondition_failed: {
    meaning: 'it has changed since the version that `If-Match` names; read it again.',
    message: 'It has changed since: it no longer has a version that If-Match names.',
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
    message: 'Something went wrong on our side.',
  },
  unavailable: {
    meaning: 'the service cannot answer for the moment. Wait for `Retry-After`.',
    message: 'The service is not available at the moment.',
  },
};
