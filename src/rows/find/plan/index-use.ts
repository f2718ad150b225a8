import { isUnbounded } from '../../../datagrids/column-type/value-class';
import { hasIndex } from '../../../datagrids/column/column-record';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { MAX_INDEXED_CHARACTERS } from '../../index/index-sql';
import { textOf } from '../filter/value-sql';
import type { ComparisonFilter, Filter, MembershipFilter, Operator } from '../filter/filter';

export type IndexCondition = ComparisonFilter | MembershipFilter;

/** A filter in two parts: conditions that a column's index decides exactly, and those on rows. */
export interface IndexUse {
  readonly column: SchemaColumn;
  readonly conditions: readonly IndexCondition[];
  readonly rest: Filter;
}

/** Expected selectivity of an operator: higher is better. Operators not listed use no index. */
const SELECTIVITY: Readonly<Partial<Record<Operator, number>>> = {
  $eq: 3,
  $in: 2,
  $startsWith: 1,
  $gt: 1,
  $gte: 1,
  $lt: 1,
  $lte: 1,
};

/** Returns the index that serves a filter best, or `null` if none does. */
export function indexUse(filter: Filter): IndexUse | null {
  const parts = conjuncts(filter);
  const usable = parts.filter(isUsable);
  const [best] = [...usable].sort((a, b) => selectivity(b) - selectivity(a));
  if (!best) return null;
  const isServed = (part: Filter): part is IndexCondition =>
    isUsable(part) && part.column === best.column;
  return {
    column: best.column,
    conditions: parts.filter(isServed),
    rest: { kind: 'and', parts: parts.filter((part) => !isServed(part)) },
  };
}

/** Returns the conditions of which all must match. */
function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.parts.flatMap(conjuncts) : [filter];
}

function isUsable(filter: Filter): filter is IndexCondition {
  if (filter.kind !== 'comparison' && filter.kind !== 'membership') return false;
  if (!hasIndex(filter.column) || selectivity(filter) === 0) return false;
  const operands = filter.kind === 'membership' ? filter.operands : [filter.operand];
  // Long values are truncated in the index. Comparisons with them are exact only for operands
  // shorter than the truncated length.
  return (
    !isUnbounded(filter.column.type) ||
    operands.every((operand) => textOf(operand).length < MAX_INDEXED_CHARACTERS)
  );
}

function selectivity({ operator }: IndexCondition): number {
  return SELECTIVITY[operator] ?? 0;
}
