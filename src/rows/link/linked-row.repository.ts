import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryPool } from '../../platform/database/query-pool';
import type { Statement } from '../../platform/database/text-query';
import { LargeRowDatagrids } from '../storage/large-row-datagrids';
import { IS_SMALL, ROW_JSON } from '../storage/row-json-sql';

/** A row as a member of an object whose names are the ids of rows. */
const MEMBER = `'"' || r.id || '":' || ${ROW_JSON}`;

const DATAGRID = `d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/**
 * Prints the rows `$3` of datagrid `$1` of account `$2`, if they are small and their text has at most
 * `$4` bytes. Returns no row if the account has no such datagrid.
 */
const SMALL_ROWS: Statement = {
  name: 'linked-rows',
  text: `
    SELECT p.is_small AS "isSmall", CASE WHEN octet_length(p.json) <= $4::bigint THEN p.json END AS json
    FROM datagrids d CROSS JOIN LATERAL (
      SELECT bool_and(r.is_small) IS NOT FALSE AS is_small, CASE WHEN bool_and(r.is_small) IS NOT FALSE THEN
        '{' || coalesce(string_agg(CASE WHEN r.is_small THEN ${MEMBER} END, ',' ORDER BY r.id), '') || '}'
      END AS json
      FROM (
        SELECT r.*, ${IS_SMALL} AS is_small FROM rows r
        WHERE r.datagrid_id = $1 AND r.id = ANY($3::bigint[]) OFFSET 0
      ) r
    ) p
    WHERE ${DATAGRID}`,
};

/** Like `SMALL_ROWS`, for rows of any size, one after another. It stops at the row that exceeds `$4` bytes. */
const LARGE_ROWS = `
  WITH RECURSIVE datagrid AS MATERIALIZED (
    SELECT d.id, d.plain_values FROM datagrids d WHERE ${DATAGRID}
  ), printed AS (
    SELECT 0 AS n, NULL::text AS json, 1::bigint AS bytes FROM datagrid
    UNION ALL
    SELECT p.n + 1, t.json, p.bytes + coalesce(octet_length(t.json) + 1, 0)
    FROM printed p LEFT JOIN LATERAL (
      SELECT ${MEMBER} AS json FROM datagrid d CROSS JOIN rows r
      WHERE r.datagrid_id = $1 AND r.id = ($3::bigint[])[p.n + 1]
    ) t ON true
    WHERE p.n < cardinality($3::bigint[]) AND p.bytes <= $4::bigint
  )
  SELECT CASE WHEN max(bytes) <= $4::bigint THEN
    '{' || coalesce(string_agg(json, ',' ORDER BY n), '') || '}' END AS json
  FROM printed HAVING count(*) > 0`;

interface SmallRows {
  readonly isSmall: boolean;
  readonly json: string | null;
}

/** Reads rows by their ids, as JSON text. */
@Injectable()
export class LinkedRowRepository {
  constructor(
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly queries: QueryPool,
    private readonly largeRows: LargeRowDatagrids,
  ) {}

  /**
   * Returns an object of the rows that exist, by id, unless one of them is large.
   * @param maxBytes Maximum size of the text, in bytes.
   * @returns `null` if one of them is large, if the datagrid recently had large rows, or if the text
   *   exceeds `maxBytes`; `undefined` if the account has no such datagrid.
   */
  async findSmall(
    accountId: string,
    datagridId: string,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<string | null | undefined> {
    if (this.largeRows.mayHave(datagridId)) return null;
    const values = [datagridId, accountId, ids, maxBytes];
    const [found] = await this.gate.run(accountId, () =>
      this.database.run<SmallRows>(SMALL_ROWS, values),
    );
    if (found?.isSmall === false) this.largeRows.note(datagridId);
    return found?.json;
  }

  /**
   * Like `findSmall`, for rows of any size. It uses the connections for queries, because it can take long.
   * @returns `null` if the text exceeds `maxBytes`.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async find(
    accountId: string,
    datagridId: string,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<string | null | undefined> {
    const values = [datagridId, accountId, ids, maxBytes];
    const rows = await this.queries.run<{ json: string | null }>(accountId, LARGE_ROWS, values);
    return rows[0]?.json;
  }
}
