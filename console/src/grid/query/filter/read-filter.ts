import type { Column } from '../../../datagrids/datagrid';
import { findColumn } from '../../../datagrids/previous-key';
import {
  conditionJson,
  operatorsOf,
  takesNoValue,
  type Condition,
  type Operator,
} from './condition';
import { isCondition, isGroup, type FilterGroup, type FilterPart } from './filter-group';
import { linkedKey, operatorsJson, ROW_OPERATOR } from './linked-columns';

type Json = Readonly<Record<string, unknown>>;

/** Returns a filter of the API as the filter dialog shows it. Nothing of it is lost. */
export function readFilter(filter: Json, columns: readonly Column[]): FilterGroup {
  const part = partOf(filter, columns);
  return isGroup(part) ? part : { match: 'all', parts: [part] };
}

/** Reads the JSON of a filter from an address. @returns `undefined` if it is not a filter. */
export function readFilterText(text: string, columns: readonly Column[]): FilterGroup | undefined {
  try {
    const filter: unknown = JSON.parse(text);
    return isObject(filter) ? readFilter(filter, columns) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the only part of an object, or all of its parts as a group. */
function partOf(filter: Json, columns: readonly Column[]): FilterPart {
  const parts = Object.entries(filter).flatMap(([name, value]) => partsOf(name, value, columns));
  const [only] = parts;
  return parts.length === 1 && only ? only : { match: 'all', parts };
}

function partsOf(name: string, value: unknown, columns: readonly Column[]): readonly FilterPart[] {
  if (name === '$and' || name === '$or') {
    const isList = Array.isArray(value) && value.length > 0 && value.every(isObject);
    if (!isList) return [{ json: JSON.stringify({ [name]: value }) }];
    const match = name === '$and' ? 'all' : 'any';
    return [{ match, parts: value.map((part) => partOf(part, columns)) }];
  }
  const column = findColumn(columns, name);
  if (!isObject(value) || Object.keys(value).length === 0) {
    return [
      (column && conditionOf(column, '$eq', value)) ?? { json: JSON.stringify({ [name]: value }) },
    ];
  }
  return Object.entries(value).map(
    ([operator, operand]) =>
      (operator === ROW_OPERATOR
        ? rowConditionOf(name, operand, columns)
        : column && conditionOf(column, operator, operand)) ?? {
        json: JSON.stringify({ [name]: { [operator]: operand } }),
      },
  );
}

/** Returns the only condition on linked rows; `null` if there are several, or others. */
function rowConditionOf(
  name: string,
  operand: unknown,
  columns: readonly Column[],
): Condition | null {
  const [only, ...others] = isObject(operand) ? Object.entries(operand) : [];
  if (!only || others.length > 0) return null;
  const [part, ...more] = partsOf(linkedKey(name, only[0]), only[1], columns);
  return part && more.length === 0 && isCondition(part) ? part : null;
}

/** Returns the condition that means exactly this operator with this operand; `null` if none does. */
function conditionOf(column: Column, name: string, operand: unknown): Condition | null {
  const { key } = column;
  if (name === '$isNull' && typeof operand === 'boolean')
    return { key, operator: operand ? 'empty' : 'notEmpty', typed: '' };
  const operator = operatorsOf(column.type).find((one): one is Operator => one === name);
  if (operator === undefined || takesNoValue(operator)) return null;
  const texts = (Array.isArray(operand) ? operand : [operand]).map(textOf);
  const condition = { key, operator, typed: texts.join('\n') };
  const json = conditionJson(column, condition);
  const isExact =
    JSON.stringify(JSON.parse(json)) === operatorsJson(key, JSON.stringify({ [name]: operand }));
  return isExact ? condition : null;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (operand: unknown): string =>
  typeof operand === 'string' ? operand : JSON.stringify(operand);
