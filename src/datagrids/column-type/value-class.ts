import type { ColumnType } from './column-type';

/**
 * How values of a type compare: `text` by code point, `number` exactly, `equality` for equality
 * only, `json` not at all. Dates and timestamps are stored in a form that sorts as text.
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

/** Whether values of the type can be indexed, and so whether rows can be sorted by them. */
export function isComparable(type: ColumnType): boolean {
  return valueClass(type) !== 'json';
}

/**
 * Whether values of the type have no length limit that fits an index entry, so that an index stores
 * only a prefix.
 */
export function isUnbounded(type: ColumnType): boolean {
  return type === 'text' || type === 'email' || type === 'url';
}
