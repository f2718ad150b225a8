/** What a number format shows of a number. */
export interface NumberKind {
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  /** Whether hours go on after 24, as for `[h]:mm`. */
  readonly isElapsed: boolean;
}

const kind = (hasDate: boolean, hasTime: boolean, isElapsed = false): NumberKind => ({
  ...{ hasDate, hasTime, isElapsed },
});
/** A number, and no date or time. */
export const PLAIN = kind(false, false);
const DATE = kind(true, false);
const TIME = kind(false, true);

const isBetween = (id: number, from: number, to: number): boolean => id >= from && id <= to;

/**
 * Returns what a number format shows.
 * @param code The format itself; undefined for those that every program knows by their number.
 */
export function kindOf(id: number, code: string | undefined): NumberKind {
  if (code !== undefined) return kindOfCode(code);
  if (id === 22) return kind(true, true);
  if (id === 46) return kind(false, true, true);
  if (isBetween(id, 18, 21) || isBetween(id, 32, 35) || id === 45 || id === 47) return TIME;
  return isBetween(id, 14, 17) || isBetween(id, 27, 36) || isBetween(id, 50, 58) ? DATE : PLAIN;
}

function kindOfCode(code: string): NumberKind {
  // Without texts in quotes, escaped characters, and characters that only have a width.
  const [section = ''] = code.replaceAll(/"[^"]*"|[\\_*]./gs, '').split(';');
  const isElapsed = /\[(?:h+|m+|s+)\]/i.test(section);
  const letters = section
    .replaceAll(/\[[^\]]*\]|general/gi, '')
    .replaceAll(/am\/pm|a\/p/gi, 'h')
    .replaceAll(/s[.,]0+/gi, 's');
  // Such as a currency that is not in quotes.
  if (/[#0?@]/.test(letters)) return PLAIN;
  const hasTime = isElapsed || /[hs]/i.test(letters);
  // A month, unless it is beside hours or seconds: then it is minutes.
  const hasDate = /[ydgbe]|mmm/i.test(letters) || (!hasTime && /m/i.test(letters));
  return kind(hasDate, hasTime, isElapsed && !hasDate);
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;

/**
 * Returns a serial number as a date, a time of day, or both: `2025-12-31`, `09:00:00`,
 * `2025-12-31T09:00:00`. A format with a time shows it also at midnight. Times have milliseconds if
 * they are not zero.
 * @param is1904 Whether 0 is 1904-01-01. Otherwise, 1 is 1900-01-01.
 * @returns undefined for a number that is no date.
 */
export function momentOf(
  serial: number,
  { hasDate, hasTime, isElapsed }: NumberKind,
  is1904: boolean,
): string | undefined {
  const all = Math.round(serial * DAY_MS);
  if (!Number.isSafeInteger(all)) return undefined;
  if (isElapsed) return `${all < 0 ? '-' : ''}${timeOf(Math.abs(all))}`;
  const days = Math.floor(all / DAY_MS);
  const time = timeOf(all - days * DAY_MS);
  if (days === 0 && (!hasDate || (!is1904 && all > 0))) return time;
  const day = dayOf(days, is1904);
  if (day === undefined) return undefined;
  return all === days * DAY_MS && !hasTime ? day : `${day}T${time}`;
}

function timeOf(ms: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(ms / 1_000);
  const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const rest = ms % 1_000;
  return clock.map(two).join(':') + (rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`);
}

function dayOf(days: number, is1904: boolean): string | undefined {
  if (days > LAST_DAY) return undefined;
  if (is1904) return isoDay(Date.UTC(1904, 0, 1), days);
  // Days that never were, which no type of date accepts. Lotus 1-2-3 took 1900 for a leap year, and
  // all its successors keep to the numbers.
  if (days === 0) return '1900-01-00';
  if (days === 60) return '1900-02-29';
  return isoDay(Date.UTC(1899, 11, days > 0 && days < 60 ? 31 : 30), days);
}

function isoDay(start: number, days: number): string | undefined {
  const date = new Date(start + days * DAY_MS);
  const isValid = !Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 1;
  return isValid && date.getUTCFullYear() <= 9_999 ? date.toISOString().slice(0, 10) : undefined;
}

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Returns a date of ISO 8601 as `momentOf` returns serial numbers. No time zone plays a part.
 * @returns the text itself if it has another form.
 */
export function isoMomentOf(text: string, { hasDate, hasTime }: NumberKind): string {
  const match = ISO.exec(text);
  if (!match) return text;
  const [, day = '', seconds = '', digits = '', zone = ''] = match;
  const fraction = digits.replace(/0+$/, '');
  const time = fraction === '' ? seconds : `${seconds}.${fraction}`;
  // Some writers put a time of day into the day before the first one.
  if (!hasDate && hasTime && /^1899-12-3[01]$/.test(day)) return time;
  return time === '00:00:00' && zone === '' && !hasTime ? day : `${day}T${time}${zone}`;
}
