import type { StepResult } from '../../platform/background/job-turns';
import { StepSize } from '../../platform/background/step-size';

/** Position in a table: values of the columns of `CleanupTable.key`. */
export type TablePosition = readonly unknown[];

/** A table from which a cleanup deletes the rows of one owner, such as a datagrid or a column. */
export interface CleanupTable {
  readonly name: string;
  /** Columns of the primary key after those that identify the owner. */
  readonly key: readonly string[];
  /** A position before all others. */
  readonly start: TablePosition;
}

/** Owner of the rows that a cleanup deletes, and the record of the cleanup. */
export interface Cleanup {
  /** Columns of the primary key that identify the owner, with their values in $1 and following. */
  readonly of: readonly string[];
  /** Number of parameters between those and the position. */
  readonly others: number;
  /** SELECT that locks the record of the cleanup. Returns no row if another instance holds it. */
  readonly record: string;
}

/** Row that a step returns, with the key of the last row that it found. */
export type StepRow = { readonly isLocked: boolean; readonly seen: number } & Readonly<
  Record<string, unknown>
>;

export interface CleanupStep {
  /** Whether this instance held the record. If not, another one runs the cleanup. */
  readonly isLocked: boolean;
  /** Position after which the next step continues; `null` if no rows follow, or if not locked. */
  readonly next: TablePosition | null;
}

/**
 * Returns the statement that deletes up to `maxRows` rows of a table after a position. It deletes
 * nothing if another instance holds the record. It continues from a position, because each step
 * from the start would pass over all rows that are deleted and not yet vacuumed. `seen` and `last`
 * describe the rows that the statement found, which another instance can have deleted meanwhile.
 */
export function cleanupSql(
  { of, others, record }: Cleanup,
  { name, key }: Pick<CleanupTable, 'name' | 'key'>,
  maxRows: number,
): string {
  const list = (column: (name: string, index: number) => string): string =>
    key.map(column).join(', ');
  const columns = list((column) => column);
  const after = list((_, index) => `$${String(of.length + others + index + 1)}`);
  const owned = (alias: string): string =>
    of.map((column, index) => `${alias}.${column} = $${String(index + 1)}`).join(' AND ');
  return `
    WITH record AS (${record}), batch AS (
      SELECT ${columns} FROM ${name} t WHERE ${owned('t')} AND (${columns}) > (${after})
      ORDER BY ${columns} LIMIT ${String(maxRows)}
    ), last AS (
      SELECT * FROM batch ORDER BY ${list((column) => `${column} DESC`)} LIMIT 1
    ), gone AS (
      DELETE FROM ${name} t USING record, last
      WHERE ${owned('t')} AND (${list((column) => `t.${column}`)}) > (${after})
        AND (${list((column) => `t.${column}`)}) <= (${list((column) => `last.${column}`)})
    )
    SELECT EXISTS (SELECT FROM record) AS "isLocked", (SELECT count(*) FROM batch) AS seen, last.*
    FROM (SELECT) one LEFT JOIN last ON true`;
}

/** Returns the result of a step, from the row that its statement returned. */
export function cleanupStep(
  row: StepRow | undefined,
  { key }: CleanupTable,
  maxRows: number,
): CleanupStep {
  if (!row?.isLocked) return { isLocked: false, next: null };
  const hasMore = row.seen === maxRows;
  return { isLocked: true, next: hasMore ? key.map((column) => row[column]) : null };
}

/** Deletes up to `rows` rows of a table after a position. */
export type DeleteRows = (
  table: CleanupTable,
  after: TablePosition,
  rows: number,
) => Promise<CleanupStep>;

/**
 * Deletes orphans from tables, one table after another, in steps. It keeps its position between
 * steps, because a step from the start would pass over all rows that are deleted and not yet
 * vacuumed.
 * @param finish Removes the record of the orphans, in the last step.
 */
export async function* cleanupSteps(
  tables: readonly CleanupTable[],
  deleteRows: DeleteRows,
  finish: () => Promise<'completed' | 'locked'>,
): AsyncGenerator<StepResult, undefined> {
  for (const table of tables) {
    const size = new StepSize();
    let next: TablePosition | null = table.start;
    while (next) {
      const after: TablePosition = next;
      const step = await size.measure((rows) => deleteRows(table, after, rows));
      if (step.isLocked) next = step.next;
      yield step.isLocked ? 'more' : 'locked';
    }
  }
  while ((await finish()) === 'locked') yield 'locked';
}
