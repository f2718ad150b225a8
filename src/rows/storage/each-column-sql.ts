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
