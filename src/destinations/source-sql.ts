import type { SourceQuery } from './source';

/** Returns the statement of a query, without a semicolon at its end. @param quoted Quotes a name. */
export function statementOf(query: SourceQuery, quoted: (name: string) => string): string {
  return 'query' in query
    ? withoutSemicolons(query.query)
    : `SELECT * FROM ${query.table.map(quoted).join('.')}`;
}

/** Removes semicolons and white space at the end, in linear time. */
function withoutSemicolons(text: string): string {
  let end = text.trimEnd();
  while (end.endsWith(';')) end = end.slice(0, -1).trimEnd();
  return end;
}
