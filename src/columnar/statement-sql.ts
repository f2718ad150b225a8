import { literal } from '../destinations/duckdb/duckdb-sql';

/** Returns the statement that has a statement of a user without its rows, for the types of its columns. */
export const withoutRowsSql = (text: string): string => `SELECT * FROM (${text}\n) LIMIT 0`;

/**
 * Returns the statement that has a statement of a user as DuckDB's parser reads it, as JSON, and whether the
 * parser reads it in the place where the service runs it.
 */
export const parsedSql = (text: string): string =>
  `SELECT ${treeSql(text)}, (NOT starts_with(${treeSql(withoutRowsSql(text))}, '{"error":true'))::VARCHAR`;

const treeSql = (text: string): string => `json_serialize_sql(${literal(text)}::VARCHAR)::VARCHAR`;
