import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { afterSql } from '../cursor/cursor-sql';
import { filterSql } from '../filter/filter-sql';
import type { Filter } from '../filter/filter';
import type { SqlParameters } from '../filter/sql-parameters';
import { searchSql } from '../filter/text-search-sql';
import type { FindRequest } from '../find-request';

/** Parts of a statement that finds rows, for use in the surrounding statement. */
export interface FoundSql {
  /** Common table expressions. The last, `page`, has `id`, sort keys `k0` … and row number `n`. */
  readonly ctes: string;
  /** SQL of the number of rows that match. */
  readonly total: string;
}

/** Range of the matching rows, in order, that makes up the page. */
export interface Span {
  readonly offset: number;
  readonly limit: number;
}

export function isEveryRow(filter: Filter): boolean {
  return filter.kind === 'and' && filter.parts.length === 0;
}

/** Returns the conditions on row `r`, except that of the cursor. */
export function conditionsSql(
  filter: Filter,
  { search, searched }: FindRequest,
  parameters: SqlParameters,
): string[] {
  const met = isEveryRow(filter) ? [] : [filterSql(filter, parameters)];
  if (search === null) return met;
  return [...met, searchSql(search, searched, parameters)];
}

/** Returns the condition of the cursor; empty for a first page. */
export function cursorSql(
  { sort, place }: FindRequest,
  parameters: SqlParameters,
  id: string,
  valueOf: (column: SchemaColumn) => string,
): string[] {
  const after = place.kind === 'cursor' ? place.after : null;
  return after ? [afterSql(sort, after, parameters, id, valueOf)] : [];
}

/** Returns the order of a table that has the sort keys as `k0` … and the row's `id`. */
export function keyOrder({ sort }: FindRequest): string {
  const keys = sort.map(
    ({ isDescending }, index) => `k${String(index)}${isDescending ? ' DESC' : ''} NULLS LAST`,
  );
  return [...keys, 'id'].join(', ');
}

/** Returns the table expression that selects the page from a table and numbers its rows. */
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
