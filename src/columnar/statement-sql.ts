import { literal, quoted } from '../destinations/duckdb/duckdb-sql';

/** Returns the statement that has a statement of a user without its rows, for the types of its columns. */
export const withoutRowsSql = (text: string): string => `SELECT * FROM (${text}\n) LIMIT 0`;

/** Types that Parquet holds exactly. */
const IN_PARQUET = new Set([
  ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'],
  ...['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'FLOAT', 'DOUBLE', 'DECIMAL'],
  ...['VARCHAR', 'BLOB', 'UUID', 'ENUM', 'DATE', 'TIME', 'SQLNULL'],
  ...['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMP_TZ'],
]);
const NESTED = new Set(['LIST', 'ARRAY', 'STRUCT', 'MAP']);
/** Names of types that Parquet does not hold exactly. They may be in a nested type. */
const INEXACT = /HUGEINT|INTERVAL|TIME WITH TIME ZONE|TIMETZ|BIT|BIGNUM|VARINT|UNION|VARIANT/;

/** A column of a user's statement: its name, its type, and the name of the type in `DuckDBTypeId`. */
export interface TypedColumn {
  readonly name: string;
  readonly type: string;
  readonly typeId: string;
}

/** Returns a column so that Parquet holds its values exactly: DuckDB would write a HUGEINT as a DOUBLE. */
function parquetColumn({ type, typeId }: TypedColumn, column: string): string {
  if (typeId === 'HUGEINT' || typeId === 'UHUGEINT') return `${column}::DECIMAL(38, 0)`;
  if (NESTED.has(typeId)) return INEXACT.test(type) ? `to_json(${column})::VARCHAR` : column;
  return IN_PARQUET.has(typeId) ? column : `${column}::VARCHAR`;
}

/**
 * Returns the COPY statement that writes the rows of a user's statement, in their order, to a Parquet file.
 * @param columns Columns of the statement, in order.
 * @param limit Maximum number of rows; `null` for all.
 */
export function parquetSql(
  text: string,
  columns: readonly TypedColumn[],
  path: string,
  limit: number | null,
): string {
  const names = columns.map((_, index) => `c${String(index)}`);
  const selected = columns.map((column, index) => {
    return `${parquetColumn(column, names[index] ?? '')} AS ${quoted(column.name)}`;
  });
  const limited = limit === null ? '' : ` LIMIT ${String(limit)}`;
  return `COPY (SELECT ${selected.join(', ')} FROM (${text}\n) AS t(${names.join(', ')})${limited})
    TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, PRESERVE_ORDER true)`;
}

/**
 * Returns the statement that has a statement of a user as DuckDB's parser reads it, as JSON, and whether the
 * parser reads it in the place where the service runs it.
 */
export const parsedSql = (text: string): string =>
  `SELECT ${treeSql(text)}, (NOT starts_with(${treeSql(withoutRowsSql(text))}, '{"error":true'))::VARCHAR`;

const treeSql = (text: string): string => `json_serialize_sql(${literal(text)}::VARCHAR)::VARCHAR`;
