import { createHash } from 'node:crypto';
import type { AppRequest } from '../../common/caller/app-request';
import type { Caller } from '../../common/caller/caller';
import { invalidRequest } from '../../common/error/app-error';

/** Whose key it is, and what it was sent with. */
export interface Claim {
  readonly accountId: string;
  readonly userId: string;
  readonly key: string;
  /** SHA-256 of the request's method, path, query and body. */
  readonly requestHash: Buffer;
}

const HEADER = 'idempotency-key';
const KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws AppError `invalid_request` where the key has another form or is sent twice. */
export function readIdempotencyKey({ headers, headersDistinct }: AppRequest): string {
  const key = headers[HEADER];
  if ((headersDistinct[HEADER]?.length ?? 0) > 1) {
    throw refused('duplicate_header', 'must be given at most once');
  }
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw refused('invalid_format', 'must be 1 to 255 printable ASCII characters');
  }
  return key;
}

/** @param body The bytes that were sent, after any compression; nothing where there were none. */
export function claim(
  key: string,
  { accountId, userId }: Caller,
  { method, originalUrl }: AppRequest,
  body: Buffer | undefined,
): Claim {
  // Neither a method nor a URL has a line break in it.
  const hash = createHash('sha256').update(`${method}\n${originalUrl}\n`);
  if (body) hash.update(body);
  return { accountId, userId, key, requestHash: hash.digest() };
}

function refused(code: string, message: string): Error {
  return invalidRequest([{ field: 'Idempotency-Key', code, message }]);
}
