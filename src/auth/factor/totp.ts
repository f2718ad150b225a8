import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

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
