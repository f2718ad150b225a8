import { ApiError } from '../api/api-error';
import { text } from '../text/text';

const CHOICES = ['30', '90', '365', 'date', 'never'] as const;

export type ExpiryChoice = (typeof CHOICES)[number];

/** The choices, as options of a select. */
export const EXPIRY_CHOICES = CHOICES.map((value) => ({
  value,
  label: text.expiry.choices[value],
}));

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** Such as `2027-01-31`, or empty if no day is chosen. */
  readonly day: string;
}

const DAY_MS = 86_400_000;

/**
 * Returns the expiry in ISO 8601, or `null` for never. A chosen day ends in the local time zone.
 * @throws ApiError with the field `expiresAt`, as the server would, if no day is chosen.
 */
export function expiresAtOf({ choice, day }: Expiry, nowMs = Date.now()): string | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(nowMs + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  if (!Number.isNaN(end.getTime())) return end.toISOString();
  const detail = { field: 'expiresAt', code: 'required', message: text.expiry.noDayOfField };
  throw new ApiError(400, 'invalid_request', text.expiry.noDay, [detail]);
}

/** Returns today's local date for a date field. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
