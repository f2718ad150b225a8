import type { IncomingMessage } from 'node:http';
import { timesSent } from '../../platform/http/times-sent';
import { hashApiKeyToken, isApiKeyToken } from './api-key-token';
import { readBearerToken } from './bearer';

interface SentKey {
  readonly authorization: string;
  readonly hash: string;
}

/**
 * By connection, most of which send one key again and again: to look at its shape, its checksum and
 * its hash each time is 3 % of a page. It goes with the connection, so that no key stays in clear.
 */
const lastSent = new WeakMap<object, SentKey>();

/**
 * The hash, in hexadecimal, of the key in a request's `Authorization`; null where there is none,
 * more than one, or nothing that has a key's shape and a true checksum.
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
