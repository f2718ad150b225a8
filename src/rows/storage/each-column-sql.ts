/**
 * A FROM item `e` that gives what `columns`, a SELECT from a table of columns, gives for each row of
 * `rows`, a SELECT that it knows as `r`. For each row the expressions of `rows` are evaluated once,
 * and then all columns are looked up in it: the reference to `r` sets the order, and `OFFSET 0`
 * keeps PostgreSQL from evaluating an expression wherever its result is used.
 */
export const eachColumn = (rows: string, columns: string): string =>
  `(${rows} OFFSET 0) r CROSS JOIN LATERAL (${columns} OFFSET 0) e`;

/**
 * The jsonb object `values`, decompressed. Every operator on a large stored value reads and
 * decompresses all of it again; `||` with an empty object does so once and gives the result.
 */
export const decompressed = (values: string): string => `${values} || '{}'::jsonb`;

/**
 * Whether the array in a parameter has elements. PostgreSQL looks once in a statement: where a table of
 * columns is empty, no row is decompressed for it.
 */
export const isAny = (parameter: number): string => `cardinality($${String(parameter)}::int[]) > 0`;
