import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { valueClass } from '../../../datagrids/column-type/value-class';
import type { SqlParameters } from './sql-parameters';

/**
 * Returns the value of a column in row `r`, in the SQL type in which its values are compared:
 * exact numbers, or text by code point. The value is NULL if the row has none.
 */
export function valueSql({ type, slot }: SchemaColumn, parameters: SqlParameters): string {
  const text = `(r."values" ->> ${parameters.add(slot, 'text')})`;
  return valueClass(type) === 'number' ? `${text}::numeric` : `${text} COLLATE "C"`;
}

/** Returns an operand as text. Comparable values are strings, numbers and booleans. */
export function textOf(operand: unknown): string {
  return typeof operand === 'string' ? operand : JSON.stringify(operand);
}

/**
 * Returns an operand to compare a column's value with. Dates and times are stored so that the
 * order of their text is their chronological order.
 */
export function operandSql(
  { type }: SchemaColumn,
  operand: unknown,
  parameters: SqlParameters,
): string {
  return parameters.add(textOf(operand), valueClass(type) === 'number' ? 'numeric' : 'text');
}

/** Returns text in lower case, for any language, even if the locale of the database is C. */
export const withoutCase = (text: string): string => `lower(${text} COLLATE "und-x-icu")`;
