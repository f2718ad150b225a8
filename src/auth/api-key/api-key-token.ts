import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { timesSent } from '../../platform/http/query';
import { hashSecretToken } from '../secret-token';

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

/**
 * Returns whether the text has the shape of a key and a valid checksum. The key may still not
 * exist.
 */
export function isApiKeyToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
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

interface SentKey {
  readonly authorization: string;
  readonly hash: string;
}

/**
 * Last key of each connection, as most connections send the same key repeatedly. Checking the
 * shape, checksum and hash of a key for each request takes 3 % of the time of a page. The entry is
 * dropped with the connection, so that no key stays in memory in clear text.
 */
const lastSent = new WeakMap<object, SentKey>();

/**
 * Returns the hash, in hexadecimal, of the key in a request's `Authorization` header. Returns null
 * if there is no such header, more than one, or no key with a valid shape and checksum.
 */
export function sentKeyHash(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  if (authorization === undefined || timesSent(request, 'authorization') !== 1) return null;
  const last = lastSent.get(request.socket);
  if (last?.authorization === authorization) return last.hash;
  const token = readBearerToken(authorization);
  if (token === null || !isApiKeyToken(token)) return null;
  const hash = hashSecretToken(token).toString('hex');
  lastSent.set(request.socket, { authorization, hash });
  return hash;
}

/** Far longer than any key. Longer headers are not parsed. */
const MAX_LENGTH = 512;

/** The scheme in any case, one space, and one token68 (RFC 9110, section 11.2). */
const BEARER = /^bearer ([\w.~+/-]+=*)$/i;

/**
 * Returns the token of an `Authorization` header. Returns null if the header is missing, has
 * another scheme, has extra spaces, has two credentials, or is longer than 512 characters.
 */
export function readBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_LENGTH) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/** Base-62 digits in ascending order of value, which is also their ASCII order. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Formats a non-negative integer in base 62, padded with leading zeros to `width` digits. */
function toBase62(value: number, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62.charAt(rest % 62) + digits;
  }
  return digits.padStart(width, '0');
}
