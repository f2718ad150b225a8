import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, toBase62 } from './base62';

const PREFIX = 'mk_';
/** 30 of 62 characters: 178 bits. */
const SECRET_LENGTH = 30;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6;

const SHAPE = /^mk_[0-9A-Za-z]{36}$/;

/**
 * A new API key: `mk_`, 30 random characters of base 62, and the CRC-32 of all that in 6 more.
 * The checksum lets a mistyped key be refused, and a leaked one be recognised, without a query.
 */
export function createApiKeyToken(): string {
  let body = PREFIX;
  // randomInt is a CSPRNG and rejects what would favour some characters.
  for (let n = 0; n < SECRET_LENGTH; n++) body += BASE62.charAt(randomInt(BASE62.length));
  return body + checksum(body);
}

/** Whether the text has a key's shape and a true checksum; says nothing about its existence. */
export function isApiKeyToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * SHA-256 of a key, 32 bytes: all that is stored of its secret. A slow hash would gain nothing
 * over 178 random bits, and would cost every request.
 */
export function hashApiKeyToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** What a list may show of a key, so that people can tell theirs apart. */
export interface ApiKeyDescription {
  /** The first 8 characters, `mk_` included. */
  readonly prefix: string;
  /** The last 4 characters, which are of the checksum. */
  readonly lastFour: string;
}

/** The parts of a key that are kept in clear. */
export function describeApiKeyToken(token: string): ApiKeyDescription {
  return { prefix: token.slice(0, 8), lastFour: token.slice(-4) };
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
