import { type DatagridSchema, findColumn } from '../datagrids/schema/datagrid-schema';
import type { ColumnMapping } from './result-columns';

/** Ids of columns by the keys under which a scheduled import names them. */
export type ColumnIds = Readonly<Record<string, number>>;

/** The columns of a datagrid that a scheduled import names. */
export interface NamedColumns {
  readonly keyColumns: readonly string[];
  readonly columns: ColumnMapping | null;
}

/**
 * Columns as they were stored, with their ids. An import that an earlier release has stored has none: its
 * keys name whichever columns have them.
 */
export interface StoredColumns extends NamedColumns {
  readonly columnIds: ColumnIds | null;
}

/** Columns by the keys that they have now. */
export interface PresentColumns extends NamedColumns {
  /** Keys of columns that were removed. Another column may have such a key now. */
  readonly removed: readonly string[];
}

/** Returns the ids to store with the names of columns. */
export function idsOf(schema: DatagridSchema, { keyColumns, columns }: NamedColumns): ColumnIds {
  const keys = [...keyColumns, ...Object.values(columns ?? {})];
  const found = keys.map((key) => [key, findColumn(schema, key)?.id] as const);
  return Object.fromEntries(found.filter(([, id]) => id !== undefined)) as ColumnIds;
}

/** Returns the columns that an import names, by the keys that they have now. */
export function presentColumns(
  schema: DatagridSchema,
  { keyColumns, columns, columnIds }: StoredColumns,
): PresentColumns {
  const byId = new Map([...schema.columns.values()].map(({ id, key }) => [id, key]));
  const removed = new Set<string>();
  const keyOf = (key: string): string => {
    const id = columnIds && Object.hasOwn(columnIds, key) ? columnIds[key] : undefined;
    if (id === undefined) return key;
    const present = byId.get(id);
    if (present === undefined) removed.add(key);
    return present ?? key;
  };
  const mapped = Object.entries(columns ?? {}).map(([name, key]) => [name, keyOf(key)]);
  return {
    keyColumns: keyColumns.map(keyOf),
    columns: columns && (Object.fromEntries(mapped) as ColumnMapping),
    removed: [...removed],
  };
}
