import { createHash } from 'node:crypto';
import type { AppRequest } from '../../common/caller/app-request';
import type { Caller } from '../../common/caller/caller';
import { invalidRequest } from '../../common/error/app-error';

/** An idempotency key, its owner, and the hash of the request sent with it. */
export interface Claim {
  readonly accountId: string;
  readonly userId: string;
  readonly key: string;
  /** SHA-256 of the request's method, path, query and body. */
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
    throw refused('duplicate_header', 'must be given at most once');
  }
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw refused('invalid_format', 'must be 1 to 255 printable ASCII characters');
  }
  return key;
}

/**
 * Creates the claim of a request.
 * @param body Bytes of the body after decompression; `undefined` if there is none.
 */
export function claim(
  key: string,
  { accountId, userId }: Caller,
  { method, originalUrl }: AppRequest,
  body: Buffer | undefined,
): Claim {
  // Methods and URLs contain no line breaks.
  const hash = createHash('sha256').update(`${method}\n${originalUrl}\n`);
  if (body) hash.update(body);
  return { accountId, userId, key, requestHash: hash.digest() };
}

function refused(code: string, message: string): Error {
  return invalidRequest([{ field: 'Idempotency-Key', code, message }]);
}
