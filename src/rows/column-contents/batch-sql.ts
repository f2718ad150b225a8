/** Rows that one statement looks at: it stays short, however many rows there are. */
const BATCH_ROWS = 5_000;

/** Rows of a datagrid in the order of their ids: see `BATCH_SQL`. */
export interface Batch {
  readonly afterId: number;
  readonly maxBytes: number;
}

export interface BatchCount {
  /** Of the batch; `null` where no rows follow. */
  readonly lastId: number | null;
  readonly count: number;
}

/**
 * The rows that follow row $2, by id, as `batch`: those that begin within $3 bytes as stored, which
 * may be compressed. Sizes are read without unpacking anything, so that no more than the batch is.
 */
export const BATCH_SQL = `
  SELECT id, "values" FROM (
    SELECT id, "values", sum(pg_column_size("values")) OVER (
      ORDER BY id ROWS UNBOUNDED PRECEDING
    ) - pg_column_size("values") AS start
    FROM (
      SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id > $2
      ORDER BY id LIMIT ${String(BATCH_ROWS)}
    ) few
  ) sized
  WHERE start < $3::int`;
