import { ApiError } from '../api/api-error';

export const EXPIRY_CHOICES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'date', label: 'Until a day …' },
  { value: 'never', label: 'Never' },
] as const;

export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]['value'];

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
  const detail = { field: 'expiresAt', code: 'required', message: 'choose a day' };
  throw new ApiError(400, 'invalid_request', 'Choose a day.', [detail]);
}

/** Returns today's local date for a date field. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
