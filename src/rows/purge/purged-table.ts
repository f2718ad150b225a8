import type { ClearedTable } from '../cleanup/cleanup-sql';

const MIN_ID = '00000000-0000-0000-0000-000000000000';

/** Tables that hold the remaining data of a purged datagrid. */
export const PURGED_TABLES: readonly ClearedTable[] = [
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
  { name: 'import_lines', key: ['import_id', 'line'], start: [MIN_ID, 0] },
  { name: 'imports', key: ['id'], start: [MIN_ID] },
];
