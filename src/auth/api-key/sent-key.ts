import type { IncomingMessage } from 'node:http';
import { timesSent } from '../../platform/http/times-sent';
import { hashApiKeyToken, isApiKeyToken } from './api-key-token';
import { readBearerToken } from './bearer';

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
  const hash = hashApiKeyToken(token).toString('hex');
  lastSent.set(request.socket, { authorization, hash });
  return hash;
}
