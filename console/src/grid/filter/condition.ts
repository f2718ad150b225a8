import { COLUMN_TYPES, type ColumnType, type OperatorGroup } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { objectOf, typedJson } from '../values/typed-value';

/** One condition of the filter dialog, with its value as typed. */
export interface Condition {
  readonly key: string;
  readonly operator: Operator;
  /** For `$in`, one value per line. Empty for operators without a value. */
  readonly typed: string;
}

/** Labels of the operators. */
export const OPERATOR_LABELS = {
  $eq: 'is',
  $ne: 'is not',
  $in: 'is one of',
  $gt: 'is more than',
  $gte: 'is at least',
  $lt: 'is less than',
  $lte: 'is at most',
  $contains: 'contains',
  $startsWith: 'starts with',
  empty: 'has no value',
  notEmpty: 'has a value',
};

export type Operator = keyof typeof OPERATOR_LABELS;

/** The operators of each group, of which a column type offers some. */
const OPERATORS: Readonly<Record<OperatorGroup, readonly Operator[]>> = {
  search: ['$contains', '$startsWith'],
  equality: ['$eq', '$ne'],
  list: ['$in'],
  order: ['$gt', '$gte', '$lt', '$lte'],
  choice: ['$contains'],
  presence: ['empty', 'notEmpty'],
};

/** Operators of a column type, the most common first. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  return COLUMN_TYPES[type].operators.flatMap((group) => OPERATORS[group]);
}

export const takesNoValue = (operator: Operator): boolean => OPERATORS.presence.includes(operator);

/**
 * Returns the `filter` parameter of the API. Digits are kept as typed.
 * @returns `undefined` if there are no conditions.
 */
export function filterJson(
  conditions: readonly Condition[],
  columns: readonly Column[],
): string | undefined {
  const parts = conditions.flatMap((condition) => {
    const column = columns.find(({ key }) => key === condition.key);
    return column ? [objectOf(new Map([[column.key, conditionJson(column, condition)]]))] : [];
  });
  if (parts.length < 2) return parts[0];
  return `{"$and":[${parts.join(',')}]}`;
}

function conditionJson(column: Column, { operator, typed }: Condition): string {
  if (takesNoValue(operator)) return `{"$isNull":${String(operator === 'empty')}}`;
  const list = operator === '$in' ? typed.split('\n').filter((line) => line !== '') : [];
  const json =
    operator === '$in'
      ? `[${list.map((line) => valueJson(column, line)).join(',')}]`
      : valueJson(column, typed);
  return objectOf(new Map([[operator, json]]));
}

/** Returns an operand as JSON. A `multiSelect` is compared with one choice, not with a list. */
function valueJson(column: Column, typed: string): string {
  const type = column.type === 'multiSelect' ? 'text' : column.type;
  const result = typedJson({ type }, typed);
  return result.ok ? result.json : JSON.stringify(typed);
}
