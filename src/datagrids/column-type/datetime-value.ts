import { isRealDay } from './calendar';
import { accept, reject, type Checked } from './checked';

const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/** The normal form, with a day that every month has. It needs no further check. */
const USUAL_DATETIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const FORM = 'must be an RFC 3339 timestamp with an offset, such as "2024-02-29T13:45:00.000Z"';

/**
 * Checks an RFC 3339 timestamp with any offset, and normalizes it to UTC with milliseconds,
 * `YYYY-MM-DDTHH:mm:ss.sssZ`. Rejects nonzero digits after the milliseconds, and leap seconds,
 * because columns cannot store them. The year in UTC is 0001 to 9999.
 */
export function checkDatetime(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', FORM);
  if (USUAL_DATETIME.test(value)) return accept(value);
  const match = DATETIME.exec(value);
  if (!match) return reject('invalid_format', FORM);
  const [year, month, day, hour, minute, second] = match.slice(1, 7) as SixTexts;
  const [fraction = '', sign = '+', offsetHour = '00', offsetMinute = '00'] = match.slice(7);
  if (!isRealDay(Number(year), Number(month), Number(day))) {
    return reject('out_of_range', 'must contain an existing date');
  }
  if (!isClock(hour, minute) || Number(second) > 59 || !isClock(offsetHour, offsetMinute)) {
    return reject('out_of_range', 'must contain a time of day from 00:00:00 to 23:59:59');
  }
  if (!/^0*$/.test(fraction.slice(3))) {
    return reject(
      'excess_precision',
      'must have at most three digits after the decimal point of the second',
    );
  }
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const instant = sign === '-' ? local + offset : local - offset;
  return instant >= EARLIEST && instant <= LATEST
    ? accept(new Date(instant).toISOString())
    : reject('out_of_range', 'must be in the years 0001 to 9999 in UTC');
}

type SixTexts = [string, string, string, string, string, string];

function isClock(hour: string, minute: string): boolean {
  return Number(hour) <= 23 && Number(minute) <= 59;
}
