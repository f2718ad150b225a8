import { hasIndex } from '../../datagrids/column/column-record';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { QueryKind } from '../../platform/database/budgeted-queries';
import { IS_SMALL, printedRow, ROW_JSON } from '../storage/row-json-sql';
import type { Filter } from './filter/filter';
import { SqlParameters } from './filter/sql-parameters';
import type { FindPlace, FindRequest } from './find-request';
import { pickedValues } from './picked-values-sql';
import { indexUse } from './plan/index-use';
import { matchingSql } from './plan/matching-sql';
import type { FoundSql, Span } from './plan/query-parts';
import { keysetScanSql } from './plan/keyset-scan-sql';

/** A statement for one query. Its text depends on the structure of the filter. */
export interface FindStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * How a page is printed. `together` prints all rows at once, and returns NULL if one of them is
 * large. `oneByOne` prints row by row, which takes longer, and prints no more rows than fit.
 */
export type Printing = 'together' | 'oneByOne';

/**
 * Returns the statement for one page: its rows in order, as text, with the total if pages are
 * numbered, or the position after which the next page starts if the request uses a cursor. All of
 * it is from one snapshot. The statement returns no row if the account has no such datagrid, or if
 * the columns are not those of `schema`.
 *
 * Sizes are added up row by row. For a page that is too large, PostgreSQL keeps at most `maxBytes`
 * in memory and returns NULL for the text.
 * @param maxBytes Maximum size of the text, in bytes.
 */
export function findSql(
  accountId: string,
  schema: DatagridSchema,
  request: FindRequest,
  maxBytes: number,
  printing: Printing,
): FindStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const { ctes, total } = foundSql(request, parameters);
  const limit = parameters.add(limitOf(request.place), 'bigint');
  const bytes = parameters.add(maxBytes, 'bigint');
  const print = printing === 'together' ? togetherSql : oneByOneSql;
  const text = `
    WITH ${ctes}
    SELECT c.revision, c.schema_version AS "schemaVersion", ${total} AS total,
      ${nextSql(request, limit)} AS next, rows.count, rows.json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (${print(rowJson(request, parameters), limit, bytes)}) rows
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;
  return { text, values: parameters.values };
}

/** Selects the text and the number of rows of the page. Sizes include brackets and commas. */
const togetherSql = (rowText: string, limit: string, maxBytes: string): string => `
  SELECT count(*) AS count,
    CASE WHEN bool_and(s.is_small) IS NOT FALSE AND coalesce(max(s.bytes), 0) <= ${maxBytes} THEN
      '[' || coalesce(string_agg(CASE WHEN s.bytes <= ${maxBytes} THEN s.json END, ','
        ORDER BY s.n), '') || ']' END AS json
  FROM (
    SELECT n, is_small, json,
      1 + sum(octet_length(json) + 1) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS bytes
    FROM (
      SELECT r.n, r.is_small, CASE WHEN r.is_small THEN ${rowText} END AS json
      FROM (
        SELECT r.*, p.n, ${IS_SMALL} AS is_small
        FROM page p JOIN rows r ON r.datagrid_id = $1 AND r.id = p.id
        WHERE p.n <= ${limit} OFFSET 0
      ) r
      OFFSET 0
    ) printed
  ) s`;

/** The same as `togetherSql`, row by row. It stops at the row that exceeds `maxBytes`. */
const oneByOneSql = (rowText: string, limit: string, maxBytes: string): string => `
  WITH RECURSIVE printed AS (
    SELECT 0::bigint AS n, NULL::text AS json, 1::bigint AS bytes
    UNION ALL
    SELECT s.n + 1, t.json, s.bytes + octet_length(t.json) + 1
    FROM printed s
    CROSS JOIN LATERAL (
      SELECT ${rowText} AS json
      FROM page p JOIN rows r ON r.datagrid_id = $1 AND r.id = p.id
      WHERE p.n = s.n + 1 OFFSET 0
    ) t
    WHERE s.n < ${limit} AND s.bytes <= ${maxBytes}
  )
  SELECT max(n) AS count, CASE WHEN max(bytes) <= ${maxBytes} THEN
    '[' || coalesce(string_agg(json, ',' ORDER BY n), '') || ']' END AS json
  FROM printed`;

function foundSql(request: FindRequest, parameters: SqlParameters): FoundSql {
  const span = spanOf(request.place);
  const first = walkedSort(request);
  return first
    ? keysetScanSql(request, first, span, parameters)
    : matchingSql(request, span, parameters);
}

/** Returns the sort key whose index is scanned, if it has one and no index serves the filter. */
function walkedSort({
  sort: [first],
  filter,
}: FindRequest): FindRequest['sort'][number] | undefined {
  return first && hasIndex(first.column) && indexUse(filter) === null ? first : undefined;
}

/**
 * Returns `indexed` if an index leads to the rows of a page, so that PostgreSQL reads no others.
 * If an index leads to the rows that match, but they must be sorted, all of them are read, and the
 * result is `scan`.
 */
export function queryKind(request: FindRequest): QueryKind {
  const { filter, search, sort } = request;
  if (search !== null) return 'scan';
  const use = indexUse(filter);
  const isInOrder = sort.length === 0 || walkedSort(request) !== undefined;
  const isLed = isInOrder && isEveryRow(use ? use.rest : filter);
  return isLed ? 'indexed' : 'scan';
}

const isEveryRow = (filter: Filter): boolean => filter.kind === 'and' && filter.parts.length === 0;

/** Selects the id and the sort values of the last row of a cursor page; NULL if no rows follow. */
function nextSql({ sort, place }: FindRequest, limit: string): string {
  if (place.kind === 'page') return 'NULL::json';
  const values = ['p.id', ...sort.map((_, index) => `p.k${String(index)}::text`)];
  return `(SELECT json_build_array(${values.join(', ')}) FROM page p
        WHERE p.n = ${limit} AND EXISTS (SELECT FROM page WHERE n > ${limit}))`;
}

function limitOf(place: FindPlace): number {
  return place.kind === 'page' ? place.request.limit : place.limit;
}

function spanOf(place: FindPlace): Span {
  const limit = limitOf(place);
  if (place.kind === 'page') return { offset: (place.request.page - 1) * limit, limit };
  // Reads one row more, to find out whether there is a next page.
  return { offset: 0, limit: limit + 1 };
}

function rowJson({ fields }: FindRequest, parameters: SqlParameters): string {
  return fields === null ? ROW_JSON : printedRow(pickedValues(fields, parameters));
}
