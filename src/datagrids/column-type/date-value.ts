import { digitsAt, isRealDay } from './calendar';
import { accept, reject, type Checked } from './checked';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A day, `YYYY-MM-DD`, of the years 0001 to 9999 of the proleptic Gregorian calendar. */
export function checkDate(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', FORM);
  if (!DATE.test(value)) return reject('invalid_format', FORM);
  const year = digitsAt(value, 0, 4);
  return year >= 1 && isRealDay(year, digitsAt(value, 5, 2), digitsAt(value, 8, 2))
    ? accept(value)
    : reject('out_of_range', 'must be a real date of the years 0001 to 9999');
}

const FORM = 'must be a date written YYYY-MM-DD, such as "2024-02-29"';
