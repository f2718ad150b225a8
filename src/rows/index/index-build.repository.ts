import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../../datagrids/column-type/column-type';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { enterRows, indexedColumnValues } from './index-sql';

/** Rows that one step enters: it holds the datagrid's lock for some milliseconds. */
const STEP_ROWS = 2_000;

const PENDING: Statement = {
  name: 'index-build-pending',
  text: `
    SELECT datagrid_id AS "datagridId", id AS "columnId" FROM datagrid_columns
    WHERE indexed_to >= 0 AND removed_at IS NULL`,
};

/** While it is held no row is written, so that the step and the writes see each other's entries. */
const LOCK: Statement = {
  name: 'index-build-lock',
  text: 'SELECT 1 AS one FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE',
};

const COLUMN: Statement = {
  name: 'index-build-column',
  text: `
    SELECT id, slot, type, indexed_to AS "indexedTo" FROM datagrid_columns
    WHERE datagrid_id = $1 AND id = $2 AND indexed_to >= 0 AND removed_at IS NULL`,
};

const STEP: Statement = {
  name: 'index-build-step',
  text: `
    WITH batch AS (
      SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id > $2
      ORDER BY id LIMIT ${String(STEP_ROWS)}
    ), ${enterRows('batch', 3)}
    SELECT count(*) AS count, max(id) AS "lastId" FROM batch`,
};

const ADVANCE: Statement = {
  name: 'index-build-advance',
  text: 'UPDATE datagrid_columns SET indexed_to = $3 WHERE datagrid_id = $1 AND id = $2',
};

/** From here on reads use the index: what was prepared for the columns as they were is refused. */
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

interface PendingColumn {
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
  readonly indexedTo: number;
}

@Injectable()
export class IndexBuildRepository {
  constructor(private readonly database: Database) {}

  /** The columns whose index is not complete. */
  async listPending(): Promise<PendingIndex[]> {
    return this.database.run<PendingIndex>(PENDING);
  }

  /**
   * Enters the next rows, in a short transaction under the datagrid's lock.
   * @returns whether there may be more to do.
   */
  async step({ datagridId, columnId }: PendingIndex): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.database.run(LOCK, [datagridId]);
      const [column] = await this.database.run<PendingColumn>(COLUMN, [datagridId, columnId]);
      if (!column) return false;
      const values = [datagridId, column.indexedTo, ...indexedColumnValues({ indexed: [column] })];
      const [done] = await this.database.run<{ count: number; lastId: number }>(STEP, values);
      if (!done || done.count < STEP_ROWS) {
        await this.database.run(COMPLETE, [datagridId, columnId]);
        return false;
      }
      await this.database.run(ADVANCE, [datagridId, columnId, done.lastId]);
      return true;
    });
  }
}
