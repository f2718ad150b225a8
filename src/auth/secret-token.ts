import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const SHAPE = /^[\w-]{43}$/;

/** Returns a secret for a cookie or a link: 256 random bits as base64url. */
export function createSecretToken(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns whether the text has the shape of a secret. The secret may still not exist. */
export function isSecretToken(text: string): boolean {
  return SHAPE.test(text);
}

/**
 * Returns the SHA-256 of an API key or another secret, 32 bytes. Nothing else of the secret is
 * stored. A slow hash would add nothing to at least 178 random bits and would slow every request.
 */
export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
