import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { DestinationType } from '../../destinations/destination';
import { RUNNABLE_CONNECTIONS } from '../run-claim.repository';

/** States of tables: the destination has all changes, not all, or only a part of a load; or it fails. */
export const TABLE_HEALTHS = ['synced', 'behind', 'loading', 'failing'] as const;

/** Tables of enabled connections, of all accounts that are not suspended. */
export interface TableTotals {
  readonly type: DestinationType;
  readonly state: (typeof TABLE_HEALTHS)[number];
  readonly tables: number;
  /**
   * Age of the oldest change that one of them lacks, less the interval of its connection. 0 unless
   * they are `behind`.
   */
  readonly lagSeconds: number;
}

/** Reads the tables of the coordinator before those of datagrids, as Citus requires. */
const TABLES: Statement = {
  name: 'sync-state-tables',
  text: `
    WITH t AS MATERIALIZED (
      SELECT c.type, coalesce(c.interval_seconds, 0) AS interval_seconds, t.datagrid_id, t.failures,
        t.loaded_rows, t.synced_at, t.revision
      FROM ${RUNNABLE_CONNECTIONS}
      JOIN connection_tables t ON t.connection_id = c.id
      JOIN datagrids d ON d.id = t.datagrid_id AND d.deleted_at IS NULL
    )
    SELECT each.type, each.state, count(*) AS tables, max(CASE WHEN each.state = 'behind'
      THEN greatest(0, extract(epoch FROM now() - each.since) - each.interval_seconds)
      ELSE 0 END)::float8 AS "lagSeconds"
    FROM (
      SELECT t.type, t.interval_seconds,
        coalesce(CASE WHEN t.revision < g.revision THEN (
          SELECT l.at FROM datagrid_changes l
          WHERE l.datagrid_id = g.datagrid_id AND l.revision > t.revision
          ORDER BY l.revision, l.part LIMIT 1
        ) END, t.synced_at) AS since,
        CASE WHEN t.failures > 0 THEN 'failing'
          WHEN t.loaded_rows IS NOT NULL OR t.synced_at IS NULL THEN 'loading'
          WHEN t.revision IS DISTINCT FROM g.revision THEN 'behind'
          ELSE 'synced' END AS state
      FROM t JOIN datagrid_counters g ON g.datagrid_id = t.datagrid_id
    ) each
    GROUP BY 1, 2`,
};

/** Totals of all accounts, for metrics. */
@Injectable()
export class SyncTotalsRepository {
  constructor(private readonly database: Database) {}

  async countTables(): Promise<TableTotals[]> {
    return this.database.run<TableTotals>(TABLES);
  }
}
