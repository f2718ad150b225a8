import { randomBytes } from 'node:crypto';
import { hashSecretToken } from '../secret-token';

/** Codes that a user gets together. */
export const RECOVERY_CODES = 10;
/** 80 random bits. */
const CODE_BYTES = 10;
/** Crockford's digits: without letters that look like others. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SHAPE = /^[0-9a-hjkmnp-tv-z]{16}$/;

/** Returns a code that replaces the second factor once, such as `7k2m-9qxd-04vt-hz3e`. */
export function createRecoveryCode(): string {
  const bits = [...randomBytes(CODE_BYTES)].map((byte) => byte.toString(2).padStart(8, '0'));
  const digits = bits.join('').match(/.{5}/g) ?? [];
  const text = digits.map((five) => DIGITS.charAt(Number.parseInt(five, 2))).join('');
  return text.replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** Returns the hash of a code, however it was typed; `null` if it has not the shape of one. */
export function hashOfRecoveryCode(typed: string): Buffer | null {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  return SHAPE.test(code) ? hashSecretToken(code) : null;
}
