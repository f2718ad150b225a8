import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const SHAPE = /^[\w-]{43}$/;

/** A secret that stands in a cookie or a link: 256 random bits, as base64url. */
export function createSecretToken(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether the text has a secret's shape; says nothing about its existence. */
export function isSecretToken(text: string): boolean {
  return SHAPE.test(text);
}

/** SHA-256, 32 bytes: all that is stored of a secret. */
export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
