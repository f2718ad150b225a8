import type { ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { OWN_FORMS, readDate, readDatetime, readNumber, type LocaleForms } from './locale-forms';

type Reader = (typed: string, forms: LocaleForms) => string | null;

const READERS: Readonly<Partial<Record<ColumnType, Reader>>> = {
  integer: readNumber,
  number: readNumber,
  decimal: readNumber,
  date: readDate,
  datetime: readDatetime,
};

/**
 * Returns an input in the form of the API, if it has the form of the reader's locale, such as
 * `1.234,5` or `21.11.2026`. Other inputs stay as they are, and the service checks them.
 */
export function unlocalized(
  { type }: Pick<Column, 'type'>,
  typed: string,
  forms: LocaleForms = OWN_FORMS,
): string {
  return READERS[type]?.(typed, forms) ?? typed;
}

/** Returns an input as the value of a date picker: the date, or the time in UTC to the second. */
export function pickerValue(type: 'date' | 'datetime', typed: string): string {
  const iso = unlocalized({ type }, typed);
  if (type === 'date') return /^\d{4}-\d{2}-\d{2}$/.test(iso) ? iso : '';
  const time = Date.parse(iso);
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 19);
}

/** Returns the value of a date picker as an input. Times are in UTC, as the grid shows them. */
export function pickedDate(type: 'date' | 'datetime', value: string): string {
  if (type === 'date' || value === '') return value;
  return /T\d{2}:\d{2}$/.test(value) ? `${value}:00Z` : `${value}Z`;
}
