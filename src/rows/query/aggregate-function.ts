import {
  COLUMN_TYPES,
  type ColumnType,
  isComparable,
  isComparedAsNumber,
  isComputed,
  isLink,
} from '../../datagrids/column-type/column-type';

/** Functions that compute one value of the values of a column in several rows. */
export const AGGREGATE_FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

/** Returns whether a function takes the values of columns of a type. */
export function takesType(applied: AggregateFunction, type: ColumnType): boolean {
  switch (applied) {
    case 'count':
      return !isComputed(type);
    case 'countDistinct':
      return isComparable(type);
    case 'sum':
    case 'avg':
      return isComparedAsNumber(type) && !isLink(type);
    case 'min':
    case 'max':
      return COLUMN_TYPES[type].operators.some((group) => group === 'order');
  }
}
