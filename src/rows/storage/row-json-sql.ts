/** Returns SQL that prints a time as text: RFC 3339, UTC, milliseconds. */
export const timeText = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Common table expression `u (v)`: the decompressed values of row `r`. Without it, PostgreSQL
 * decompresses the values again for each value that is read.
 */
export const DECOMPRESSED_VALUES = `u AS MATERIALIZED (SELECT r."values" || '{}' AS v)`;

/**
 * SQL for the values of row `r` of datagrid `$1` by column key. Values are stored by slot, the storage
 * key of a column, which is its key unless a removed column had that key before. If no column of datagrid
 * `d` was removed after its first row was created, the stored values are returned as they are. Otherwise
 * only those of existing columns are returned, by their keys.
 */
export const VISIBLE_VALUES = `
  CASE WHEN d.plain_values THEN r."values" ELSE (
    SELECT coalesce(jsonb_object_agg(k.key, u.v -> k.slot), '{}')
    FROM (SELECT r."values" || '{}' AS v OFFSET 0) u CROSS JOIN LATERAL (
      SELECT key, slot FROM datagrid_columns
      WHERE datagrid_id = $1 AND removed_at IS NULL AND u.v ? slot OFFSET 0
    ) k
  ) END`;

/**
 * SQL for the keys of the columns in which version `r` of a row has a value, and that were removed after
 * it was written.
 */
export const REMOVED_COLUMNS = `
  CASE WHEN d.plain_values THEN '[]'::json ELSE (
    SELECT coalesce(json_agg(DISTINCT k.key), '[]')
    FROM jsonb_object_keys(r."values") AS s(slot)
    JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.slot = s.slot
    WHERE k.removed_at >= r.updated_at
  ) END`;

/**
 * SQL for whether the values of row `r` are stored uncompressed and take up to 8 kB. The check does not
 * read the values. Such rows are printed fast and with little memory.
 */
export const IS_SMALL =
  '(pg_column_compression(r."values") IS NULL AND pg_column_size(r."values") <= 8192)';

/** Returns SQL that prints row `r`. `values` is a jsonb expression of its values by column key. */
export const printedRow = (
  values: string,
  createdAt = timeText('r.created_at'),
  updatedAt = timeText('r.updated_at'),
): string => `
  '{"id":' || r.id || ',"values":' || (${values})::text || ',"revision":' || r.revision
  || ',"createdAt":"' || ${createdAt} || '","updatedAt":"' || ${updatedAt} || '"}'`;

/**
 * Select list of `rows r` for `printedWithSharedTime`. The subselect needs a `LIMIT` or an `OFFSET`.
 * Without one, PostgreSQL copies the expression to each of its uses, and formats the time each time.
 */
export const WITH_CREATED_TEXT = `r.*, ${timeText('r.created_at')} AS created_text`;

/**
 * Like `printedRow`, for many rows at once. If a row was never updated, its time is formatted once
 * and used for both `createdAt` and `updatedAt`.
 */
export const printedWithSharedTime = (values: string): string => {
  const updatedAt = `CASE WHEN r.updated_at = r.created_at THEN r.created_text
    ELSE ${timeText('r.updated_at')} END`;
  return printedRow(values, 'r.created_text', updatedAt);
};

/**
 * SQL that prints row `r` of datagrid `d`, which is `$1`, as the API returns it. PostgreSQL prints rows
 * faster than Node.js does.
 */
export const ROW_JSON = printedRow(VISIBLE_VALUES);

/**
 * Returns a FROM item `e` with the result of `columns`, a SELECT from a table of columns, for each
 * row of `rows`, a SELECT that `columns` refers to as `r`. The expressions of `rows` are evaluated
 * once per row, before all columns are looked up in it. The reference to `r` sets the order of
 * evaluation, and `OFFSET 0` keeps PostgreSQL from evaluating an expression again wherever its
 * result is used.
 */
export const eachColumn = (rows: string, columns: string): string =>
  `(${rows} OFFSET 0) r CROSS JOIN LATERAL (${columns} OFFSET 0) e`;

/**
 * Returns SQL for the jsonb object `values`, decompressed. Every operator on a large stored value
 * reads and decompresses all of it again. `||` with an empty object does so once and returns the
 * result.
 */
export const decompressed = (values: string): string => `${values} || '{}'::jsonb`;

/**
 * Returns SQL for whether the array in a parameter has elements. PostgreSQL evaluates it once per
 * statement: if a table of columns is empty, no row is decompressed for it.
 */
export const isAny = (parameter: number): string => `cardinality($${String(parameter)}::int[]) > 0`;

/** Returns the ETag of a row, or of a page at a revision of its datagrid. */
export function rowEtag(revision: number, schemaVersion: number): string {
  return `"${String(revision)}-${String(schemaVersion)}"`;
}

/** The write that replaces versions, as SQL expressions. */
interface ReplacingWriteSql {
  /** Alias of a table with the columns of the rows before the write, as in `rows`. */
  readonly from: string;
  readonly isDeletion: boolean;
  /** Whether the history of the datagrid is on. */
  readonly isHistory: boolean;
  readonly revision: string;
  readonly at: string;
  readonly userId: string;
  readonly keyId: string;
}

/** Returns the columns of `rows` that a version stores, qualified with an alias. */
export const versionColumns = (row: string): string =>
  ['id', 'revision', '"values"', 'created_at', 'updated_at']
    .map((column) => `${row}.${column}`)
    .join(', ');

/**
 * Returns an INSERT of the versions of datagrid `$1` that a write replaces. The statement that
 * changes the rows contains it. Rows that the same write has created have no version. Deleted rows
 * enter the trash.
 */
export function storeVersions(write: ReplacingWriteSql): string {
  const { from, isDeletion, isHistory, revision, at, userId, keyId } = write;
  return `
    INSERT INTO row_versions (datagrid_id, replaced_revision, row_id, revision, "values",
      created_at, updated_at, replaced_at, is_deletion, in_trash, is_history, user_id, key_id)
    SELECT $1, ${revision}, v.id, v.revision, v."values", v.created_at, v.updated_at, ${at},
      ${String(isDeletion)}, ${String(isDeletion)}, ${String(isHistory)}, ${userId}, ${keyId}
    FROM ${from} v WHERE v.revision < ${revision}`;
}
