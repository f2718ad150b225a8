import type {
  ColumnFilter,
  Comparison,
  ComparisonFilter,
  Filter,
  MembershipFilter,
} from './filter';
import { valueClass } from '../../../datagrids/column-type/value-class';
import type { SqlParameters } from './sql-parameters';
import { containsSql } from './text-search-sql';
import { operandSql, valueSql } from './value-sql';

const SIGNS: Readonly<Partial<Record<Comparison, string>>> = {
  $eq: '=',
  $ne: 'IS DISTINCT FROM',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
};

/** Returns a condition on row `r`. A row matches if it is true, but not if it is false or NULL. */
export function filterSql(filter: Filter, parameters: SqlParameters): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      if (filter.parts.length === 0) return filter.kind === 'and' ? 'true' : 'false';
      const parts = filter.parts.map((part) => filterSql(part, parameters));
      return `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      // NULL does not match, so a row without a value matches the negated condition.
      return `(${filterSql(filter.part, parameters)}) IS NOT TRUE`;
    case 'null':
    case 'membership':
    case 'comparison':
      return columnSql(filter, parameters);
  }
}

function columnSql(filter: ColumnFilter, parameters: SqlParameters): string {
  switch (filter.kind) {
    case 'null': {
      const has = `r."values" ? ${parameters.add(filter.column.slot, 'text')}`;
      return filter.isNull ? `NOT (${has})` : has;
    }
    case 'membership':
      return membershipSql(filter, parameters);
    case 'comparison':
      return comparisonSql(filter, parameters);
  }
}

function comparisonSql(filter: ComparisonFilter, parameters: SqlParameters): string {
  const { column, operator, operand } = filter;
  if (column.type === 'multiSelect') {
    const list = `r."values" -> ${parameters.add(column.slot, 'text')}`;
    return `(${list}) ? ${parameters.add(operand, 'text')}`;
  }
  const value = valueSql(column, parameters);
  const other = operandSql(column, operand, parameters);
  if (operator === '$startsWith') return `starts_with(${value}, ${other})`;
  if (operator === '$contains') return containsSql(value, other);
  return `${value} ${SIGNS[operator] ?? '='} ${other}`;
}

function membershipSql(filter: MembershipFilter, parameters: SqlParameters): string {
  const { column, operator, operands } = filter;
  const type = valueClass(column.type) === 'number' ? 'numeric[]' : 'text[]';
  const value = valueSql(column, parameters);
  const isAny = `${value} = ANY(${parameters.add(operands.map(String), type)})`;
  return operator === '$in' ? isAny : `(${isAny}) IS NOT TRUE`;
}
