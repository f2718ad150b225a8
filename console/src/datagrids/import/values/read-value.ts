import { datagridsText } from '../../../text/datagrids-text';
import type { Column } from '../../datagrid';
import type { ColumnType } from '../../column-type';
import { readDate, readDatetime, type DateOrder } from './read-date';
import { readNumber, type DecimalMark } from './read-number';

/** How the numbers and dates of a file are written. */
export interface ValueFormats {
  readonly mark: DecimalMark;
  readonly order: DateOrder;
}

/** A column that cells are read for. */
export type ReadColumn = Pick<Column, 'type' | 'options'>;

const YES = /^(?:true|yes|y|1|ja|oui|wahr|vrai|sí|si)$/i;
const NO = /^(?:false|no|n|0|nein|non|falsch|faux)$/i;
/** The service rejects addresses whose host has no dot, too. */
const EMAIL = /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]{2,}$/;
const URL_WITH_HOST = /^https?:\/\/[^/\\?#\s]\S*$/i;
/** Largest integer that the API stores: 2⁵³ − 1. */
const MAX_INTEGER = '9007199254740991';

/** Returns the JSON of a cell for a column, or undefined if the cell does not fit its type. */
export function readValue(
  text: string,
  { type, options }: ReadColumn,
  formats: ValueFormats,
): string | undefined {
  switch (type) {
    case 'integer':
    case 'link':
    case 'autonumber':
      return asInteger(readNumber(text, formats.mark));
    case 'number':
      return asNumber(readNumber(text, formats.mark));
    case 'decimal':
      return asDecimal(readNumber(text, formats.mark));
    case 'boolean':
      return YES.test(text.trim()) ? 'true' : NO.test(text.trim()) ? 'false' : undefined;
    case 'date':
      return quoted(readDate(text, formats.order));
    case 'datetime':
      return quoted(readDatetime(text, formats.order));
    case 'select':
      return options.choices?.includes(text) ? JSON.stringify(text) : undefined;
    case 'createdBy':
    case 'updatedBy':
      return JSON.stringify(text);
    case 'multiSelect':
    case 'multiLink':
    case 'json':
      return asJson(text);
    case 'lookup':
    case 'count':
      return undefined;
    case 'email':
      return EMAIL.test(text) ? JSON.stringify(text) : undefined;
    case 'url':
      return URL_WITH_HOST.test(text) && URL.canParse(text) ? JSON.stringify(text) : undefined;
    case 'text':
      return JSON.stringify(text);
  }
}

/** Says what a cell of a type must look like. */
export function expectedFor(type: ColumnType): string {
  return datagridsText.expected[type];
}

const quoted = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : JSON.stringify(text);

function asInteger(digits: string | undefined): string | undefined {
  const whole = digits === undefined ? undefined : /^(-?)(\d+)(?:\.0+)?$/.exec(digits);
  const amount = whole?.[2];
  if (amount === undefined) return undefined;
  const isLarge =
    amount.length > MAX_INTEGER.length ||
    (amount.length === MAX_INTEGER.length && amount > MAX_INTEGER);
  return isLarge ? undefined : amount === '0' ? '0' : `${whole?.[1] ?? ''}${amount}`;
}

/** Returns the digits if a 64-bit double keeps all of them. */
function asNumber(digits: string | undefined): string | undefined {
  if (digits === undefined) return undefined;
  const kept = readNumber(String(Number(digits)), '.');
  return kept !== undefined && significant(kept) === significant(digits) ? digits : undefined;
}

const significant = (digits: string): string =>
  (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits).replace(/^-(?=0$)/, '');

function asDecimal(digits: string | undefined): string | undefined {
  if (digits === undefined) return undefined;
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const isFit = fraction.length <= 18 && whole.replace(/^0$/, '').length + fraction.length <= 38;
  return isFit ? JSON.stringify(digits) : undefined;
}

/** Returns the text itself, so that its numbers keep their digits. Line ends are only whitespace. */
function asJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return text.replace(/[\r\n]+/g, ' ');
  } catch {
    return undefined;
  }
}
