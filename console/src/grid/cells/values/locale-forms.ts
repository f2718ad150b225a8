import { isDay } from '../../../common/shown-time';
import { JSON_NUMBER } from './typed-value';

export type DatePart = 'year' | 'month' | 'day';

/** How the reader's locale writes numbers and dates. */
export interface LocaleForms {
  readonly group: string;
  readonly decimal: string;
  /** Order of the parts of a date. */
  readonly dateOrder: readonly DatePart[];
  readonly dateExample: string;
}

export function localeForms(locale?: string): LocaleForms {
  const number = new Intl.NumberFormat(locale).formatToParts(1234567.5);
  const partOf = (type: string): string => number.find((part) => part.type === type)?.value ?? '';
  const day = new Date(2026, 10, 21);
  const date = new Intl.DateTimeFormat(locale, {
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return {
    group: partOf('group'),
    decimal: partOf('decimal'),
    dateOrder: date
      .formatToParts(day)
      .map(({ type }) => type)
      .filter((type) => type === 'year' || type === 'month' || type === 'day'),
    dateExample: date.format(day),
  };
}

/** Forms of the browser's own locale. */
export const OWN_FORMS = localeForms();

/**
 * Returns the number with a point and without separators, or `null`. A text that is a number without
 * the locale is taken as it is: `1.234` never becomes 1234.
 */
export function readNumber(text: string, { group, decimal }: LocaleForms): string | null {
  const trimmed = text.trim();
  if (JSON_NUMBER.test(trimmed)) return trimmed;
  const escaped = (signs: string): string => signs.replaceAll(/[.\\\]^-]/g, '\\$&');
  const groups = /\s/.test(group) ? ' \u00a0\u202f' : /['’]/.test(group) ? "'’" : group;
  const separator = groups === '' ? '(?!)' : `[${escaped(groups)}]`;
  const form = new RegExp(
    `^([-\u2212])?(0|[1-9]\\d{0,2}(?:${separator}\\d{3})+|[1-9]\\d*)(?:[${escaped(decimal)}](\\d+))?$`,
  );
  const match = form.exec(trimmed);
  if (!match) return null;
  const [, sign, whole = '', fraction] = match;
  const digits = whole.replaceAll(/\D/g, '');
  return `${sign === undefined ? '' : '-'}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

const YEAR_FIRST: readonly DatePart[] = ['year', 'month', 'day'];
const DAY_FIRST: readonly DatePart[] = ['day', 'month', 'year'];

/**
 * Returns the date as `YYYY-MM-DD`, or `null`. Years have four digits, and can be the first
 * part. Other dates with dots begin with the day in every locale, and the rest have the order of the
 * locale.
 */
export function readDate(text: string, { dateOrder }: LocaleForms): string | null {
  const trimmed = text.trim();
  if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return isDay(trimmed) ? trimmed : null;
  const match = /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})\.?$/.exec(trimmed);
  if (!match) return null;
  const [, first = '', separator, second, third] = match;
  const parts = [first, second, third];
  const ownOrder = separator === '.' ? DAY_FIRST : dateOrder;
  const order = first.length === 4 ? YEAR_FIRST : ownOrder;
  const part = (name: DatePart): string => parts[order.indexOf(name)] ?? '';
  const iso = `${part('year')}-${part('month').padStart(2, '0')}-${part('day').padStart(2, '0')}`;
  return /^\d{4}-\d{2}-\d{2}$/.test(iso) && isDay(iso) ? iso : null;
}

/** Returns the time in RFC 3339, or `null`. Without an offset, it is in UTC, as the grid shows it. */
export function readDatetime(text: string, forms: LocaleForms): string | null {
  const trimmed = text.trim();
  const match =
    /^(.+?)(?:[Tt]|,?\s+)(\d{1,2}:\d{2})(:\d{2}(?:[.]\d{1,9})?)?\s*([Zz]|[+-]\d{2}:\d{2})?$/.exec(
      trimmed,
    );
  if (!match) return null;
  const [, day = '', minutes = '', seconds = ':00', offset = 'Z'] = match;
  const date = readDate(day, forms);
  return date === null ? null : `${date}T${minutes.padStart(5, '0')}${seconds}${offset}`;
}
