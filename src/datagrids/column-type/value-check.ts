import { isEmail } from 'class-validator';
import { isExactNumber, JSON_NUMBER } from '../../common/json/scan-json';
import type { JsonValue } from '../../common/json/token-reader';
import {
  accept,
  type Checked,
  type ColumnOptions,
  reject,
  type ValueCheck,
  type ValueConversion,
  type StoredJsonType,
} from './descriptor';

/** Returns the check of a `select` value: one of the choices. */
export function selectCheck({ choices = [] }: ColumnOptions): ValueCheck {
  const known = new Set<unknown>(choices);
  return (value) => {
    if (typeof value !== 'string') {
      return reject('wrong_type', "must be a string, one of the column's choices");
    }
    return known.has(value)
      ? accept(value)
      : reject('not_a_choice', "must be one of the column's choices");
  };
}

/**
 * Returns the check of a `multiSelect` value: an array of distinct choices in the order sent. An
 * empty array is a value too.
 */
export function multiSelectCheck({ choices = [] }: ColumnOptions): ValueCheck {
  const known = new Set<unknown>(choices);
  return (value) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      return reject('wrong_type', "must be an array of the column's choices");
    }
    if (!value.every((item) => known.has(item))) {
      return reject('not_a_choice', "must contain only the column's choices");
    }
    return new Set(value).size === value.length
      ? accept(value)
      : reject('duplicate_choice', 'must not contain a choice twice');
  };
}

/** Checks an integer that a double represents exactly: from -(2^53 - 1) to 2^53 - 1. */
export function checkInteger(value: unknown): Checked {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return reject('wrong_type', INTEGER_RANGE);
  }
  return Number.isSafeInteger(value)
    ? accept(withoutMinusZero(value))
    : reject('out_of_range', INTEGER_RANGE);
}

/** Checks a finite double. */
export function checkNumber(value: unknown): Checked {
  return typeof value === 'number' && Number.isFinite(value)
    ? accept(withoutMinusZero(value))
    : reject('wrong_type', 'must be a number');
}

/** Checks the id of a row. Whether the row exists is checked under the lock of the datagrid. */
export function checkLink(value: unknown): Checked {
  return isRowId(value) ? accept(value) : reject('wrong_type', 'must be the id of a row');
}

/** Rejects every value of a column whose values are computed. */
export function checkComputed(): Checked {
  return reject('read_only', 'is computed; leave it out');
}

/** Maximum number of rows that one value links to. */
export const MAX_LINKS = 200;

/** Checks an array of distinct ids of rows, in the order sent. An empty array is a value too. */
export function checkLinks(value: unknown): Checked {
  if (!Array.isArray(value) || !value.every(isRowId)) {
    return reject('wrong_type', 'must be an array of IDs of rows');
  }
  if (value.length > MAX_LINKS) return reject('out_of_range', 'must contain at most 200 IDs');
  return new Set(value).size === value.length
    ? accept(value)
    : reject('duplicate_link', 'must not contain an ID twice');
}

const isRowId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

const INTEGER_RANGE = 'must be an integer between -9007199254740991 and 9007199254740991';

/**
 * Replaces -0 with 0: neither JSON as JavaScript prints it nor `jsonb` has -0. Both are equal, so
 * no value is lost.
 */
function withoutMinusZero(value: number): number {
  return value === 0 ? 0 : value;
}

/** Checks a string. Stored as sent, without trimming. */
export function checkText(value: unknown): Checked {
  return typeof value === 'string' ? accept(value) : reject('wrong_type', 'must be a string');
}

export function checkBoolean(value: unknown): Checked {
  return typeof value === 'boolean' ? accept(value) : reject('wrong_type', 'must be true or false');
}

/** Checks any JSON value. Arrays and objects may contain null. */
export function checkJson(value: unknown): Checked {
  const isJson =
    typeof value === 'number' ? Number.isFinite(value) : JSON_TYPES.includes(typeof value);
  return isJson ? accept(value as JsonValue) : reject('wrong_type', 'must be a JSON value');
}

const JSON_TYPES: readonly string[] = ['string', 'boolean', 'object'];

/** Checks an operand of a filter on a `multiSelect` column: one of the choices. */
export function checkChoice(operand: unknown, { choices }: ColumnOptions): Checked {
  if (typeof operand !== 'string') return reject('wrong_type', 'must be a string');
  return choices?.includes(operand) === true
    ? accept(operand)
    : reject('not_a_choice', "must be one of the column's choices");
}

/** Maximum number of digits of a decimal. */
export const MAX_DIGITS = 38;
const MAX_FRACTION_DIGITS = 18;
/** Includes a sign, a decimal point, and a zero before the point. */
export const MAX_DECIMAL_LENGTH = MAX_DIGITS + 3;

const DECIMAL = /^-?(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Checks a decimal number in a string, such as "-12.50": plain notation without a plus sign, an
 * exponent or leading zeros. Up to 38 digits, of which up to 18 after the decimal point. A single
 * zero before the point is not counted. Stored exactly as sent, including trailing zeros and the
 * sign of zero.
 */
export function checkDecimal(value: unknown): Checked {
  if (typeof value !== 'string') {
    return reject('wrong_type', 'must be a string containing a decimal number, such as "12.50"');
  }
  const match = DECIMAL.exec(value);
  if (!match) {
    return reject('invalid_format', 'must be a decimal number in plain notation, such as "12.50"');
  }
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > MAX_FRACTION_DIGITS) {
    return reject('excess_precision', 'must have at most 18 digits after the decimal point');
  }
  const digits = (whole === '0' ? 0 : whole.length) + fraction.length;
  return digits > MAX_DIGITS
    ? reject('out_of_range', 'must have at most 38 digits in total')
    : accept(value);
}

/** Checks an operand of a filter on a `decimal` column. It can also be a number. */
export function checkDecimalOperand(operand: unknown): Checked {
  return typeof operand === 'number' ? accept(operand) : checkDecimal(operand);
}

export const MAX_EMAIL_LENGTH = 320;
export const MAX_URL_LENGTH = 8_192;

/** White space and control characters, which the URL parser and quoted local parts accept. */
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/** Checked before parsing, because the parser silently repairs `http:host` and `http:///host`. */
const HTTP_WITH_HOST = /^https?:\/\/[^/\\?#]/i;

/**
 * Matches most addresses in use, all far below the length limits. `isEmail` takes 30 times as long.
 */
const USUAL_EMAIL = /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}$/i;
const USUAL_EMAIL_LENGTH = 64;

/** Checks one address, `local@domain`, of up to 320 characters. Stored as sent. */
export function checkEmail(value: unknown): Checked {
  if (typeof value !== 'string')
    return reject('wrong_type', 'must be a string containing an email address');
  if (value.length <= USUAL_EMAIL_LENGTH && USUAL_EMAIL.test(value)) return accept(value);
  if (value.length > MAX_EMAIL_LENGTH) {
    return reject('out_of_range', 'must have at most 320 characters');
  }
  return !SPACE_OR_CONTROL.test(value) && isEmail(value)
    ? accept(value)
    : reject('invalid_format', 'must be one email address, such as "ada@example.com"');
}

/** Checks an http or https URL (WHATWG URL Standard) of up to 8,192 characters. Stored as sent. */
export function checkUrl(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', 'must be a string containing a URL');
  if (value.length > MAX_URL_LENGTH) {
    return reject('out_of_range', 'must have at most 8192 characters');
  }
  const isUrl = HTTP_WITH_HOST.test(value) && !SPACE_OR_CONTROL.test(value) && URL.canParse(value);
  return isUrl
    ? accept(value)
    : reject('invalid_format', 'must be an http or https URL, such as "https://example.com/a"');
}

const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/** The normal form, with a day that every month has. It needs no further check. */
const USUAL_DATETIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const DATETIME_FORM =
  'must be an RFC 3339 timestamp with an offset, such as "2024-02-29T13:45:00.000Z"';

/**
 * Checks an RFC 3339 timestamp with any offset, and normalizes it to UTC with milliseconds,
 * `YYYY-MM-DDTHH:mm:ss.sssZ`. Rejects nonzero digits after the milliseconds, and leap seconds,
 * because columns cannot store them. The year in UTC is 0001 to 9999.
 */
export function checkDatetime(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', DATETIME_FORM);
  if (USUAL_DATETIME.test(value)) return accept(value);
  const match = DATETIME.exec(value);
  if (!match) return reject('invalid_format', DATETIME_FORM);
  const [year, month, day, hour, minute, second] = match.slice(1, 7) as SixTexts;
  const [fraction = '', sign = '+', offsetHour = '00', offsetMinute = '00'] = match.slice(7);
  if (!isRealDay(Number(year), Number(month), Number(day))) {
    return reject('out_of_range', 'must contain an existing date');
  }
  if (!isClock(hour, minute) || Number(second) > 59) {
    return reject('out_of_range', 'must contain a time of day from 00:00:00 to 23:59:59');
  }
  if (!isClock(offsetHour, offsetMinute)) {
    return reject('out_of_range', 'must contain an offset from -23:59 to +23:59');
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

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Dates with a day that every month has, and a year other than 0000. They need no further check.
 */
const USUAL_DATE = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

/** Checks a date, `YYYY-MM-DD`, in the years 0001 to 9999 of the proleptic Gregorian calendar. */
export function checkDate(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', DATE_FORM);
  if (USUAL_DATE.test(value)) return accept(value);
  const match = DATE.exec(value);
  if (!match) return reject('invalid_format', DATE_FORM);
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  return year >= 1 && isRealDay(year, month, day)
    ? accept(value)
    : reject('out_of_range', 'must be an existing date in the years 0001 to 9999');
}

const DATE_FORM = 'must be a date in the format YYYY-MM-DD, such as "2024-02-29"';

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Returns whether the date exists in the proleptic Gregorian calendar. Months and days count from
 * 1.
 */
function isRealDay(year: number, month: number, day: number): boolean {
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Keeps a string, and makes any other value its JSON text. */
export const convertToText: ValueConversion = (text) => text;

/** Accepts white space around a number in the notation of JSON. `true` is 1 and `false` is 0. */
export const convertToNumber: ValueConversion = (text, jsonType) => {
  const number = numberText(text, jsonType);
  // Leading zeros, as in postal codes, are no JSON number: they would be lost.
  return JSON_NUMBER.test(number) && isExactNumber(number) ? Number(number) : undefined;
};

/** Keeps the digits, such as those of 1.50. */
export const convertToDecimal: ValueConversion = numberText;

function numberText(text: string, jsonType: StoredJsonType): string {
  if (jsonType === 'boolean') return text === 'true' ? '1' : '0';
  return text.trim();
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Reads true, yes and 1, false, no and 0, in any case. */
export const convertToBoolean: ValueConversion = (text) => TRUTHS.get(text.trim().toLowerCase());

/** Reads a date. A timestamp is one only at midnight UTC: otherwise its time would be lost. */
export const convertToDate: ValueConversion = (text) => {
  const trimmed = text.trim();
  const checked = /Z$/i.test(trimmed) ? checkDatetime(trimmed) : null;
  if (!checked?.ok || typeof checked.value !== 'string') return trimmed;
  const [date = '', time] = checked.value.split('T');
  return time === '00:00:00.000Z' ? date : undefined;
};

/** Reads a timestamp with an offset. A date becomes midnight UTC. */
export const convertToDatetime: ValueConversion = (text) => {
  const trimmed = text.trim();
  return checkDate(trimmed).ok ? `${trimmed}T00:00:00.000Z` : trimmed;
};

/** Removes white space around a text. */
export const convertTrimmed: ValueConversion = (text) => text.trim();

/** Reads a choice, with or without white space around it. A list of one choice is that choice. */
export const convertToSelect: ValueConversion = (text, jsonType, { choices = [] }) => {
  const item = jsonType === 'array' ? onlyItem(text) : text;
  if (item === undefined) return undefined;
  return choices.includes(item) ? item : item.trim();
};

/**
 * Reads a JSON array, a choice, or choices separated by commas. A blank text has no choice and is
 * not a list.
 */
export const convertToMultiSelect: ValueConversion = (text, jsonType, { choices = [] }) => {
  const items = jsonType === 'string' ? undefined : jsonItems(text);
  if (items) return [...items];
  if (choices.includes(text)) return [text];
  const trimmed = text.trim();
  if (choices.includes(trimmed)) return [trimmed];
  const parsed = trimmed.startsWith('[') ? jsonItems(trimmed) : undefined;
  if (parsed) return [...parsed];
  return trimmed === '' ? undefined : trimmed.split(',').map((part) => part.trim());
};

function onlyItem(json: string): string | undefined {
  const items = jsonItems(json);
  return items?.length === 1 ? items[0] : undefined;
}

/** Returns the strings of a JSON array; `undefined` if the text is not an array of strings. */
function jsonItems(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return isList ? value : undefined;
  } catch {
    return undefined;
  }
}
