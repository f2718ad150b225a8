import { Injectable } from '@nestjs/common';
import { MAX_LISTED_JOBS } from '../../platform/background/job-turns';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import {
  cleanupSql,
  cleanupStep,
  type CleanupStep,
  type CleanupTable,
  type StepRow,
  type TablePosition,
} from '../cleanup/cleanup-sql';

const LIST: Statement = {
  name: 'purge-list',
  text: `
    SELECT "accountId", "datagridId"
    FROM (
      SELECT account_id AS "accountId", datagrid_id AS "datagridId",
        row_number() OVER (PARTITION BY account_id ORDER BY created_at, datagrid_id) AS place
      FROM datagrid_purges
    ) purges
    WHERE place <= ${String(MAX_LISTED_JOBS)}
    ORDER BY place`,
};

const FINISH: Statement = {
  name: 'purge-finish',
  text: 'DELETE FROM datagrid_purges WHERE datagrid_id = $1',
};

const DATAGRID = {
  of: ['datagrid_id'],
  others: 0,
  record: 'SELECT 1 FROM datagrid_purges WHERE datagrid_id = $1 FOR UPDATE SKIP LOCKED',
};

const step = (table: CleanupTable, maxRows: number): Statement => ({
  name: `purge-${table.name}-${String(maxRows)}`,
  text: cleanupSql(DATAGRID, table, maxRows),
});

export interface PurgedDatagrid {
  /** `null` if an operator ordered the purge, or a release that did not have this column. */
  readonly accountId: string | null;
  readonly datagridId: string;
}

/** Cleans up after purged datagrids. Every statement except the list is scoped to a datagrid. */
@Injectable()
export class PurgeRepository {
  constructor(private readonly database: Database) {}

  /** Lists the first MAX_LISTED_JOBS purged datagrids of each account, oldest first. */
  async list(): Promise<PurgedDatagrid[]> {
    return this.database.run<PurgedDatagrid>(LIST);
  }

  /** Deletes up to `maxRows` rows of a table that follow `after`. */
  async clear(
    datagridId: string,
    table: CleanupTable,
    after: TablePosition,
    maxRows: number,
  ): Promise<CleanupStep> {
    const statement = step(table, maxRows);
    const [cleared] = await this.database.run<StepRow>(statement, [datagridId, ...after]);
    return cleanupStep(cleared, table, maxRows);
  }

  /** Completes the purge when nothing is left of the datagrid. */
  async finish(datagridId: string): Promise<void> {
    await this.database.run(FINISH, [datagridId]);
  }
}

const MIN_ID = '00000000-0000-0000-0000-000000000000';

/** Tables that hold the remaining data of a purged datagrid. */
export const PURGED_TABLES: readonly CleanupTable[] = [
  { name: 'rows', key: ['id'], start: [0] },
  { name: 'row_gaps', key: ['level', 'block'], start: [-1, -1] },
  { name: 'unique_values', key: ['column_id', 'value_hash'], start: [0, Buffer.alloc(0)] },
  {
    name: 'text_index_entries',
    key: ['column_id', 'is_empty', 'value', 'row_id'],
    start: [0, false, '', 0],
  },
  {
    name: 'number_index_entries',
    key: ['column_id', 'is_empty', 'value', 'row_id'],
    start: [0, false, 0, 0],
  },
  { name: 'row_links', key: ['column_id', 'target_id', 'row_id'], start: [0, 0, 0] },
  { name: 'row_tombstones', key: ['row_id'], start: [0] },
  { name: 'datagrid_changes', key: ['revision', 'part'], start: [-1, -1] },
  { name: 'row_versions', key: ['replaced_revision', 'row_id'], start: [-1, 0] },
  { name: 'datagrid_views', key: ['id'], start: [MIN_ID] },
  { name: 'view_links', key: ['view_id'], start: [MIN_ID] },
  { name: 'import_lines', key: ['import_id', 'line'], start: [MIN_ID, 0] },
  { name: 'imports', key: ['id'], start: [MIN_ID] },
];
