import type { Column } from '../../../datagrids/datagrid';

/** Returns the texts that follow others, in the same order. */
export type Continuation = (count: number) => string[];

const DAY_MS = 86_400_000;
const PLAIN_NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;
const TRAILING_NUMBER = /^(.*?)(\d+)$/s;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/**
 * Continues texts as spreadsheets do: two or more numbers, times or texts that end in a number by their
 * common step, and one date, time or such text by one day or 1. Others repeat.
 * @param texts Texts as typed, at least one.
 */
export function continuation(
  texts: readonly string[],
  type: Column['type'] | undefined,
): Continuation {
  const next = type && SERIES[type]?.(texts);
  if (next) return (count) => Array.from({ length: count }, (_, at) => next(at + 1));
  return repeating(texts);
}

/** Repeats texts from the first. */
export function repeating(texts: readonly string[]): Continuation {
  return (count) => Array.from({ length: count }, (_, at) => texts[at % texts.length] ?? '');
}

/** Returns the text at a number of steps after the last one, or `undefined` if there is no series. */
type Series = (texts: readonly string[]) => ((steps: number) => string) | undefined;

/** Counts in units of the last decimal place, so that no digit is lost. */
function numberSeries(texts: readonly string[]): ReturnType<Series> {
  if (texts.length === 1) return undefined;
  const parts = texts.map((text) => PLAIN_NUMBER.exec(text));
  const places = Math.max(...parts.map((part) => part?.[3]?.length ?? 0));
  const units = parts.map((part) => {
    if (!part) return undefined;
    const [, sign = '', whole = '', fraction = ''] = part;
    return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
  });
  return arithmetic(units, (value) => {
    const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
    const whole = digits.slice(0, digits.length - places);
    const fraction = digits.slice(digits.length - places);
    return `${value < 0n ? '-' : ''}${whole}${places > 0 ? `.${fraction}` : ''}`;
  });
}

/** Counts months if all dates have the same day of their months, and days otherwise. */
function dateSeries(texts: readonly string[]): ReturnType<Series> {
  const parts = texts.map((text) => DATE.exec(text)?.slice(1).map(Number));
  const [, , day] = parts[0] ?? [];
  const isMonthly = texts.length > 1 && parts.every((part) => part?.[2] === day);
  if (isMonthly && day !== undefined && day <= 28) {
    const months = parts.map((part) => part && BigInt((part[0] ?? 0) * 12 + (part[1] ?? 1) - 1));
    const series = arithmetic(months, (value) => {
      const month = Number(value % 12n) + 1;
      if (value < 12n || value >= 120_000n) return undefined;
      return `${padded(Number(value / 12n), 4)}-${padded(month, 2)}-${padded(day, 2)}`;
    });
    if (series) return series;
  }
  const days = texts.map((text) => {
    const atMs = DATE.test(text) ? Date.parse(text) : NaN;
    return Number.isNaN(atMs) ? undefined : BigInt(atMs / DAY_MS);
  });
  return arithmetic(days, (value) => isoAt(Number(value) * DAY_MS)?.slice(0, 10), 1n);
}

function timeSeries(texts: readonly string[]): ReturnType<Series> {
  const times = texts.map((text) => {
    const atMs = text.endsWith('Z') ? Date.parse(text) : NaN;
    return Number.isNaN(atMs) ? undefined : BigInt(atMs);
  });
  return arithmetic(times, (value) => isoAt(Number(value)), BigInt(DAY_MS));
}

/** Texts such as `Item 1`. A number alone, such as a zip code, needs a second one to be a series. */
function numberedSeries(texts: readonly string[]): ReturnType<Series> {
  const parts = texts.map((text) => TRAILING_NUMBER.exec(text));
  const [, prefix = '', digits = ''] = parts[0] ?? [];
  if (parts.some((part) => part?.[1] !== prefix)) return undefined;
  if (texts.length === 1 && prefix.trim() === '') return undefined;
  const width = digits.startsWith('0') ? digits.length : 0;
  const values = parts.map((part) => part && BigInt(part[2] ?? '0'));
  return arithmetic(
    values,
    (value) => (value < 0n ? undefined : `${prefix}${String(value).padStart(width, '0')}`),
    1n,
  );
}

/**
 * @param print Returns `undefined` for a value that has no text. The last text that there is repeats.
 * @param single Step after a single value.
 */
function arithmetic(
  values: readonly (bigint | null | undefined)[],
  print: (value: bigint) => string | undefined,
  single = 0n,
): ReturnType<Series> {
  const known = values.filter((value) => value != null);
  const last = known.at(-1);
  if (last === undefined || known.length < values.length) return undefined;
  const step = known.length > 1 ? (known[1] ?? 0n) - (known[0] ?? 0n) : single;
  const isEven = known.every((value, at) => at === 0 || value - (known[at - 1] ?? 0n) === step);
  if (!isEven) return undefined;
  return (steps) => {
    for (let at = steps; at >= 0; at -= 1) {
      const text = print(last + step * BigInt(at));
      if (text !== undefined) return text;
    }
    return '';
  };
}

/** Returns a time as ISO text, or `undefined` outside the years that the service accepts. */
function isoAt(atMs: number): string | undefined {
  const date = new Date(atMs);
  const year = date.getUTCFullYear();
  return Number.isNaN(date.getTime()) || year < 1 || year > 9999 ? undefined : date.toISOString();
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

const SERIES: Partial<Record<Column['type'], Series>> = {
  integer: numberSeries,
  number: numberSeries,
  decimal: numberSeries,
  date: dateSeries,
  datetime: timeSeries,
  text: numberedSeries,
};
