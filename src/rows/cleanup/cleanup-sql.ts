/** Values of a table's key after what the cleanup is of. */
export type TablePosition = readonly unknown[];

/** A table that is cleared of what belongs to something. */
export interface ClearedTable {
  readonly name: string;
  /** Columns of the primary key after those that tell what the rows belong to. */
  readonly key: readonly string[];
  /** A position before all others. */
  readonly start: TablePosition;
}

/** What a cleanup is of. */
export interface Clearing {
  /** Columns of the primary key that tell it, as parameters from $1 on. */
  readonly of: readonly string[];
  /** Parameters that stand between those and the position. */
  readonly others: number;
  /** A SELECT that locks the record of the cleanup; it gives nothing where another replica has it. */
  readonly record: string;
}

/** What a step gives, with the key of the last row that it found. */
export type StepRow = { readonly isLocked: boolean; readonly seen: number } & Readonly<
  Record<string, unknown>
>;

export interface CleanupStep {
  /** Whether this replica had the record; where not, another one is at it. */
  readonly isLocked: boolean;
  /** Where the next step goes on; `null` where nothing follows. */
  readonly next: TablePosition | null;
}

/**
 * Deletes the rows of a table that follow a position, up to `maxRows`; nothing where
 * another replica holds the record. It goes on from a position, since starting anew would go over
 * all that is deleted and not yet vacuumed, again at each step. `seen` and `last` are of what the
 * statement found, which another replica may have deleted meanwhile.
 */
export function cleanupSql(
  { of, others, record }: Clearing,
  { name, key }: Pick<ClearedTable, 'name' | 'key'>,
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

/** What a step's answer says. */
export function cleanupStep(
  row: StepRow | undefined,
  { key }: ClearedTable,
  maxRows: number,
): CleanupStep {
  if (!row?.isLocked) return { isLocked: false, next: null };
  const hasMore = row.seen === maxRows;
  return { isLocked: true, next: hasMore ? key.map((column) => row[column]) : null };
}
