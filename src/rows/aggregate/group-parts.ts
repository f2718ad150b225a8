import { COLUMN_TYPES, ignoresCase } from '../../datagrids/column-type/column-type';
import type { Aggregate, GroupKey } from './aggregate-request';

/**
 * A part of a result from which PostgreSQL prints it. `value`: the value as text; the sum for an average;
 * the lower-case text if the column ignores case. `written`: that text as written. `scale`: the maximum
 * number of digits after the point in the group. `count`: the number of values.
 */
export type GroupPart = 'value' | 'written' | 'scale' | 'count';

export function partsOfGroup({ column, bucket }: GroupKey): readonly GroupPart[] {
  return bucket === null ? partsOfValue(column) : ['value'];
}

export function partsOfAggregate({ function: applied, column }: Aggregate): readonly GroupPart[] {
  if (!column) return ['value'];
  switch (applied) {
    case 'count':
    case 'countDistinct':
      return ['value'];
    case 'sum':
      return COLUMN_TYPES[column.type].isDecimalText ? ['value', 'scale'] : ['value'];
    case 'avg':
      return ['value', 'scale', 'count'];
    case 'min':
    case 'max':
      return partsOfValue(column);
  }
}

function partsOfValue(column: GroupKey['column']): readonly GroupPart[] {
  if (ignoresCase(column)) return ['value', 'written'];
  return COLUMN_TYPES[column.type].isDecimalText ? ['value', 'scale'] : ['value'];
}
