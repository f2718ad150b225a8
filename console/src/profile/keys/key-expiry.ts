import { ApiError } from '../../api/api-error';

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
  /** Such as `2027-01-31`; empty where none is chosen yet. */
  readonly day: string;
}

const DAY_MS = 86_400_000;

/**
 * When a key ends, in ISO 8601; `null` is never. A chosen day counts to its end, where the reader is.
 *
 * @throws ApiError naming `expiresAt`, as the server would, where a day is to be chosen.
 */
export function expiresAtOf({ choice, day }: Expiry, nowMs = Date.now()): string | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(nowMs + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  if (!Number.isNaN(end.getTime())) return end.toISOString();
  const detail = { field: 'expiresAt', code: 'required', message: 'choose a day' };
  throw new ApiError(400, 'invalid_request', 'Choose a day.', [detail]);
}

/** Today where the reader is, as a date field takes it. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
