/** Values of a table's key after the datagrid's id. */
export type TablePosition = readonly unknown[];

/** A table that holds what a deleted datagrid leaves behind. */
export interface PurgedTable {
  readonly name: string;
  /** Columns of the primary key after the datagrid's id. */
  readonly key: readonly string[];
  /** A position before all others. */
  readonly start: TablePosition;
}

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

export const PURGED_TABLES: readonly PurgedTable[] = [
  { name: 'rows', key: ['id'], start: [0] },
  { name: 'row_gaps', key: ['level', 'block'], start: [-1, -1] },
  { name: 'unique_values', key: ['column_id', 'value_hash'], start: [0, Buffer.alloc(0)] },
  {
    name: 'text_index_entries',
    key: ['column_id', 'is_empty', 'value', 'row_id'],
    start: [0, false, '', 0],
  },
  {
    name: 'number_index_entries',
    key: ['column_id', 'is_empty', 'value', 'row_id'],
    start: [0, false, 0, 0],
  },
  { name: 'row_tombstones', key: ['row_id'], start: [0] },
  { name: 'import_lines', key: ['import_id', 'line'], start: [LEAST_ID, 0] },
  { name: 'imports', key: ['id'], start: [LEAST_ID] },
];
