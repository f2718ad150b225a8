import { Injectable } from '@nestjs/common';
import { COLUMN_TYPE_NAMES, isComparable } from '../../datagrids/column-type/column-type';
import { MAX_LISTED_JOBS } from '../../platform/background/job-turns';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import {
  cleanupSql,
  cleanupStep,
  type CleanupTable,
  type CleanupStep,
  type StepRow,
  type TablePosition,
} from '../cleanup/cleanup-sql';
import { DatagridLockRepository } from '../write/counter.repository';

/** Orphans of a column: entries of an index, or claims on unique values. */
export interface Leftovers {
  readonly accountId: string;
  readonly datagridId: string;
  readonly columnId: number;
  readonly kind: 'entries' | 'claims';
  /** Time as text, which distinguishes these orphans from later ones of the same column. */
  readonly leftAt: string;
}

const ENTRY_KEY = ['is_empty', 'value', 'row_id'];

const TABLES: Readonly<Record<Leftovers['kind'], readonly CleanupTable[]>> = {
  entries: [
    { name: 'text_index_entries', key: ENTRY_KEY, start: [false, '', 0] },
    { name: 'number_index_entries', key: ENTRY_KEY, start: [false, '-Infinity', 0] },
  ],
  claims: [{ name: 'unique_values', key: ['value_hash'], start: [Buffer.alloc(0)] }],
};

const LIST: Statement = {
  name: 'leftovers-list',
  text: `
    SELECT "accountId", "datagridId", "columnId", kind, "leftAt"
    FROM (
      SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId", k.id AS "columnId",
        l.kind, l.at::text AS "leftAt",
        row_number() OVER (PARTITION BY d.account_id ORDER BY l.at, k.datagrid_id, k.id) AS place
      FROM datagrid_columns k
      JOIN datagrids d ON d.id = k.datagrid_id
      CROSS JOIN LATERAL (
        VALUES ('entries', k.entries_left_at), ('claims', k.claims_left_at)
      ) l (kind, at)
      WHERE (k.entries_left_at IS NOT NULL OR k.claims_left_at IS NOT NULL) AND l.at IS NOT NULL
    ) orphans
    WHERE place <= ${String(MAX_LISTED_JOBS)}
    ORDER BY place`,
};

const condition = (kind: Leftovers['kind']): string =>
  `datagrid_id = $1 AND id = $2 AND ${kind}_left_at = $3::timestamptz`;

const cleanup = (kind: Leftovers['kind'], table: CleanupTable, maxRows: number): Statement => ({
  name: `leftovers-${table.name}-${String(maxRows)}`,
  text: cleanupSql(
    {
      of: ['datagrid_id', 'column_id'],
      others: 1,
      record: `SELECT 1 FROM datagrid_columns WHERE ${condition(kind)} FOR UPDATE SKIP LOCKED`,
    },
    table,
    maxRows,
  ),
});

const COMPARABLE = COLUMN_TYPE_NAMES.filter(isComparable).map((type) => `'${type}'`);

/**
 * Completes the cleanup. If the column needs an index by now, writes maintain it from then on, and
 * the new schema version rejects writes that are in progress.
 */
const FINISH: Readonly<Record<Leftovers['kind'], Statement>> = {
  entries: {
    name: 'leftovers-finish-entries',
    text: `
      WITH cleared AS (
        UPDATE datagrid_columns SET entries_left_at = NULL, indexed_to = CASE
          WHEN removed_at IS NULL AND (is_indexed OR is_unique)
            AND type IN (${COMPARABLE.join(', ')})
          THEN 0 END
        WHERE ${condition('entries')}
        RETURNING indexed_to
      )
      UPDATE datagrid_counters SET schema_version = schema_version + 1
      WHERE datagrid_id = $1 AND EXISTS (SELECT FROM cleared WHERE indexed_to = 0)`,
  },
  claims: {
    name: 'leftovers-finish-claims',
    text: `UPDATE datagrid_columns SET claims_left_at = NULL WHERE ${condition('claims')}`,
  },
};

/** Deletes orphans of columns. Every statement except the list is scoped to a datagrid. */
@Injectable()
export class LeftoverRepository {
  constructor(
    private readonly database: Database,
    private readonly lock: DatagridLockRepository,
  ) {}

  /** Lists the oldest orphans of each account, oldest first. */
  async list(): Promise<Leftovers[]> {
    return this.database.run<Leftovers>(LIST);
  }

  /** Returns the tables that hold the orphans. */
  tablesOf({ kind }: Leftovers): readonly CleanupTable[] {
    return TABLES[kind];
  }

  /** Deletes up to `maxRows` rows of a table that follow `after`. Nothing else reads these rows. */
  async clear(
    leftovers: Leftovers,
    table: CleanupTable,
    after: TablePosition,
    maxRows: number,
  ): Promise<CleanupStep> {
    const { datagridId, columnId, kind, leftAt } = leftovers;
    const values = [datagridId, columnId, leftAt, ...after];
    const [cleared] = await this.database.run<StepRow>(cleanup(kind, table, maxRows), values);
    return cleanupStep(cleared, table, maxRows);
  }

  /**
   * Completes the cleanup when no orphans are left. A column that needs an index can then get it.
   * @returns `locked` if writes hold the datagrid's lock for longer than a second.
   */
  async finish(leftovers: Leftovers): Promise<'completed' | 'locked'> {
    const { datagridId, columnId, kind, leftAt } = leftovers;
    return this.lock.under<'completed'>(datagridId, async () => {
      await this.database.run(FINISH[kind], [datagridId, columnId, leftAt]);
      return 'completed';
    });
  }
}
