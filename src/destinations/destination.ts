/** Kinds of destinations. */
export const DESTINATION_TYPES = [
  'postgresql',
  'duckdb',
  'clickhouse',
  'mysql',
  'parquet',
  'iceberg',
  'snowflake',
] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

/** Types of columns in a destination. Each destination maps them to types of its own. */
const TARGET_TYPES = [
  'text',
  'integer',
  'double',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'json',
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export function isTargetType(value: unknown): value is TargetType {
  return (TARGET_TYPES as readonly unknown[]).includes(value);
}

/** A column of a target table. Its name is chosen once, and never changes. */
export interface TargetColumn {
  /** Id of the datagrid's column. A removed column and a new one with the same key differ in it. */
  readonly id: number;
  readonly name: string;
  readonly type: TargetType;
}

/** What happens to the row of a target table if the row of the datagrid changes or is deleted. */
export const DELETION_MODES = ['delete', 'mark', 'history'] as const;
export type DeletionMode = (typeof DELETION_MODES)[number];

/** A table that a destination keeps for one datagrid of a connection. */
export interface TargetTable {
  /** UUID of the table, by which the destination finds its state. */
  readonly id: string;
  readonly name: string;
  /**
   * `delete`: the row is deleted. `mark`: the row stays, and its `_deleted_at` has the time at which
   * the destination was told. `history`: each change adds a version of the row. The `_valid_to` of a
   * version is the time at which the destination replaced it or was told that the row was deleted; it
   * has no value for the current version. A row has at most one current version, and none if it is
   * deleted.
   */
  readonly deletions: DeletionMode;
}

/**
 * Rows as CSV: lines that end with LF, text in double quotes if needed, `\N` without quotes for a
 * missing value. Numbers are decimal, dates and times ISO 8601, lists and JSON values are JSON. Read
 * once.
 */
export type CsvLines = AsyncIterable<Buffer>;

/**
 * Position of a sync and what the columns of the table are, as text. A destination stores it in the
 * transaction of the data, and returns it unchanged.
 */
export type SyncState = string;

/** A change of the columns of a target table. */
export interface ColumnPlan {
  readonly removed: readonly TargetColumn[];
  /** Columns whose type changes to one that holds all values of the former one. */
  readonly widened: readonly TargetColumn[];
  /** New columns. One can have the name of a removed one. */
  readonly added: readonly TargetColumn[];
}

/** A column that no sync writes anymore, and that the table keeps because objects of others depend on it. */
export interface UnusedColumn {
  readonly name: string;
  readonly type: TargetType;
}

/** Count and sums of the rows of one block of ids. Marked rows and earlier versions do not count. */
export interface BlockSum {
  /** `floor(id / BLOCK_ROWS)`. */
  readonly block: number;
  readonly rows: number;
  /** Sum of the ids, as a decimal integer. */
  readonly ids: string;
  /** Sum of the revisions, as a decimal integer. */
  readonly revisions: string;
}

/** Number of ids of a block that a check compares. */
export const BLOCK_ROWS = 16_384;

export interface RowRevision {
  readonly id: number;
  readonly revision: number;
}

/** Ids from `from` to `to`, both included. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/**
 * One target table, opened by one worker. Every method that takes a state makes its change and stores
 * the state in one transaction, or does neither. Without transactions, as in ClickHouse, rows come
 * before the state: if a method fails in between, the table has rows that the state does not know, and
 * the next worker, which does the step again, replaces them.
 * @throws FencedError from every method after `claim` if another worker has claimed the table.
 */
export interface TargetWriter {
  /**
   * Claims the table, so that workers with a lower token can no longer change it. Creates what the
   * destination needs to store states.
   * @returns the stored state; `null` if the table was never loaded.
   * @throws FencedError if the table was claimed with the same or a higher token.
   */
  claim(token: number): Promise<SyncState | null>;
  /** Creates an empty table for a load, beside the target table. Replaces one that is there. */
  beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void>;
  /** Appends rows to the table of the load. A line has `_id`, `_revision` and the values. */
  append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void>;
  /**
   * Makes the loaded rows those of the target table, at once. Readers never see an empty or partial
   * table. In mode `mark`, rows that were not loaded are marked as deleted. In mode `history`, the
   * versions stay: current ones that were not loaded, or that differ in the revision or a value, are
   * closed, and loaded rows without an equal current version are added.
   */
  finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void>;
  /**
   * Applies changes. A line has `_id`, `_revision`, `_deleted` (`true` or `false`) and the values,
   * which are missing if it is deleted. A row of the table with a higher revision stays. No id comes
   * twice. In mode `history`, a current version with a lower revision is closed, and one with the same
   * revision gets the values. Repeating a merge changes nothing.
   */
  merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void>;
  /**
   * Replaces the rows of a range by those of a load's lines, whatever their revisions. In mode `mark`,
   * other rows of the range are marked as deleted. In mode `history`, versions are closed and added as
   * by `finishLoad`.
   */
  replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void>;
  /**
   * Changes the columns. New columns have no values. If an object of others, such as a view, depends on a
   * column that is removed or gets another type, the column can stay under another name.
   */
  changeColumns(plan: ColumnPlan, state: SyncState): Promise<void>;
  /**
   * Drops the columns that only objects of others have kept, as far as these are gone. Missing if no object
   * can keep a column.
   * @returns those that stay.
   */
  dropUnused?(): Promise<readonly UnusedColumn[]>;
  /**
   * Shows readers what was stored, if they see it only then. Missing if they see each change at once. Costs
   * about the time of writing all of the destination anew.
   */
  publishSnapshot?(): Promise<void>;
  /** Returns whether the target table exists. */
  exists(): Promise<boolean>;
  /** Returns sums by block, in order of the blocks. Empty blocks are missing. */
  sumBlocks(): Promise<BlockSum[]>;
  /**
   * Returns the ids and revisions of the rows of a range, in any order. Marked rows and earlier
   * versions are missing.
   * @param range Up to `BLOCK_ROWS` ids.
   */
  readRevisions(range: IdRange): Promise<RowRevision[]>;
  /** Removes the tables and the state. */
  drop(): Promise<void>;
  /** Closes the connection. Rolls back a transaction in progress. Never throws. */
  close(): Promise<void>;
}

/** A data warehouse or a file that receives the rows of datagrids. */
export interface Destination {
  /**
   * Connects and checks the rights that a sync needs. Leaves at most the table of states.
   * @param signal If it is aborted, all connections are closed, and the test fails soon.
   * @throws DestinationError
   */
  test(signal?: AbortSignal): Promise<void>;
  /**
   * Connects to the destination of a table. Every method of the writer but `close` can throw it.
   * @throws DestinationError if it cannot connect, or its settings are wrong.
   */
  open(table: TargetTable): Promise<TargetWriter>;
}

/** Thrown if another worker has claimed the table. */
export class FencedError extends Error {
  /** @param token Token of the other worker. */
  constructor(readonly token: number) {
    super(`The table was claimed with token ${String(token)}.`);
  }
}

/**
 * Who can do something about a failure of a destination: nobody, because it passes (`unavailable`),
 * the owner of the connection (`configuration`), or the target table is not what the state says, so
 * that it must be loaded again (`inconsistent`).
 */
export type FailureKind = 'unavailable' | 'configuration' | 'inconsistent';

/** Maximum number of characters of a message, which can have text of the destination. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * A failure of a destination. The message is for the owner of the connection and says what to do. Text
 * of the destination in it is made printable, and shortened.
 */
export class DestinationError extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(printable(message, MAX_MESSAGE_LENGTH), options);
  }
}

/** Returns the first characters of a text that somebody else has written, without control characters. */
export function printable(text: string, maxLength: number): string {
  // A half of a character at the end becomes a space, too.
  const start = text.slice(0, maxLength).replaceAll(/\p{C}+/gu, ' ');
  return text.length > maxLength ? `${start}…` : start;
}

/** Calls `close` once a signal is aborted, or at once if it is. */
export function onAbort(signal: AbortSignal | undefined, close: () => void): void {
  if (signal?.aborted === true) close();
  else signal?.addEventListener('abort', close, { once: true });
}
