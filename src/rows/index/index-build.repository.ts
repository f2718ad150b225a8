import { Injectable } from '@nestjs/common';
import type { TypeRules } from '../../datagrids/column-type/column-type';
import { MAX_LISTED_JOBS, type StepResult } from '../../platform/background/job-turns';
import type { StepSize } from '../../platform/background/step-size';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { DatagridLockRepository } from '../write/counter.repository';
import { enterRows, indexedColumnValues } from '../storage/index-entries-sql';

const PENDING: Statement = {
  name: 'index-build-pending',
  text: `
    SELECT "accountId", "datagridId", "columnId"
    FROM (
      SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId", k.id AS "columnId",
        row_number() OVER (PARTITION BY d.account_id ORDER BY k.datagrid_id, k.id) AS place
      FROM datagrid_columns k JOIN datagrids d ON d.id = k.datagrid_id
      WHERE k.indexed_to >= 0 AND k.removed_at IS NULL
    ) pending
    WHERE place <= ${String(MAX_LISTED_JOBS)}
    ORDER BY place`,
};

const COLUMN: Statement = {
  name: 'index-build-column',
  text: `
    SELECT id, slot, type, options, indexed_to AS "indexedTo" FROM datagrid_columns
    WHERE datagrid_id = $1 AND id = $2 AND indexed_to >= 0 AND removed_at IS NULL`,
};

const step = (maxRows: number): Statement => ({
  name: `index-build-step-${String(maxRows)}`,
  text: `
    WITH batch AS (
      SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id > $2
      ORDER BY id LIMIT ${String(maxRows)}
    ), ${enterRows('batch', 3, true)}
    SELECT count(*) AS count, max(id) AS "lastId" FROM batch`,
});

const ADVANCE: Statement = {
  name: 'index-build-advance',
  text: 'UPDATE datagrid_columns SET indexed_to = $3 WHERE datagrid_id = $1 AND id = $2',
};

/**
 * Completes the index. Reads use it from then on, because the new schema version rejects statements
 * that were built for the previous state of the columns.
 */
const COMPLETE: Statement = {
  name: 'index-build-complete',
  text: `
    WITH done AS (
      UPDATE datagrid_columns SET indexed_to = -1 WHERE datagrid_id = $1 AND id = $2
    )
    UPDATE datagrid_counters SET schema_version = schema_version + 1 WHERE datagrid_id = $1`,
};

export interface PendingIndex {
  readonly datagridId: string;
  readonly columnId: number;
}

export interface ListedIndex extends PendingIndex {
  readonly accountId: string;
}

interface PendingColumn extends TypeRules {
  readonly id: number;
  readonly slot: string;
  readonly indexedTo: number;
}

interface StepRow {
  readonly count: number;
  readonly lastId: number;
}

@Injectable()
export class IndexBuildRepository {
  constructor(
    private readonly database: Database,
    private readonly lock: DatagridLockRepository,
  ) {}

  /** Lists the first MAX_LISTED_JOBS columns of each account whose index is not complete. */
  async listPending(): Promise<ListedIndex[]> {
    return this.database.run<ListedIndex>(PENDING);
  }

  /**
   * Adds the next rows to the index, in a short transaction under the datagrid's lock. No row is
   * written meanwhile, so the step and the writes see each other's entries.
   * @returns `locked` if writes hold the lock for longer than a second.
   */
  async step(index: PendingIndex, size: StepSize): Promise<StepResult | 'completed'> {
    const { datagridId, columnId } = index;
    return this.lock.under(datagridId, async () => {
      const [column] = await this.database.run<PendingColumn>(COLUMN, [datagridId, columnId]);
      if (!column) return 'completed';
      const maxRows = size.rows;
      const done = await size.measure((rows) => this.enter(datagridId, column, rows));
      if (!done || done.count < maxRows) {
        await this.database.run(COMPLETE, [datagridId, columnId]);
        return 'completed';
      }
      await this.database.run(ADVANCE, [datagridId, columnId, done.lastId]);
      return 'more';
    });
  }

  private async enter(
    datagridId: string,
    column: PendingColumn,
    maxRows: number,
  ): Promise<StepRow | undefined> {
    const values = [datagridId, column.indexedTo, ...indexedColumnValues({ indexed: [column] })];
    const [done] = await this.database.run<StepRow>(step(maxRows), values);
    return done;
  }
}
