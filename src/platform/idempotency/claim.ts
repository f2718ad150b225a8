import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { AppRequest, Caller } from '../../common/caller/app-request';
import { invalidField } from '../../common/error/app-error';
import { requestOf } from '../load/exchange';

/** An idempotency key, its owner, and the hash of the request sent with it. */
export interface Claim {
  readonly accountId: string;
  readonly userId: string;
  readonly key: string;
  /** SHA-256 of the request's method, path, query and body, and of what its API key is limited to. */
  readonly requestHash: Buffer;
}

const HEADER = 'idempotency-key';
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Reads the `Idempotency-Key` header.
 * @throws AppError `invalid_request` if the key is malformed or sent more than once.
 */
export function readIdempotencyKey({ headers, headersDistinct }: AppRequest): string {
  const key = headers[HEADER];
  if ((headersDistinct[HEADER]?.length ?? 0) > 1) {
    throw invalidField('Idempotency-Key', 'duplicate_header', 'must be given at most once');
  }
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = 'must be 1 to 255 printable ASCII characters';
    throw invalidField('Idempotency-Key', 'invalid_format', message);
  }
  return key;
}

/**
 * Creates the claim of a request.
 * @param body Bytes of the body after decompression; `undefined` if there is none.
 */
export function claim(
  key: string,
  { accountId, userId, scopes, workspaceIds, datagridIds }: Caller,
  { method, originalUrl }: AppRequest,
  body: Buffer | undefined,
): Claim {
  // Methods and URLs contain no line breaks.
  const hash = createHash('sha256').update(`${method}\n${originalUrl}\n`);
  // Another key of the user may see less than the one whose response was stored.
  const limits = [scopes, workspaceIds, datagridIds].map((list) => list && [...list].sort());
  if (limits.some((list) => list !== null)) hash.update(`${JSON.stringify(limits)}\n`);
  if (body) hash.update(body);
  return { accountId, userId, key, requestHash: hash.digest() };
}

/** An `Idempotency-Key` that the route handles itself. */
export interface RequestKey {
  readonly key: string;
  /** As that of a claim, without the body. */
  readonly requestHash: Buffer;
}

/** Extension of the OpenAPI document that marks a change without an `Idempotency-Key`. */
export const NO_IDEMPOTENCY_EXTENSION = 'x-no-idempotency-key';

const ownKeyed = new WeakSet<object>();

const readKey = createParamDecorator((_: unknown, context: ExecutionContext): RequestKey | null => {
  const request = requestOf(context);
  const { caller } = request;
  if (request.headers['idempotency-key'] === undefined || !caller) return null;
  const key = readIdempotencyKey(request);
  return { key, requestHash: claim(key, caller, request, undefined).requestHash };
});

/**
 * The request's key; `null` if it has none. The hash excludes the body, which may be of any length.
 */
export const OwnIdempotencyKey = (): ParameterDecorator => {
  const bind = readKey();
  return (prototype, method, index) => {
    bind(prototype, method, index);
    ownKeyed.add((prototype as Record<string | symbol, object>)[method ?? ''] ?? {});
  };
};

/** Marks a route whose requests are never repeated from a stored response. */
export const IgnoreIdempotencyKey =
  (): MethodDecorator =>
  <T>(prototype: object, method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    ownKeyed.add(descriptor.value as object);
    ApiExtension(NO_IDEMPOTENCY_EXTENSION, true)(prototype, method, descriptor);
  };

/** Returns whether a handler handles idempotency keys itself. */
export function handlesOwnIdempotencyKey(handler: object): boolean {
  return ownKeyed.has(handler);
}

const secretProperties = new WeakMap<object, string>();

/**
 * Marks a route whose response has a secret, which is returned once and never stored: in a replayed
 * response it is `null`.
 * @param property Name of the secret in `data`.
 */
export const SecretInResponse =
  (property: string): MethodDecorator =>
  <T>(_prototype: object, _method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    secretProperties.set(descriptor.value as object, property);
  };

/** Returns a body as it is stored: without the secret, if the handler returns one. */
export function withoutSecret(handler: object, body: string | null): string | null {
  const property = secretProperties.get(handler);
  if (property === undefined || body === null) return body;
  const { data, ...rest } = JSON.parse(body) as { data: object };
  return JSON.stringify({ data: { ...data, [property]: null }, ...rest });
}

/** The parts of a response that are needed to replay it. */
export interface StoredResponse {
  readonly status: number;
  /** Headers, except those that every response of its kind has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body as sent; `null` if there is none. */
  readonly body: string | null;
}

/** Response of a request that was executed now, not replayed. */
export interface FirstResponse extends StoredResponse {
  /** Whether to store the response. `false` if nothing was changed. */
  readonly isKept: boolean;
  /** Body to store. */
  readonly storedBody: string | null;
}
