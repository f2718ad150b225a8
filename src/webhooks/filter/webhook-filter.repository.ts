import { Injectable } from '@nestjs/common';
import { type ColumnRecord, columnsJson } from '../../datagrids/column/column-record';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { QueryPool } from '../../platform/database/query-pool';
import type { Statement } from '../../platform/database/text-query';
import { filterSql } from '../../rows/query/filter/filter-sql';
import type { Filter } from '../../rows/query/filter/parse-filter';
import { SqlParameters } from '../../rows/query/filter/value-sql';
import type { NamedColumn } from '../../rows/query/filter/stored-filter';

/** Names columns, also removed ones, of datagrids that webhooks of one account name. */
const NAMES: Statement = {
  name: 'webhook-filter-names',
  text: `
    SELECT datagrid_id AS "datagridId", id, key, removed_at IS NOT NULL AS "isRemoved"
    FROM datagrid_columns WHERE datagrid_id = ANY($1::uuid[]) AND id = ANY($2::int[])`,
};

/** Reads some columns with the version of the schema, also of a datagrid in the trash. */
const COLUMNS: Statement = {
  name: 'webhook-filter-columns',
  text: `
    SELECT c.schema_version AS version, ${columnsJson('AND id = ANY($3::int[])')} AS columns
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND c.datagrid_id = $1 AND d.account_id = $2`,
};

export interface FilterColumns {
  /** Version of the schema of the datagrid. */
  readonly version: number;
  readonly columns: readonly ColumnRecord[];
}

interface Matches {
  /** Ids and revisions. */
  readonly rows: readonly (readonly [number, number])[];
}

/** Returns the statement for the matching rows. It returns no row if the schema has changed. */
function matchSql(
  accountId: string,
  { datagridId, version }: DatagridSchema,
  filter: Filter,
  ids: readonly number[],
): { readonly text: string; readonly values: readonly unknown[] } {
  const parameters = new SqlParameters(datagridId, accountId, version, ids);
  const text = `
    SELECT (
      SELECT coalesce(json_agg(json_build_array(r.id, r.revision)), '[]') FROM rows r
      WHERE r.datagrid_id = $1 AND r.id = ANY($4::bigint[]) AND ${filterSql(filter, parameters)}
    ) AS rows
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND c.schema_version = $3`;
  return { text, values: parameters.values };
}

/** Reads what filters of webhooks name, and the rows that match them. */
@Injectable()
export class WebhookFilterRepository {
  constructor(
    private readonly database: Database,
    private readonly queries: QueryPool,
  ) {}

  /** Returns those columns of the datagrids that have one of the ids. */
  async listNames(
    datagridIds: readonly string[],
    columnIds: readonly number[],
  ): Promise<(NamedColumn & { readonly datagridId: string })[]> {
    return this.database.run(NAMES, [datagridIds, columnIds]);
  }

  /** @returns `null` if the account has no such datagrid. */
  async findColumns(
    accountId: string,
    datagridId: string,
    columnIds: readonly number[],
  ): Promise<FilterColumns | null> {
    const values = [datagridId, accountId, columnIds];
    return (await this.database.run<FilterColumns>(COLUMNS, values))[0] ?? null;
  }

  /**
   * Returns the matching ones of some rows: their revisions by id. Uses the pool for queries, because
   * a filter on large rows takes long.
   * @returns `null` if the schema has changed or the datagrid was purged.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async match(
    accountId: string,
    schema: DatagridSchema,
    filter: Filter,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, number> | null> {
    const { text, values } = matchSql(accountId, schema, filter, ids);
    const [found] = await this.queries.run<Matches>(accountId, text, values, 'indexed');
    return found ? new Map(found.rows) : null;
  }
}
