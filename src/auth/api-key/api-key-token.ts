import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, toBase62 } from './base62';

const PREFIX = 'mk_';
/** 30 characters of 62 each: 178 bits. */
const SECRET_LENGTH = 30;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6;

const SHAPE = /^mk_[0-9A-Za-z]{36}$/;

/**
 * Returns a new API key: `mk_`, 30 random base-62 characters, and the CRC-32 of both in 6 more. The
 * checksum lets the service reject a mistyped key, and a scanner recognize a leaked one, without a
 * database query.
 */
export function createApiKeyToken(): string {
  let body = PREFIX;
  // randomInt is a CSPRNG. It rejects values that would favor some characters.
  for (let n = 0; n < SECRET_LENGTH; n++) body += BASE62.charAt(randomInt(BASE62.length));
  return body + checksum(body);
}

/** Whether the text has the shape of a key and a valid checksum. The key may still not exist. */
export function isApiKeyToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * Returns the SHA-256 of a key, 32 bytes. Nothing else of the secret is stored. A slow hash would
 * add nothing to 178 random bits and would slow every request.
 */
export function hashApiKeyToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Parts of a key that a list shows, so that users can tell their keys apart. */
export interface ApiKeyDescription {
  /** The first 8 characters, including `mk_`. */
  readonly prefix: string;
  /** The last 4 characters, which are part of the checksum. */
  readonly lastFour: string;
}

/** Returns the parts of a key that are stored in clear text. */
export function describeApiKeyToken(token: string): ApiKeyDescription {
  return { prefix: token.slice(0, 8), lastFour: token.slice(-4) };
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
