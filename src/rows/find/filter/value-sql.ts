import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { valueClass } from '../../../datagrids/column-type/value-class';
import type { SqlParameters } from './sql-parameters';

/**
 * The value of a column in row `r`, in the SQL type that its values compare as: exact numbers,
 * or text by code point. NULL where the row has none.
 */
export function valueSql({ type, slot }: SchemaColumn, parameters: SqlParameters): string {
  const text = `(r."values" ->> ${parameters.add(slot, 'text')})`;
  return valueClass(type) === 'number' ? `${text}::numeric` : `${text} COLLATE "C"`;
}

/** An operand as the text of its value: what a column holds is a string, a number or a flag. */
export function textOf(operand: unknown): string {
  return typeof operand === 'string' ? operand : JSON.stringify(operand);
}

/** A value to compare it with. Dates and times are stored so that their text compares as they do. */
export function operandSql(
  { type }: SchemaColumn,
  operand: unknown,
  parameters: SqlParameters,
): string {
  return parameters.add(textOf(operand), valueClass(type) === 'number' ? 'numeric' : 'text');
}

/** Text without its case, in any language, also where the database's own locale is C. */
export const withoutCase = (text: string): string => `lower(${text} COLLATE "und-x-icu")`;
