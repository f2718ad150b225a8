import type { ColumnType } from '../../../datagrids/column-type/column-type';
import type { Operator } from './filter';

/** How values of a type compare: as text by code point, as exact numbers, or only as equal. */
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

const EQUALITY = ['$eq', '$ne', '$in', '$nin', '$isNull'] as const;
const ORDER = ['$gt', '$gte', '$lt', '$lte'] as const;
const SEARCH = ['$contains', '$startsWith'] as const;

/** The operators that fit a column of a type. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  switch (type) {
    case 'text':
    case 'email':
    case 'url':
      return [...EQUALITY, ...ORDER, ...SEARCH];
    case 'integer':
    case 'number':
    case 'decimal':
    case 'date':
    case 'datetime':
      return [...EQUALITY, ...ORDER];
    case 'select':
    case 'boolean':
      return EQUALITY;
    case 'multiSelect':
      return ['$contains', '$isNull'];
    case 'json':
      return ['$isNull'];
  }
}

/** Whether rows can be sorted by a column of the type. */
export function isSortable(type: ColumnType): boolean {
  return valueClass(type) !== 'json';
}
