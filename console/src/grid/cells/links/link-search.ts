import type { Column, Datagrid, Row } from '../../../datagrids/datagrid';
import { rowTitle, titleColumn } from '../../../datagrids/title-column';
import { isRowId } from './linked-ids';
import { queryRows, type RowsBody } from './read-linked';

/** Maximum number of rows that a search lists. */
export const MAX_FOUND = 20;
/** Number of rows up to which a search without an index reads every row. */
export const MAX_SCANNED = 50_000;

/** How rows are searched: part of a text, the beginning of a text, or the first rows only. */
export type SearchKind = 'contains' | 'startsWith' | 'limited';

export interface SearchPlan {
  readonly kind: SearchKind;
  /** Queries whose results are listed one after another. */
  readonly bodies: readonly RowsBody[];
}

export interface FoundRow {
  readonly id: string;
  readonly title: string | null;
}

/**
 * Returns the queries that find the rows for a typed text. Each reads a bounded number of rows: in a
 * large datagrid, it uses an index, or reads the first rows only.
 */
export function searchPlan(
  { rowCount }: Pick<Datagrid, 'rowCount'>,
  { key, indexed, indexing }: Column,
  text: string,
): SearchPlan {
  const body = (filter: object): RowsBody => ({ filter, fields: key, limit: MAX_FOUND });
  if (text === '') return { kind: 'contains', bodies: [{ fields: key, limit: MAX_FOUND }] };
  const startsWith = (start: string): RowsBody => body({ [key]: { $startsWith: start } });
  const contains = { [key]: { $contains: text } };
  const byId = isRowId(text) ? [body({ _id: Number(text) })] : [];
  if (rowCount <= MAX_SCANNED) {
    return { kind: 'contains', bodies: [...byId, startsWith(text), body(contains)] };
  }
  if (indexed && !indexing) {
    // The index distinguishes upper and lower case.
    return { kind: 'startsWith', bodies: [...byId, ...caseVariants(text).map(startsWith)] };
  }
  const first = { _id: { $lte: MAX_SCANNED } };
  return { kind: 'limited', bodies: [...byId, body({ ...first, ...contains })] };
}

/** Returns a text as it was typed, with a capital first letter, and in capitals, each once. */
function caseVariants(text: string): readonly string[] {
  const [first = '', ...rest] = Array.from(text);
  return [...new Set([text, first.toLocaleUpperCase() + rest.join(''), text.toLocaleUpperCase()])];
}

export interface SearchResult {
  readonly kind: SearchKind;
  readonly rows: readonly FoundRow[];
}

/** Searches rows by their titles. @throws ApiError */
export async function searchRows(
  datagrid: Datagrid,
  text: string,
  signal: AbortSignal,
): Promise<SearchResult> {
  const column = titleColumn(datagrid.columns);
  if (!column) return { kind: 'contains', rows: [] };
  const { kind, bodies } = searchPlan(datagrid, column, text);
  const found = await Promise.all(bodies.map((body) => queryRows(datagrid.id, body, signal)));
  return { kind, rows: foundRows(column.key, found) };
}

/** Returns the rows of several results, each once. */
export function foundRows(
  key: string,
  results: readonly (readonly Pick<Row, 'id' | 'values'>[])[],
): readonly FoundRow[] {
  const rows = new Map<string, FoundRow>();
  for (const row of results.flat()) {
    const id = String(row.id);
    if (!rows.has(id)) rows.set(id, { id, title: rowTitle(key, row) });
  }
  return [...rows.values()].slice(0, MAX_FOUND);
}
