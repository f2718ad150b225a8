/** Maximum number of rows that one statement reads, so that it stays short in any datagrid. */
const BATCH_ROWS = 5_000;

/** A range of a datagrid's rows, in id order. See `BATCH_SQL`. */
export interface Batch {
  readonly afterId: number;
  readonly maxBytes: number;
}

export interface BatchCount {
  /** Id of the last row of the batch; `null` if no rows follow. */
  readonly lastId: number | null;
  readonly count: number;
}

/**
 * Query for the rows that follow row $2 in id order, for use as `batch`. It returns the rows that
 * start within $3 bytes, counted as stored (values can be compressed). Sizes are read without
 * decompressing values, so only the values of the batch are decompressed.
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
