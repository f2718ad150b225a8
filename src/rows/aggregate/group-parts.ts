import { COLUMN_TYPES, ignoresCase } from '../../datagrids/column-type/column-type';
import type { Aggregate, GroupKey } from './aggregate-request';

/**
 * What PostgreSQL needs to print a result that a columnar copy has computed, as text. `value`: the value;
 * for an average the sum; for a text that is compared without its case, the text in lower case.
 * `written`: such a text as it was written. `scale`: the most digits after the point that a value of the
 * group was written with. `count`: the number of values.
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
