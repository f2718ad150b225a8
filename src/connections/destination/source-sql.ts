import type { SourceQuery } from './source';

/** Returns the statement of a query, without a semicolon at its end. @param quoted Quotes a name. */
export function statementOf(query: SourceQuery, quoted: (name: string) => string): string {
  return 'query' in query
    ? query.query.replace(/[;\s]+$/, '')
    : `SELECT * FROM ${query.table.map(quoted).join('.')}`;
}
