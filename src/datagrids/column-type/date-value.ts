import { isRealDay } from './calendar';
import { accept, reject, type Checked } from './checked';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Dates with a day that every month has, and a year other than 0000. They need no further check.
 */
const USUAL_DATE = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

/** Checks a date, `YYYY-MM-DD`, in the years 0001 to 9999 of the proleptic Gregorian calendar. */
export function checkDate(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', FORM);
  if (USUAL_DATE.test(value)) return accept(value);
  const match = DATE.exec(value);
  if (!match) return reject('invalid_format', FORM);
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  return year >= 1 && isRealDay(year, month, day)
    ? accept(value)
    : reject('out_of_range', 'must be an existing date in the years 0001 to 9999');
}

const FORM = 'must be a date in the format YYYY-MM-DD, such as "2024-02-29"';
