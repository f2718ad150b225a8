import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { SqlParameters } from '../filter/sql-parameters';
import { operandSql } from '../filter/value-sql';
import type { SortKey } from '../sort/sort';
import type { CursorPosition } from './cursor';

/**
 * Returns the condition for the rows after a position. A row comes after it if its value of the
 * first key is greater (less, if the key is descending), or equal while the next key is greater,
 * and so on down to the id. Rows without a value come last.
 * @param id SQL of a row's id.
 * @param valueOf Returns the SQL of a row's value in a column.
 */
export function afterSql(
  sort: readonly SortKey[],
  { values, rowId }: CursorPosition,
  parameters: SqlParameters,
  id: string,
  valueOf: (column: SchemaColumn) => string,
): string {
  return sort.reduceRight(
    (later, key, index) => {
      const value = values[index] ?? null;
      const own = valueOf(key.column);
      if (value === null) return `(${own} IS NULL AND ${later})`;
      const other = operandSql(key.column, value, parameters);
      const sign = key.isDescending ? '<' : '>';
      return `(${own} ${sign} ${other} OR ${own} IS NULL OR (${own} = ${other} AND ${later}))`;
    },
    `${id} > ${parameters.add(rowId, 'bigint')}`,
  );
}
