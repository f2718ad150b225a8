import type { Pool, PoolClient } from 'pg';
import { markdownTable } from '../table';

/** Size of a table without its indexes, or of an index. */
export interface RelationSize {
  readonly table: string;
  /** Name of the index; `null` for the table. */
  readonly index: string | null;
  readonly bytes: number;
}

const SIZES = `
  SELECT relname AS table, NULL AS index, pg_table_size(oid)::float8 AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_relation_size(indexrelid)
  FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

/** Reads the sizes of all tables and indexes of the service. */
export async function relationSizes(sql: Pool): Promise<RelationSize[]> {
  return (await sql.query<RelationSize>(SIZES)).rows;
}

export const totalBytes = (sizes: readonly RelationSize[]): number =>
  sizes.reduce((sum, { bytes }) => sum + bytes, 0);

/** Relations below this share of the total, in all states, are one line of the table. */
const MIN_SHARE = 0.0025;

/** A state of the storage, such as how rows arrived. */
export interface StorageState {
  readonly name: string;
  readonly rows: number;
  readonly sizes: readonly RelationSize[];
}

/**
 * Prints the bytes for each row of every table and index, in several states.
 * @param rawBytes Size of the values of a row as JSON.
 */
export function storageTable(states: readonly StorageState[], rawBytes: number): string {
  const [first] = states;
  if (!first) return '';
  const isLarge = (name: string): boolean =>
    states.some(({ sizes }) => bytesOf(sizes, name) >= MIN_SHARE * totalBytes(sizes));
  const names = [...new Set(first.sizes.map(nameOf))].filter(isLarge);
  const largestFirst = names.sort((a, b) => bytesOf(first.sizes, b) - bytesOf(first.sizes, a));
  const perRow = ({ rows }: StorageState, bytes: number): string => (bytes / rows).toFixed(1);
  const line = (name: string, of: (state: StorageState) => string): string[] => [
    name,
    ...states.map(of),
  ];
  const others = ({ sizes }: StorageState): number =>
    totalBytes(sizes.filter((size) => !names.includes(nameOf(size))));
  return markdownTable(
    line('bytes for each row', ({ name }) => name),
    [
      ...largestFirst.map((name) =>
        line(name, (state) => perRow(state, bytesOf(state.sizes, name))),
      ),
      line('all others', (state) => perRow(state, others(state))),
      line('total', (state) => perRow(state, totalBytes(state.sizes))),
      line('total ÷ JSON of the values', ({ rows, sizes }) =>
        (totalBytes(sizes) / rows / rawBytes).toFixed(2),
      ),
    ],
  );
}

const bytesOf = (sizes: readonly RelationSize[], name: string): number =>
  totalBytes(sizes.filter((size) => nameOf(size) === name));

const nameOf = ({ table, index }: RelationSize): string => index ?? table;

/** Returns the current position of the write-ahead log. */
export async function walPosition(sql: Pool | PoolClient): Promise<string> {
  const { rows } = await sql.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
  return rows[0]?.lsn ?? '0/0';
}

/** Returns the bytes of log between two positions, such as `2/1F0`. */
export function walBytes(from: string, to: string): number {
  const [start, end] = [from, to].map((lsn) => {
    const [high, low] = lsn.split('/').map((part) => parseInt(part, 16));
    return (high ?? Number.NaN) * 2 ** 32 + (low ?? Number.NaN);
  });
  return (end ?? Number.NaN) - (start ?? Number.NaN);
}
