import { invalidField } from '../common/error/app-error';

/** Latest expiry of a key or a link: RFC 3339 has four digits for the year. */
export const LATEST_EXPIRY_MS = Date.UTC(9999, 11, 31);

/**
 * Reads the expiry of a new key or link, in RFC 3339.
 * @returns `null` if it never expires.
 * @throws AppError `invalid_request` if the time is in the past or too late.
 */
export function readExpiry(text: string | null | undefined): Date | null {
  if (text === undefined || text === null) return null;
  const time = new Date(text).getTime();
  if (time > Date.now() && time < LATEST_EXPIRY_MS) return new Date(time);
  throw invalidField(
    'expiresAt',
    'out_of_range',
    'must be in the future and before the year 10000',
  );
}
