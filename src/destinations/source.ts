/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** Type of the values, as the database names it. */
  readonly type: string;
}

/**
 * Values of one row, in the order of the columns; `null` for no value. A value is text: numbers in
 * plain digits without any loss, `true` or `false`, dates and times as in ISO 8601, lists and objects
 * as JSON. A time without an offset has none.
 */
export type ResultRow = readonly (string | null)[];

/** What is read: the result of one statement, or all rows of a table or view. */
export type SourceQuery = { readonly query: string } | { readonly table: readonly string[] };

/** Bounds of a result. Beyond them, it is not read. */
export interface ResultLimits {
  /** Maximum time of the statement, rows included. */
  readonly timeoutMs: number;
  /** Maximum size of the values of one row, in bytes. DuckDB counts characters instead. */
  readonly maxRowBytes: number;
}

/** A result that is being read. */
export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  /**
   * Yields the rows as they arrive, in batches of up to about 1 MB, no faster than they are consumed. Ends
   * only if the result is complete. Can be read once.
   * @throws DestinationError
   */
  batches(): AsyncIterable<readonly ResultRow[]>;
  /** Cancels the statement and closes the connection. Never throws. */
  close(): Promise<void>;
}

/**
 * A data warehouse or a file from which rows are read. The session is read-only, and runs one statement
 * that returns rows.
 */
export interface Source {
  /**
   * Starts a query.
   * @param signal Closes the connection, also while the query starts.
   * @throws DestinationError if the query or the connection is not valid, or the reason of the signal.
   */
  read(query: SourceQuery, limits: ResultLimits, signal: AbortSignal): Promise<QueryResult>;
}

/** A batch is complete once its rows have this size, in characters as `lengthOf` counts them. */
export const BATCH_CHARACTERS = 1024 * 1024;

/** Memory of a value or a row beside its characters, roughly. */
const OVERHEAD = 16;

/** Returns the size of a row in memory, about its number of characters. */
export function lengthOf(row: ResultRow): number {
  return row.reduce((sum, value) => sum + (value?.length ?? 0) + OVERHEAD, OVERHEAD);
}
