import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { hashSecretToken } from '../secret-token';

/** Time for which a code is valid. */
const PERIOD_SECONDS = 30;
/** Codes before and after the present one that are accepted, because clocks differ. */
const WINDOW = 1;
/** As RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** The name that an authenticator app shows. */
const ISSUER = 'Datagrid';

/** A new secret of an authenticator app, for its user. */
export interface TotpEnrollment {
  /** In base32, to type. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

export const createTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** @param label Name of the user in the app, such as the email address. */
export function totpEnrollment(secret: Buffer, label: string): TotpEnrollment {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Returns the number of the period whose code this is: the current one, or one beside it.
 * @param typed The code as it was typed: apps show groups, and some keyboards have wide digits.
 * @returns `null` if it is the code of none of them.
 */
export function periodOfCode(secret: Buffer, typed: string, nowMs: number): number | null {
  const code = typed.normalize('NFKC').replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret, '').validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: Buffer, label: string): TOTP {
  const bytes = new Uint8Array(secret).buffer;
  return new TOTP({
    issuer: ISSUER,
    label,
    secret: new Secret({ buffer: bytes }),
    period: PERIOD_SECONDS,
  });
}

/** Codes that a user gets together. */
export const RECOVERY_CODE_COUNT = 10;
/** 80 random bits. */
const RECOVERY_BYTES = 10;
/** Crockford's digits: without letters that look like others. */
const RECOVERY_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const RECOVERY_SHAPE = /^[0-9a-hjkmnp-tv-z]{16}$/;

/** Returns a code that replaces the second factor once, such as `7k2m-9qxd-04vt-hz3e`, and its hash. */
export function createRecoveryCode(): { readonly code: string; readonly hash: Buffer } {
  const bits = [...randomBytes(RECOVERY_BYTES)].map((byte) => byte.toString(2).padStart(8, '0'));
  const digits = bits.join('').match(/.{5}/g) ?? [];
  const text = digits.map((five) => RECOVERY_DIGITS.charAt(Number.parseInt(five, 2))).join('');
  return { code: text.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashSecretToken(text) };
}

/** Returns the hash of a code, however it was typed; `null` if it does not have the format of one. */
export function hashOfRecoveryCode(typed: string): Buffer | null {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  return RECOVERY_SHAPE.test(code) ? hashSecretToken(code) : null;
}
