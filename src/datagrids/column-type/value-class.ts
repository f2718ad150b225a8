import type { ColumnType } from './column-type';

/**
 * How values of a type compare: as `text` by code point, as exact `number`s, only as equal, or
 * not at all. Dates and times are stored so that their text compares as they do.
 */
export type ValueClass = 'text' | 'number' | 'equality' | 'json';

const CLASSES: Readonly<Record<ColumnType, ValueClass>> = {
  text: 'text',
  email: 'text',
  url: 'text',
  date: 'text',
  datetime: 'text',
  integer: 'number',
  number: 'number',
  decimal: 'number',
  select: 'text',
  boolean: 'equality',
  multiSelect: 'json',
  json: 'json',
};

export function valueClass(type: ColumnType): ValueClass {
  return CLASSES[type];
}

/** Whether values of the type can stand in an index, and so whether rows can be sorted by them. */
export function isComparable(type: ColumnType): boolean {
  return valueClass(type) !== 'json';
}

/** Whether values of the type may be of any length, so that an index holds only their beginning. */
export function isUnbounded(type: ColumnType): boolean {
  return type === 'text' || type === 'email' || type === 'url';
}
