/** SQL text of a time: RFC 3339, UTC, milliseconds. */
export const timeText = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The values of row `r` as a table `u` with one row and the column `v`, for use after WITH. They
 * are decompressed once: PostgreSQL would do so again for each value that is taken out of them.
 */
export const UNPACKED = `u AS MATERIALIZED (SELECT r."values" || '{}' AS v)`;

/**
 * The values of row `r` by column key. As stored, but for a datagrid `d` that has lost a column:
 * there the slots of the living columns are picked out.
 */
export const VISIBLE_VALUES = `
  CASE WHEN d.plain_values THEN r."values" ELSE (
    WITH ${UNPACKED}
    SELECT coalesce(jsonb_object_agg(k.key, u.v -> k.slot), '{}')
    FROM datagrid_columns k CROSS JOIN u
    WHERE k.datagrid_id = d.id AND k.removed_at IS NULL AND u.v ? k.slot
  ) END`;

/**
 * Whether the values of row `r` are stored as they are: neither compressed nor apart from the row.
 * Tells without reading them that they print in no time, and with little memory.
 */
export const IS_SMALL =
  '(pg_column_compression(r."values") IS NULL AND pg_column_size(r."values") <= 8192)';

/** Prints row `r`, whose values by column key are the jsonb expression `values`. */
export const printedRow = (
  values: string,
  createdAt = timeText('r.created_at'),
  updatedAt = timeText('r.updated_at'),
): string => `
  '{"id":' || r.id || ',"values":' || (${values})::text || ',"revision":' || r.revision
  || ',"createdAt":"' || ${createdAt} || '","updatedAt":"' || ${updatedAt} || '"}'`;

/**
 * What a sub-select gives of `rows r` for `printedOnce`. It has a `LIMIT` or an `OFFSET`: without,
 * PostgreSQL works the added column out wherever it is named.
 */
export const WITH_CREATED_TEXT = `r.*, ${timeText('r.created_at')} AS created_text`;

/** As `printedRow`, for many rows at once: what was never updated has its two times printed once. */
export const printedOnce = (values: string): string => {
  const updatedAt = `CASE WHEN r.updated_at = r.created_at THEN r.created_text
    ELSE ${timeText('r.updated_at')} END`;
  return printedRow(values, 'r.created_text', updatedAt);
};

/** Prints row `r` of datagrid `d` as the API gives it. PostgreSQL does it faster than we could. */
export const ROW_JSON = printedRow(VISIBLE_VALUES);
