import { valueClass } from '../../../datagrids/column-type/value-class';
import type { SqlParameters } from '../filter/sql-parameters';
import { operandSql, textOf } from '../filter/value-sql';
import type { IndexCondition } from './index-use';

const SIGNS: Readonly<Record<string, string>> = {
  $eq: '=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
};

const LAST_CODE_POINT = 0x10ffff;

/** Returns a condition on index entry `e` that its primary key serves. */
export function indexConditionSql(condition: IndexCondition, parameters: SqlParameters): string {
  const { column } = condition;
  if (condition.kind === 'membership') {
    const type = valueClass(column.type) === 'number' ? 'numeric[]' : 'text[]';
    return `e.value = ANY(${parameters.add(condition.operands.map(String), type)})`;
  }
  const { operator, operand } = condition;
  if (operator !== '$startsWith') {
    return `e.value ${SIGNS[operator] ?? '='} ${operandSql(column, operand, parameters)}`;
  }
  const from = `e.value >= ${operandSql(column, operand, parameters)}`;
  const end = textAfter(textOf(operand));
  return end === null ? from : `${from} AND e.value < ${operandSql(column, end, parameters)}`;
}

/** Returns the first text, by code point, after all that start with `prefix`; `null` for none. */
export function textAfter(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Skips the surrogate code points, which are not characters.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return String.fromCodePoint(...points);
}
