import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL =
  /^SELECT (create_reference_table|create_distributed_table|citus_add_local_table_to_metadata)\('(\w+)'(.*)\);$/gm;

export interface PlacedTable {
  readonly call: string;
  readonly name: string;
  /** What follows the name: the distribution column, and what it stands with. */
  readonly rest: string;
}

/** What `deploy/citus/distribute.sql` does with each table, in its order. */
export function placedTables(): PlacedTable[] {
  const text = readFileSync(join(__dirname, '../../deploy/citus/distribute.sql'), 'utf8');
  return [...text.matchAll(CALL)].map(([, call = '', name = '', rest = '']) => ({
    call,
    name,
    rest,
  }));
}

/** The tables of which each row stands with its datagrid. */
export function distributedTables(): string[] {
  return placedTables()
    .filter(({ call }) => call === 'create_distributed_table')
    .map(({ name }) => name);
}
