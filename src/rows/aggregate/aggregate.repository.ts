import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { QueryPool } from '../../platform/database/query-pool';
import type { TextRow } from '../../platform/database/text-query';
import { isSelective } from '../query/plan/query-parts';
import type { RowVersion } from '../storage/row-version.repository';
import type { AggregateRequest } from './aggregate-request';
import { aggregateSql, foundGroupsSql } from './aggregate-sql';
import { ColumnarGroups } from './columnar-groups';

export interface FoundGroups extends RowVersion {
  /** Number of groups, also of those beyond the limit. */
  readonly total: number;
  /** Groups as a JSON array, in order; `null` if they exceed `maxBytes`. */
  readonly json: string | null;
}

@Injectable()
export class AggregateRepository {
  constructor(
    private readonly queries: QueryPool,
    private readonly columnar: ColumnarGroups,
  ) {}

  /**
   * Groups the rows that match. Counts as a scan, because it reads all of them.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   * @throws QueryTimeoutError, or AppError as `QueryPool.runForText`.
   */
  async find(
    accountId: string,
    schema: DatagridSchema,
    request: AggregateRequest,
    maxBytes: number,
  ): Promise<FoundGroups | null> {
    // No copy is faster than an index that leads to few rows.
    const reader = isSelective(request.filter) ? undefined : this.columnar.reader;
    const found = await reader?.findGroups(accountId, schema, request, (groups, snapshot) => {
      const { text, values } = foundGroupsSql(accountId, schema, request, maxBytes, groups);
      return snapshot.queryText(text, values);
    });
    if (found) return foundGroups(found);
    const { text, values } = aggregateSql(accountId, schema, request, maxBytes);
    const row = await this.queries.runForText(accountId, text, values, 'scan');
    if (!row) return null;
    reader?.noteScan(accountId, schema.datagridId, null);
    return foundGroups(row);
  }
}

function foundGroups([revision, schemaVersion, total, json = null]: TextRow): FoundGroups {
  return {
    revision: Number(revision),
    schemaVersion: Number(schemaVersion),
    total: Number(total),
    json,
  };
}
