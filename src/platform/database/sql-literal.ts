import { escapeLiteral } from 'pg';

/**
 * A value as SQL text, for the statements that take no parameters (`COPY`). It means the same
 * whatever `standard_conforming_strings` says.
 * @param type Of the value in SQL; one that ends with `[]` for a list.
 * @throws Error where the value holds NUL, at which PostgreSQL would take the statement to end.
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
