import { Injectable } from '@nestjs/common';
import { COLUMN_TYPE_NAMES, isLink } from '../../datagrids/column-type/column-type';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryPool } from '../../platform/database/query-pool';
import type { Statement } from '../../platform/database/text-query';
import { LargeRowDatagrids } from '../storage/large-row-datagrids';
import { IS_SMALL } from '../storage/row-json-sql';

const DATAGRID = `d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/** The columns `$4`, except for those that were removed. */
const COLUMNS = `
  SELECT k.id, k.slot FROM datagrid_columns k
  WHERE k.datagrid_id = $1 AND k.id = ANY($4::int[]) AND k.removed_at IS NULL`;

/** A value with its row and its column. The value is text, because a parser would round numbers. */
const ENTRY = `json_build_array(v.row_id, v.column_id, v.value)`;

/** Bytes of an entry, in addition to those of its value. */
const ENTRY_BYTES = 16;

/**
 * Prints the values of the rows `$3` of datagrid `$1` of account `$2` in the columns `$4`, if the rows are
 * small and the values have at most `$5` bytes. Returns no row if the account has no such datagrid.
 */
const SMALL_ROWS: Statement = {
  name: 'computed-lookup',
  text: `
    SELECT p.is_small AS "isSmall", CASE WHEN p.bytes <= $5::bigint THEN p.entries END AS entries
    FROM datagrids d CROSS JOIN LATERAL (
      SELECT bool_and(v.is_small) IS NOT FALSE AS is_small,
        coalesce(sum(octet_length(v.value) + ${String(ENTRY_BYTES)}), 0) AS bytes,
        coalesce(json_agg(${ENTRY}) FILTER (WHERE v.value IS NOT NULL), '[]') AS entries
      FROM (
        SELECT r.id AS row_id, k.id AS column_id, r.is_small,
          CASE WHEN r.is_small THEN (r."values" -> k.slot)::text END AS value
        FROM (
          SELECT r.id, r."values", ${IS_SMALL} AS is_small FROM rows r
          WHERE r.datagrid_id = $1 AND r.id = ANY($3::bigint[]) OFFSET 0
        ) r CROSS JOIN (${COLUMNS}) k OFFSET 0
      ) v
    ) p
    WHERE ${DATAGRID}`,
};

/** Like `SMALL_ROWS`, for rows of any size, one after another. It stops at the row that exceeds `$5` bytes. */
const LARGE_ROWS = `
  WITH RECURSIVE datagrid AS MATERIALIZED (
    SELECT d.id FROM datagrids d WHERE ${DATAGRID}
  ), printed AS (
    SELECT 0 AS n, NULL::text AS entries, 0::bigint AS bytes FROM datagrid
    UNION ALL
    SELECT p.n + 1, t.entries, p.bytes + coalesce(t.bytes, 0)
    FROM printed p LEFT JOIN LATERAL (
      SELECT json_agg(${ENTRY})::text AS entries,
        sum(octet_length(v.value) + ${String(ENTRY_BYTES)}) AS bytes
      FROM (
        SELECT r.id AS row_id, k.id AS column_id, (r."values" -> k.slot)::text AS value
        FROM (
          SELECT r.id, r."values" || '{}' AS "values" FROM rows r
          WHERE r.datagrid_id = $1 AND r.id = ($3::bigint[])[p.n + 1] OFFSET 0
        ) r CROSS JOIN (${COLUMNS}) k OFFSET 0
      ) v
      WHERE v.value IS NOT NULL
    ) t ON true
    WHERE p.n < cardinality($3::bigint[]) AND p.bytes <= $5::bigint
  )
  SELECT CASE WHEN max(bytes) <= $5::bigint THEN
    ('[' || coalesce(string_agg(entries, ',' ORDER BY n), '') || ']')::json END AS entries
  FROM printed HAVING count(*) > 0`;

const LINK_TYPES = COLUMN_TYPE_NAMES.filter(isLink)
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * Counts the rows of datagrid `$1` of account `$2` that link to each of the rows `$4` of datagrid `$5` by
 * the column `$3`. Rows without such links are omitted. Returns no row if there is no such link column.
 */
const COUNTS = `
  SELECT (
    SELECT coalesce(json_agg(json_build_array(c.target_id, c.count)), '[]')
    FROM (
      SELECT l.target_id, count(*) AS count FROM row_links l
      WHERE l.datagrid_id = $1 AND l.column_id = $3 AND l.target_id = ANY($4::bigint[])
      GROUP BY l.target_id
    ) c
  ) AS counts
  FROM datagrids d JOIN datagrid_columns k ON k.datagrid_id = d.id
  WHERE ${DATAGRID} AND k.datagrid_id = $1 AND k.id = $3 AND k.removed_at IS NULL
    AND k.type IN (${LINK_TYPES}) AND k.options ->> 'datagridId' = $5`;

/** A value as JSON text, with the ids of its row and its column. */
export type LookupEntry = readonly [rowId: number, columnId: number, value: string];

/** Reads the values of computed columns. */
@Injectable()
export class ComputedValueRepository {
  constructor(
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly queries: QueryPool,
    private readonly largeRows: LargeRowDatagrids,
  ) {}

  /**
   * Returns values of rows, if no row is large.
   * @param maxBytes Maximum size of the values, in bytes.
   * @returns `null` if a row is large, if the datagrid recently had large rows, or if the values
   *   exceed `maxBytes`; `undefined` if the account has no such datagrid.
   */
  async findSmall(
    accountId: string,
    datagridId: string,
    rowIds: readonly number[],
    columnIds: readonly number[],
    maxBytes: number,
  ): Promise<readonly LookupEntry[] | null | undefined> {
    if (this.largeRows.mayHave(datagridId)) return null;
    const values = [datagridId, accountId, rowIds, columnIds, maxBytes];
    const [found] = await this.gate.run(accountId, () =>
      this.database.run<{
        readonly isSmall: boolean;
        readonly entries: readonly LookupEntry[] | null;
      }>(SMALL_ROWS, values),
    );
    if (found?.isSmall !== false) return found?.entries;
    this.largeRows.note(datagridId);
    return null;
  }

  /**
   * Like `findSmall`, for rows of any size. It uses the connections for queries, because it can take long.
   * @returns `null` if the values exceed `maxBytes`.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async find(
    accountId: string,
    datagridId: string,
    rowIds: readonly number[],
    columnIds: readonly number[],
    maxBytes: number,
  ): Promise<readonly LookupEntry[] | null | undefined> {
    const values = [datagridId, accountId, rowIds, columnIds, maxBytes];
    const [found] = await this.queries.run<{
      readonly entries: readonly (readonly LookupEntry[])[] | null;
    }>(accountId, LARGE_ROWS, values);
    return found?.entries === null ? null : found?.entries.flat();
  }

  /**
   * Returns the number of rows of a datagrid that link to rows of another by a column. Rows without links
   * are absent. It uses the connections for queries, because many rows can link to one.
   * @returns `null` if the account has no such link column.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async count(
    accountId: string,
    datagridId: string,
    columnId: number,
    rowIds: readonly number[],
    targetId: string,
  ): Promise<ReadonlyMap<number, number> | null> {
    const values = [datagridId, accountId, columnId, rowIds, targetId];
    const [found] = await this.queries.run<{
      readonly counts: readonly (readonly [number, number])[];
    }>(accountId, COUNTS, values, 'indexed');
    return found ? new Map(found.counts) : null;
  }
}
