import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL =
  /^SELECT (create_reference_table|create_distributed_table|citus_add_local_table_to_metadata)\('(\w+)'(.*)\);$/gm;

export interface PlacedTable {
  readonly call: string;
  readonly name: string;
  /** The other arguments: the distribution column and the table to colocate with. */
  readonly rest: string;
}

/** Returns the calls of `deploy/citus/distribute.sql` in order, one for each table. */
export function placedTables(): PlacedTable[] {
  const text = readFileSync(join(__dirname, '../../deploy/citus/distribute.sql'), 'utf8');
  return [...text.matchAll(CALL)].map(([, call = '', name = '', rest = '']) => ({
    call,
    name,
    rest,
  }));
}

/** Returns the tables that are distributed by their datagrid. */
export function distributedTables(): string[] {
  return placedTables()
    .filter(({ call }) => call === 'create_distributed_table')
    .map(({ name }) => name);
}
