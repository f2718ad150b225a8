import { Injectable } from '@nestjs/common';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { QueryPool, QueryTimeoutError } from '../../platform/database/query-pool';
import { hasRowsAfter } from '../../common/paging/page-request';
import type { TextRow } from '../../platform/database/text-query';
import { IS_SMALL, printedRow, ROW_JSON, DECOMPRESSED_VALUES } from '../storage/row-json-sql';
import { ColumnarReads, type FoundIds } from '../query/columnar-reads';
import { SqlParameters, valueSql } from '../query/filter/value-sql';
import { changedSinceSql } from '../query/plan/changed-since-sql';
import { keysetScanSql } from '../query/plan/keyset-scan-sql';
import { joinRow, type MatchSql, matchingSql, type RowRange } from '../query/plan/query-parts';
import type { Pagination, QueryRequest } from '../query/query-request';
import { LargeRowDatagrids } from '../storage/large-row-datagrids';
import type { RowVersion } from '../storage/row-version.repository';
import { type QueryPlan, queryPlans, type StatementPlan } from './row-plan';

/** A statement for one query. Its text depends on the structure of the filter. */
export interface QueryStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Order of printing a page. `allRows` prints all rows at once, and returns NULL if one of them is
 * large. `rowByRow` prints one row after another, which takes longer, and prints no more rows than fit.
 */
type Printing = 'allRows' | 'rowByRow';

/**
 * Returns the statement for one page: its rows in order, as text, with the total if pages are
 * numbered, or the position after which the next page starts if the request uses a cursor. All of
 * it is from one snapshot. The statement returns no row if the account has no such datagrid, or if
 * the columns are not those of `schema`.
 *
 * Sizes are added up row by row. For a page that is too large, PostgreSQL keeps at most `maxBytes`
 * in memory and returns NULL for the text.
 * @param maxBytes Maximum size of the text, in bytes.
 * @param plan If it is `changed`, the statement returns no row either if the change log does not name all
 *   rows that may match.
 */
export function querySql(
  accountId: string,
  schema: DatagridSchema,
  request: QueryRequest,
  maxBytes: number,
  printing: Printing,
  plan: StatementPlan,
): QueryStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const { ctes, total, isComplete = 'true' } = foundRowsSql(plan, request, parameters);
  const limit = parameters.add(limitOf(request.pagination), 'bigint');
  const bytes = parameters.add(maxBytes, 'bigint');
  const print = printing === 'allRows' ? allRowsSql : rowByRowSql;
  const text = `
    WITH ${ctes}
    SELECT c.revision, c.schema_version, ${total} AS total, ${nextSql(request, limit)} AS next,
      rows.count, rows.json, c.row_count
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (${print(rowJson(request, parameters), limit, bytes)}) rows
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3 AND ${isComplete}`;
  return { text, values: parameters.values };
}

/** Selects the text and the number of rows of the page. Sizes include brackets and commas. */
const allRowsSql = (rowText: string, limit: string, maxBytes: string): string => `
  SELECT count(*) AS count, max(s.id) AS last_id,
    CASE WHEN bool_and(s.is_small) IS NOT FALSE AND coalesce(max(s.bytes), 0) <= ${maxBytes} THEN
      '[' || coalesce(string_agg(CASE WHEN s.bytes <= ${maxBytes} THEN s.json END, ','
        ORDER BY s.n), '') || ']' END AS json
  FROM (
    SELECT n, id, is_small, json,
      1 + sum(octet_length(json) + 1) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS bytes
    FROM (
      SELECT r.n, r.id, r.is_small, CASE WHEN r.is_small THEN ${rowText} END AS json
      FROM (
        SELECT r.*, p.n, ${IS_SMALL} AS is_small
        FROM page p ${joinRow('p.id')}
        WHERE p.n <= ${limit} OFFSET 0
      ) r
      OFFSET 0
    ) printed
  ) s`;

/** Returns the same as `allRowsSql`, but prints row by row. It stops at the row that exceeds `maxBytes`. */
const rowByRowSql = (rowText: string, limit: string, maxBytes: string): string => `
  WITH RECURSIVE printed AS (
    SELECT 0::bigint AS n, NULL::bigint AS id, NULL::text AS json, 1::bigint AS bytes
    UNION ALL
    SELECT s.n + 1, t.id, t.json, s.bytes + octet_length(t.json) + 1
    FROM printed s
    CROSS JOIN LATERAL (
      SELECT p.id, ${rowText} AS json
      FROM page p ${joinRow('p.id')}
      WHERE p.n = s.n + 1 OFFSET 0
    ) t
    WHERE s.n < ${limit} AND s.bytes <= ${maxBytes}
  )
  SELECT max(n) AS count, max(id) AS last_id, CASE WHEN max(bytes) <= ${maxBytes} THEN
    '[' || coalesce(string_agg(json, ',' ORDER BY n), '') || ']' END AS json
  FROM printed`;

function foundRowsSql(
  plan: StatementPlan,
  request: QueryRequest,
  parameters: SqlParameters,
): MatchSql & { readonly isComplete?: string } {
  const span = spanOf(request.pagination);
  switch (plan.kind) {
    case 'changed': {
      const among = changedSinceSql(plan.since, parameters);
      return { ...matchingSql(request, span, parameters, among), isComplete: among.isComplete };
    }
    case 'keyset':
      return keysetScanSql(request, plan.first, span, parameters);
    case 'match':
      return matchingSql(request, span, parameters);
    case 'found':
      return listedSql(request, plan.found, parameters);
  }
}

/** Returns SQL for rows that are known. */
function listedSql(
  { sort }: QueryRequest,
  { ids, total }: FoundIds,
  parameters: SqlParameters,
): MatchSql {
  const keys = sort.map(
    ({ column }, index) => `, ${valueSql(column, parameters)} AS k${String(index)}`,
  );
  const rows = keys.length === 0 ? '' : joinRow('f.id');
  return {
    ctes: `page AS (
      SELECT f.id, f.n${keys.join('')}
      FROM unnest(${parameters.add(ids, 'bigint[]')}) WITH ORDINALITY AS f(id, n) ${rows}
    )`,
    total: total === null ? 'c.row_count' : parameters.add(total, 'bigint'),
  };
}

/**
 * Selects the id and the sort values of the last row of a cursor page; NULL if no rows follow. Of a
 * numbered page in id order, selects the id of its last row.
 */
function nextSql({ sort, pagination }: QueryRequest, limit: string): string {
  if (pagination.kind === 'page')
    return sort.length === 0 ? 'json_build_array(rows.last_id)' : 'NULL::json';
  const values = ['p.id', ...sort.map((_, index) => `p.k${String(index)}::text`)];
  return `(SELECT json_build_array(${values.join(', ')}) FROM page p
        WHERE p.n = ${limit} AND EXISTS (SELECT FROM page WHERE n > ${limit}))`;
}

function limitOf(pagination: Pagination): number {
  return pagination.kind === 'page' ? pagination.request.limit : pagination.limit;
}

function spanOf(pagination: Pagination): RowRange {
  const limit = limitOf(pagination);
  if (pagination.kind === 'page') return { offset: (pagination.request.page - 1) * limit, limit };
  // Reads one row more, to find out whether there is a next page.
  return { offset: 0, limit: limit + 1 };
}

function rowJson({ fields, isPublic }: QueryRequest, parameters: SqlParameters): string {
  if (isPublic) return `(${pickedValues(fields ?? [], parameters)})::text`;
  return fields === null ? ROW_JSON : printedRow(pickedValues(fields, parameters));
}

export interface FoundPage extends RowVersion {
  readonly total: number;
  /** Number of rows of the datagrid. */
  readonly rowCount: number;
  /** Number of rows on the page. */
  readonly count: number;
  /** Rows as a JSON array, in order; `null` if the page exceeds `maxBytes`. */
  readonly json: string | null;
  /**
   * Id and sort values, as text, of the last row of a page that a cursor can continue; `null` if no rows
   * follow.
   */
  readonly next: LastRow | null;
}

interface FoundByPlan {
  readonly page: FoundPage;
  readonly plan: QueryPlan;
}

type LastRow = readonly [number, ...(string | null)[]];

/** Reads a row of `querySql`, whose columns it knows by position. */
function foundPage(row: TextRow, { pagination }: QueryRequest): FoundPage {
  const [revision, schemaVersion, total, last = null, count, json = null, rowCount] = row;
  const isLast =
    pagination.kind === 'page' && !hasRowsAfter(pagination.request, Number(total), Number(count));
  const next = isLast ? null : last;
  return {
    revision: Number(revision),
    schemaVersion: Number(schemaVersion),
    total: Number(total),
    next: next === null ? null : (JSON.parse(next) as LastRow),
    count: Number(count),
    rowCount: Number(rowCount),
    json,
  };
}

@Injectable()
export class QueryPageRepository {
  constructor(
    private readonly queries: QueryPool,
    private readonly largeRows: LargeRowDatagrids,
    private readonly columnar: ColumnarReads,
  ) {}

  /**
   * Reads one page of the rows that match.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   * @throws QueryTimeoutError, or AppError as `QueryPool.runForText`.
   */
  async find(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    maxBytes: number,
  ): Promise<FoundPage | null> {
    const { datagridId } = schema;
    const plans = queryPlans(request);
    const find = async (printing: Printing): Promise<FoundByPlan | null> => {
      const statementOf = (plan: StatementPlan): QueryStatement =>
        querySql(accountId, schema, request, maxBytes, printing, plan);
      for (const plan of plans) {
        const row =
          plan.kind === 'columnar'
            ? await this.readFound(accountId, schema, request, statementOf)
            : await this.readByStatement(accountId, request, printing, plan, statementOf(plan));
        if (row) return { page: foundPage(row, request), plan };
      }
      return null;
    };
    // Only queries that a copy could serve cause one, and none of visitors.
    const mayCopy = plans.some(({ kind, cost }) => kind === 'columnar' && cost === 'scan');
    try {
      const found = await this.findPrinted(datagridId, find);
      if (!found) return null;
      const { page, plan } = found;
      if (plan.kind === 'columnar') return page;
      const isScan = plan.kind === 'match' || plan.kind === 'keyset';
      if (mayCopy && isScan) this.columnar.reader?.noteScan(accountId, datagridId, page.rowCount);
      return page;
    } catch (error) {
      if (error instanceof QueryTimeoutError && mayCopy) {
        this.columnar.reader?.noteScan(accountId, datagridId, null);
      }
      throw error;
    }
  }

  /** Reads the rows that a columnar copy has found. */
  private async readFound(
    accountId: string,
    schema: DatagridSchema,
    request: QueryRequest,
    statementOf: (plan: StatementPlan) => QueryStatement,
  ): Promise<TextRow | null | undefined> {
    const span = spanOf(request.pagination);
    return this.columnar.reader?.findPage(accountId, schema, request, span, (found, snapshot) => {
      const { text, values } = statementOf({ kind: 'found', found });
      return snapshot.queryText(text, values);
    });
  }

  private async readByStatement(
    accountId: string,
    { pagination }: QueryRequest,
    printing: Printing,
    plan: QueryPlan,
    { text, values }: QueryStatement,
  ): Promise<TextRow | undefined> {
    // Printing large rows takes as long as scanning many small ones.
    const isScan = printing === 'rowByRow' && plan.cost === 'indexed';
    const cost = isScan ? 'scan' : plan.cost;
    return this.queries.runForText(accountId, text, values, cost, limitOf(pagination));
  }

  private async findPrinted(
    datagridId: string,
    find: (printing: Printing) => Promise<FoundByPlan | null>,
  ): Promise<FoundByPlan | null> {
    if (!this.largeRows.mayHave(datagridId)) {
      const found = await find('allRows');
      if (found?.page.json !== null) return found;
      this.largeRows.note(datagridId);
    }
    return find('rowByRow');
  }
}

/** Selects the values of row `r` in the given columns, by column key. Omits missing values. */
export function pickedValues(columns: readonly SchemaColumn[], parameters: SqlParameters): string {
  const keys = columns.map(({ key }) => key);
  const slots = columns.map(({ slot }) => slot);
  return `(
    WITH ${DECOMPRESSED_VALUES}
    SELECT coalesce(jsonb_object_agg(f.key, u.v -> f.slot), '{}')
    FROM unnest(${parameters.add(keys, 'text[]')}, ${parameters.add(slots, 'text[]')})
      AS f(key, slot) CROSS JOIN u
    WHERE u.v ? f.slot)`;
}
