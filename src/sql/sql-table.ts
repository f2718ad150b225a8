import {
  type CopyColumn,
  copyColumnOf,
  type CopyTable,
  decimalSql,
  valueName,
} from '../columnar/copy-table';
import type { DatagridSchema, SchemaColumn } from '../datagrids/schema/datagrid-schema';
import { quoted } from '../destinations/duckdb/duckdb-sql';

/** A table that a statement can read. */
export interface SqlTable {
  /** The datagrid's name in lower case, with `_` in place of other characters. */
  readonly name: string;
  readonly schema: DatagridSchema;
}

/** Returns how the copy of a table stores its columns. @param texts Ids of decimal columns that are texts. */
export function sqlColumns(
  { columns }: DatagridSchema,
  texts: ReadonlySet<number>,
): readonly CopyColumn[] {
  return [...columns.values()].map((column) => sqlColumn(column, texts));
}

function sqlColumn(column: SchemaColumn, texts: ReadonlySet<number>): CopyColumn {
  const copied = { ...copyColumnOf(column), isFolded: false };
  const { id, kind } = copied;
  if (kind === 'presence') return { ...copied, kind: 'json' };
  if (kind !== 'decimal') return copied;
  if (column.type === 'number') return { ...copied, kind: 'double', decimal: null };
  return texts.has(id) ? { ...copied, kind: 'text', decimal: null } : copied;
}

/** Returns the ids of decimal columns whose values no DECIMAL holds, so that the copy does not have them. */
export const unfitDecimals = ({ columns }: CopyTable): number[] =>
  [...columns.values()]
    .filter(({ kind, decimal }) => kind === 'decimal' && decimal === null)
    .map(({ id }) => id);

/** Returns the statement that shows a copy under the names that users know. */
export function viewSql({ name, schema }: SqlTable, copy: CopyTable): string {
  const columns = [...schema.columns.values()].flatMap(({ id, key }) => {
    const copied = copy.columns.get(id);
    return copied ? [`${shownSql(copied)} AS ${quoted(key)}`] : [];
  });
  const attributes = [
    'id AS _id',
    'revision AS _revision',
    'created_at AS "_createdAt"',
    'updated_at AS "_updatedAt"',
  ];
  return `CREATE OR REPLACE TEMP VIEW ${quoted(name)} AS
    SELECT ${[...attributes, ...columns].join(', ')} FROM ${copy.name}`;
}

function shownSql({ id, kind, decimal }: CopyColumn): string {
  const value = valueName(id);
  if (kind === 'json') return `CAST(${value} AS JSON)`;
  return decimal ? `CAST(${value} AS ${decimalSql(decimal)})` : value;
}
