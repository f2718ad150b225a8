import { COLUMN_TYPES, type ColumnType, type OperatorGroup } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { objectOf, typedJson } from '../../cells/values/typed-value';
import { operatorsJson } from './linked-columns';

/** One condition of the filter dialog, with its value as typed. */
export interface Condition {
  readonly key: string;
  readonly operator: Operator;
  /** For `$in` and `$containsAny`, one value per line. Empty for operators without a value. */
  readonly typed: string;
}

/** Labels of the operators. */
export const OPERATOR_LABELS = gridText.operators;

export type Operator = keyof typeof OPERATOR_LABELS;

/** The operators of each group, of which a column type offers some. */
const OPERATORS: Readonly<Record<OperatorGroup, readonly Operator[]>> = {
  search: ['$contains', '$startsWith', '$endsWith'],
  equality: ['$eq', '$ne'],
  list: ['$in'],
  order: ['$gt', '$gte', '$lt', '$lte'],
  choice: ['$contains', '$containsAny'],
  presence: ['empty', 'notEmpty'],
};

/** Operators of a column type, the most common first. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  return COLUMN_TYPES[type].operators.flatMap((group) => OPERATORS[group]);
}

/** Returns whether an operator takes a list: one value per line. */
export const takesList = (operator: Operator): boolean =>
  operator === '$in' || operator === '$containsAny';

export const takesNoValue = (operator: Operator): boolean => OPERATORS.presence.includes(operator);

/** Returns the values of a condition, each as typed. */
export function typedValues({ operator, typed }: Condition): string[] {
  if (takesNoValue(operator)) return [];
  return takesList(operator) ? typed.split('\n').filter((line) => line !== '') : [typed];
}

/** Returns the JSON of a condition, as in the `filter` parameter of the API. Digits are kept as typed. */
export function conditionJson(column: Column, condition: Condition): string {
  const { operator } = condition;
  const values = typedValues(condition).map((typed) => valueJson(column, typed));
  const operand = takesList(operator) ? `[${values.join(',')}]` : values.join('');
  const operators = takesNoValue(operator)
    ? objectOf(new Map([['$isNull', String(operator === 'empty')]]))
    : objectOf(new Map([[operator, operand]]));
  return operatorsJson(column.key, operators);
}

/** Types whose values are lists, with the type of an item. */
const ITEM_TYPES: Readonly<Partial<Record<ColumnType, ColumnType>>> = {
  multiSelect: 'text',
  multiLink: 'link',
};

/** Returns an operand as JSON. A list is compared with one of its items. */
function valueJson(column: Column, typed: string): string {
  const type = ITEM_TYPES[column.type] ?? column.type;
  const result = typedJson({ type }, typed);
  return result.ok ? result.json : JSON.stringify(typed);
}
