import type { ColumnType } from '../../../datagrids/column-type/column-type';
import type { Operator } from './filter';

const EQUALITY = ['$eq', '$ne', '$in', '$nin', '$isNull'] as const;
const ORDER = ['$gt', '$gte', '$lt', '$lte'] as const;
const SEARCH = ['$contains', '$startsWith'] as const;

/** Returns the operators that a column type supports. */
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
