import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { afterSql } from '../cursor/cursor-sql';
import { filterSql } from '../filter/filter-sql';
import type { Filter } from '../filter/filter';
import type { SqlParameters } from '../filter/sql-parameters';
import { searchSql } from '../filter/text-search-sql';
import type { FindRequest } from '../find-request';

/** What a way of finding rows gives to the statement around it. */
export interface FoundSql {
  /** Common table expressions; the last, `page`, has `id`, the sort keys `k0` … and the order `n`. */
  readonly ctes: string;
  /** The number of rows that match. */
  readonly total: string;
}

/** Which of the rows that match, in their order, make the page. */
export interface Span {
  readonly offset: number;
  readonly limit: number;
}

export function isEveryRow(filter: Filter): boolean {
  return filter.kind === 'and' && filter.parts.length === 0;
}

/** What a row `r` must meet, but for the cursor. */
export function conditionsSql(
  filter: Filter,
  { search, searched }: FindRequest,
  parameters: SqlParameters,
): string[] {
  const met = isEveryRow(filter) ? [] : [filterSql(filter, parameters)];
  if (search === null) return met;
  return [...met, searchSql(search, searched, parameters)];
}

/** Where the cursor has come to; nothing for a first page. */
export function cursorSql(
  { sort, place }: FindRequest,
  parameters: SqlParameters,
  id: string,
  valueOf: (column: SchemaColumn) => string,
): string[] {
  const after = place.kind === 'cursor' ? place.after : null;
  return after ? [afterSql(sort, after, parameters, id, valueOf)] : [];
}

/** The order of a table that has the sort keys as `k0` … and the row's `id`. */
export function keyOrder({ sort }: FindRequest): string {
  const keys = sort.map(
    ({ isDescending }, index) => `k${String(index)}${isDescending ? ' DESC' : ''} NULLS LAST`,
  );
  return [...keys, 'id'].join(', ');
}

/** Cuts the page out of a table, and numbers its rows. */
export function pageCte(
  table: string,
  order: string,
  { offset, limit }: Span,
  parameters: SqlParameters,
): string {
  return `page AS (
    SELECT *, row_number() OVER () AS n FROM (
      SELECT * FROM ${table} ORDER BY ${order}
      OFFSET ${parameters.add(offset, 'bigint')} LIMIT ${parameters.add(limit, 'bigint')}
    ) p
  )`;
}
