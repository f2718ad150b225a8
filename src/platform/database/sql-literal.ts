import { escapeLiteral } from 'pg';

/**
 * Returns a value as an SQL literal, for statements that take no parameters (`COPY`). The literal
 * does not depend on `standard_conforming_strings`.
 * @param type SQL type of the value. A type that ends with `[]` denotes an array.
 * @throws Error if the value contains NUL, which PostgreSQL would read as the end of the statement.
 */
export function sqlLiteral(value: unknown, type: string): string {
  const text = Array.isArray(value) ? `ARRAY[${value.map(quoted).join(',')}]` : quoted(value);
  return `${text}::${type}`;
}

function quoted(value: unknown): string {
  const text = String(value);
  if (text.includes('\0')) throw new Error('NUL cannot stand in a statement.');
  return escapeLiteral(text);
}
