import { text } from '../text/text';

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const DAY_AND_SECONDS = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(text.language, { numeric: 'auto' });

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a time in the user's language and time zone. */
export const formatDate = (iso: string): string => DATE.format(new Date(iso));
export const formatTime = (iso: string): string => TIME.format(new Date(iso));
/** Returns a time of the last days, with seconds and without the year. */
export const formatRecentTime = (iso: string): string => DAY_AND_SECONDS.format(new Date(iso));
export const formatDateAndTime = (iso: string): string => DATE_AND_TIME.format(new Date(iso));

/** Returns a relative time in the language of the console, such as `3 hours ago` or `in 30 days`. */
export function formatRelative(iso: string, nowMs = Date.now()): string {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  for (const [unit, size] of UNITS) {
    // Rounded, because a key that was just created for 90 days has a few seconds less.
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.round(seconds / size), unit);
  }
  return seconds > 0 ? text.times.soon : text.times.now;
}
