import type { HeaderObject, HeadersObject } from '@nestjs/swagger';

/** Response headers of the API, in addition to standard HTTP headers. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      "Names this request, also in error bodies and in the service's log. Send your own (up to 64 letters, digits, `.`, `_`, `-`) and it is kept.",
    required: true,
    schema: { type: 'string' },
    example: '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10',
  },
  'RateLimit-Policy': {
    description:
      'The limit: `q` requests in `w` seconds. `"default"` counts the key\'s requests; `"account"`, named as well where less is left of it, those of all keys and users of the account; `"auth-failures"`, on 401, those without a valid key from your address; `"public"`, on routes that take no key, those without a key from your address.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'What is left of the limit: `r` requests, and `t` seconds until it starts anew.',
    schema: { type: 'string' },
    example: '"default";r=599;t=60',
  },
  'Cache-Control': {
    description: '`private, no-cache` on reads: keep it, but ask again. `no-store` on the rest.',
    schema: { type: 'string' },
    example: 'private, no-cache',
  },
  ETag: {
    description:
      "Names this version: send it back in `If-None-Match` to read it only where it has moved on, in `If-Match` to change it only where it has not. A datagrid's does not move with its rows. Of a compressed answer, other than an export, it ends in the coding's name, such as `.gzip`, and is as good. Absent where rows were created by a list.",
    schema: { type: 'string' },
    example: '"4-1"',
  },
  Link: {
    description:
      'Relative URLs of the `first`, `prev`, `next` and `last` page, each where there is one (RFC 8288). Absent where the list is empty.',
    schema: { type: 'string' },
    example: '</api/v1/public/workspaces?page=2&limit=20>; rel="next"',
  },
  'Export-Status': {
    description: 'A trailer, after the body of an export: it has come to its end.',
    required: true,
    schema: { type: 'string', enum: ['complete'] },
    example: 'complete',
  },
  'Export-Rows': {
    description: 'A trailer, after the body of an export: how many rows it has.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  'Idempotent-Replayed': {
    description:
      '`true` where this is the first answer to the `Idempotency-Key`, given again; nothing was done now.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  Location: {
    description: 'Where what was started can be watched. On failures of it, too.',
    required: true,
    schema: { type: 'string' },
    example:
      '/api/v1/public/datagrids/019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12/imports/019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer',
  },
} as const satisfies Record<string, HeaderObject>;

/** `Retry-After` for a status that other codes share, which do not have this header. */
export const RETRY_AFTER_IN_USE: HeaderObject = {
  ...HEADERS['Retry-After'],
  description: 'With `idempotency_key_in_use`: whole seconds to wait before sending it again.',
  required: false,
  example: 1,
};

export type HeaderName = keyof typeof HEADERS;

const ON_EVERY_ANSWER: readonly HeaderName[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** Returns references to the headers of every response and to the given ones. */
export const headersOf = (...names: HeaderName[]): HeadersObject =>
  Object.fromEntries(
    [...ON_EVERY_ANSWER, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
