import type { Column, ColumnType } from '../../datagrids/datagrid';
import { objectOf, typedJson } from '../values/typed-value';

export type Operator =
  | '$eq'
  | '$ne'
  | '$in'
  | '$gt'
  | '$gte'
  | '$lt'
  | '$lte'
  | '$contains'
  | '$startsWith'
  | 'empty'
  | 'notEmpty';

/** One condition as a person has set it up. Its value is what was typed. */
export interface Condition {
  readonly key: string;
  readonly operator: Operator;
  /** For `$in`, one value a line. Nothing for those of `takesNoValue`. */
  readonly typed: string;
}

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
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

const EQUAL: readonly Operator[] = ['$eq', '$ne'];
const EMPTY: readonly Operator[] = ['empty', 'notEmpty'];
const ORDER: readonly Operator[] = ['$gt', '$gte', '$lt', '$lte'];
const TEXT: readonly Operator[] = ['$contains', '$startsWith'];

/** What a column can be asked by, the most usual first. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  switch (type) {
    case 'text':
      return [...TEXT, ...EQUAL, '$in', ...ORDER, ...EMPTY];
    case 'email':
    case 'url':
      return [...TEXT, ...EQUAL, '$in', ...EMPTY];
    case 'integer':
    case 'number':
    case 'decimal':
    case 'date':
    case 'datetime':
      return [...EQUAL, ...ORDER, '$in', ...EMPTY];
    case 'select':
      return [...EQUAL, '$in', ...EMPTY];
    case 'boolean':
      return [...EQUAL, ...EMPTY];
    case 'multiSelect':
      return ['$contains', ...EMPTY];
    case 'json':
      return EMPTY;
  }
}

export const takesNoValue = (operator: Operator): boolean => EMPTY.includes(operator);

/**
 * The API's `filter`, as the text that is sent: digits stay as they were typed.
 *
 * @returns `undefined` where there is nothing to ask.
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

/** One choice of a `multiSelect` is asked for, not a list of them. */
function valueJson(column: Column, typed: string): string {
  const type = column.type === 'multiSelect' ? 'text' : column.type;
  const result = typedJson({ type }, typed);
  return result.ok ? result.json : JSON.stringify(typed);
}
