import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { QueryPool } from '../../platform/database/query-pool';
import type { Filter } from '../query/filter/parse-filter';
import { SqlParameters } from '../query/filter/value-sql';
import { indexUse, matchedRowsSql } from '../query/plan/query-parts';

/** Finds the rows of a linked datagrid that match a filter. */
@Injectable()
export class LinkedFilterRepository {
  constructor(private readonly queries: QueryPool) {}

  /**
   * Returns the ids of up to `limit` rows that match, in ascending order. The ETag depends on the order.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async findIds(
    accountId: string,
    schema: DatagridSchema,
    filter: Filter,
    limit: number,
  ): Promise<readonly number[] | null> {
    const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
    const { from, where } = matchedRowsSql({ filter, search: null, searched: [] }, parameters);
    const text = `
      SELECT m.ids
      FROM datagrids d
      JOIN datagrid_counters c ON c.datagrid_id = d.id
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(m.id ORDER BY m.id), '{}') AS ids
        FROM (SELECT r.id FROM ${from} WHERE ${where} LIMIT ${parameters.add(limit, 'bigint')}) m
      ) m
      WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;
    const kind = indexUse(filter) === null ? 'scan' : 'indexed';
    const rows = await this.queries.run<{ ids: readonly unknown[] }>(
      accountId,
      text,
      parameters.values,
      kind,
    );
    return rows[0]?.ids.map(Number) ?? null;
  }
}
