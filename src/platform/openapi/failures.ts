import {
  getSchemaPath,
  type HeaderObject,
  type HeadersObject,
  type ResponseObject,
} from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode, type FieldError } from '../../common/error/app-error';
import { ErrorDto } from '../http/dto/error.dto';
import { errorBody } from '../http/error-form';

/** Response headers of the API, in addition to standard HTTP headers. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      "ID of the request, which is also in errors and in the service's log. To use your own ID, send `X-Request-Id` with 1 to 64 letters, digits, `.`, `_` or `-`.",
    required: true,
    schema: { type: 'string' },
    example: '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10',
  },
  'RateLimit-Policy': {
    description:
      'Rate limit: `q` requests in `w` seconds. `"default"` is the limit of the key. `"account"` is the limit of all keys and users of the account; it is listed, too, if less of it is left. `"auth-failures"` is the limit of requests without a valid key from the client address, on 401. `"public"` is the limit of the client address on routes that do not need a key.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'Requests left: `r` requests until the window ends in `t` seconds.',
    schema: { type: 'string' },
    example: '"default";r=599;t=60',
  },
  'Cache-Control': {
    description:
      '`private, no-cache` for successful responses to `GET`: store the response, but revalidate it before each use. `no-store` for all others.',
    schema: { type: 'string' },
    example: 'private, no-cache',
  },
  ETag: {
    description:
      'Version of the object or the page. Send it in `If-None-Match` to read the object only if it has changed, and in `If-Match` to change it only if it has not. The `ETag` of a datagrid does not change with its rows. In a compressed response, it ends with the name of the encoding, such as `.gzip`; in a compressed export, it is weak instead. Absent if a list of rows was created.',
    schema: { type: 'string' },
    example: '"4-1"',
  },
  Link: {
    description:
      'Relative URLs of the `first`, `prev`, `next` and `last` page, if they exist (RFC 8288). Absent if the list is empty, and from a page with `cursor`.',
    schema: { type: 'string' },
    example: '</api/v1/public/workspaces?page=2&limit=20>; rel="next"',
  },
  Age: {
    description:
      'Maximum age of the data in seconds, rounded up, if a read replica served the request. Absent if the data is current.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Preference-Applied': {
    description:
      '`return=minimal` if the response has IDs and revisions in place of whole rows, as `Prefer` requested.',
    schema: { type: 'string', enum: ['return=minimal'] },
    example: 'return=minimal',
  },
  'Export-Status': {
    description:
      'Trailer, which is sent after the body and not among the headers, to clients that send `TE: trailers`. Present only if the export is complete.',
    schema: { type: 'string', enum: ['complete'] },
    example: 'complete',
  },
  'Export-Rows': {
    description:
      'Trailer, which is sent after the body and not among the headers, to clients that send `TE: trailers`: the number of rows. Present only if the export is complete.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  'Idempotent-Replayed': {
    description:
      '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`. This request changed nothing.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds to wait before you retry.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  Location: {
    description: 'Path of the import report. Errors of an import that started have it, too.',
    required: true,
    schema: { type: 'string' },
    example:
      '/api/v1/public/datagrids/019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12/imports/019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13',
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer',
  },
} as const satisfies Record<string, HeaderObject>;

/** `Retry-After` for a status that other codes share, which do not have this header. */
const RETRY_AFTER_IN_USE: HeaderObject = {
  ...HEADERS['Retry-After'],
  description: 'With `idempotency_key_in_use`: seconds to wait before you retry.',
  required: false,
  example: 1,
};

export type HeaderName = keyof typeof HEADERS;

const ON_EVERY_RESPONSE: readonly HeaderName[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** Returns references to the headers of every response and to the given ones. */
export const headersOf = (...names: HeaderName[]): HeadersObject =>
  Object.fromEntries(
    [...ON_EVERY_RESPONSE, ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const REQUEST_ID = '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10';

const OWN_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Idempotent-Replayed'],
  412: ['Idempotent-Replayed'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Error codes that any route may return. */
export const ON_EVERY_ROUTE: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'account_suspended',
  'https_required',
  'rate_limited',
  'internal',
  'unavailable',
];

/** Additional error codes of changes, which accept an `Idempotency-Key`. */
export const ON_EVERY_CHANGE: readonly ErrorCode[] = ['idempotency_key_reused'];

export const WHERE_A_BODY_IS_SENT: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
];

export const failureRef = (status: number): { $ref: string } => ({
  $ref: `#/components/responses/Error${String(status)}`,
});

/** Returns one error response per status, with an example for each of its codes. */
export function failureResponses(): Record<string, ResponseObject> {
  const statuses = [...new Set(Object.keys(FAILURE_TEXTS).map((code) => statusOf(code)))];
  return Object.fromEntries(
    statuses.map((status) => [`Error${String(status)}`, failureResponse(status)]),
  );
}

function failureResponse(status: number): ResponseObject {
  const texts = Object.entries(FAILURE_TEXTS).filter(([code]) => statusOf(code) === status);
  return {
    description: texts.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join(' '),
    headers: {
      ...headersOf(...(OWN_HEADERS[status] ?? []), 'Cache-Control'),
      ...(status === ERROR_STATUS.idempotency_key_in_use && { 'Retry-After': RETRY_AFTER_IN_USE }),
    },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorDto) },
        examples: Object.fromEntries(
          texts.map(([code, { message, details }]) => [
            code,
            { value: errorBody(code as ErrorCode, message, REQUEST_ID, details) },
          ]),
        ),
      },
    },
  };
}

const statusOf = (code: string): number => ERROR_STATUS[code as ErrorCode];

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
const FAILURE_TEXTS: Partial<Record<ErrorCode, FailureText>> = {
  invalid_request: {
    meaning:
      'a body, parameter or header is invalid, or a query parameter is unknown. `details` lists the invalid fields.',
    message: 'limit: must be an integer from 1 to 200',
    details: [
      {
        field: 'limit',
        code: 'out_of_range',
        message: 'must be an integer from 1 to 200',
      },
    ],
  },
  query_too_expensive: {
    meaning:
      'a query costs too much or took too long. `details` lists the causes. Use a narrower filter, or an index.',
    message: 'The query timed out. Mark the columns in details as indexed.',
    details: [
      {
        field: 'latitude',
        code: 'not_indexed',
        message: 'requires a full scan; mark the column as indexed',
      },
    ],
  },
  unauthenticated: {
    meaning: 'the key is missing, malformed, unknown, revoked or expired.',
    message: 'A valid API key is required: Authorization: Bearer mk_…',
  },
  forbidden: {
    meaning: "the role of the key's owner, or a limit of the key, does not allow the request.",
    message: 'The role viewer does not allow this.',
  },
  account_suspended: {
    meaning: 'the user or the account is suspended.',
    message: 'This user or account is suspended.',
  },
  https_required: {
    meaning: 'the request was sent over HTTP, and this installation requires HTTPS.',
    message: 'HTTPS is required. Revoke any API key that you sent over plain HTTP.',
  },
  quota_exceeded: {
    meaning: 'the account would have more workspaces, datagrids or rows than its quota allows.',
    message: 'Quota exceeded: this account may have at most 100 workspaces.',
  },
  not_found: {
    meaning: 'the object does not exist, or belongs to another account.',
    message: 'Datagrid not found.',
  },
  request_timeout: {
    meaning: 'the request took too long to arrive.',
    message: 'The request was not received in time.',
  },
  conflict: {
    meaning:
      'a name, key or unique value is already in use, or stored data conflicts with the change.',
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
    meaning: 'the `Idempotency-Key` was sent with a different request. Use a new key.',
    message: 'This Idempotency-Key was used with a different request. Use a new key.',
  },
  idempotency_key_in_use: {
    meaning:
      'the first request with the `Idempotency-Key` is in progress. Retry after `Retry-After` seconds.',
    message: 'A request with this Idempotency-Key is still in progress. Retry later.',
  },
  cursor_expired: {
    meaning: 'The changes after the cursor are no longer available. Start over without a cursor.',
    message: 'The changes after this cursor are no longer available. Start over without a cursor.',
  },
  precondition_failed: {
    meaning:
      '`If-Match` or `ifRevision` does not match, because the object has changed. Read it again.',
    message: 'The resource has changed. Its ETag does not match If-Match.',
  },
  payload_too_large: {
    meaning: 'a body, row, result or stored response is too large.',
    message: 'The body is larger than 10485760 bytes.',
  },
  unsupported_media_type: {
    meaning:
      'the route does not support the `Content-Type`, its charset, or the `Content-Encoding`.',
    message: 'Content-Type must be application/json, in UTF-8.',
  },
  rate_limited: {
    meaning:
      'a rate limit or a limit on concurrency is exceeded. Retry after `Retry-After` seconds, then with exponential backoff.',
    message: 'Rate limit of this key exceeded. Retry after 17 seconds.',
  },
  internal: {
    meaning: 'the service failed. Report the `requestId`.',
    message: 'Internal server error.',
  },
  unavailable: {
    meaning: 'the service is unavailable or overloaded. Retry after `Retry-After` seconds.',
    message: 'The service is temporarily unavailable. Retry later.',
  },
};
