import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { DatagridEntity } from '../datagrid.entity';
import type { ColumnRecord, ColumnRemains } from './column-record';
import { DatagridColumnEntity } from './datagrid-column.entity';

/**
 * Takes the datagrid's lock. A statement of its own: what follows must see all that was committed
 * while this one waited. Writes of rows that were checked against the columns as they were are
 * refused from here on. Held, the datagrid cannot go into the trash meanwhile; whether it lives
 * would else be read before the wait for the counter.
 */
const LOCK: Statement = {
  name: 'column-lock-counter',
  text: `
    WITH held AS (
      SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
      FOR KEY SHARE
    )
    UPDATE datagrid_counters c
    SET revision = c.revision + 1, schema_version = c.schema_version + 1
    FROM held
    WHERE c.datagrid_id = $1 AND held.id = $1
    RETURNING c.last_row_id AS "lastRowId", c.row_count AS "rowCount"`,
};

const PLACE: Statement = {
  name: 'column-place',
  text: `
    SELECT coalesce(max(id), 0) + 1 AS "nextId",
      count(*) FILTER (WHERE removed_at IS NULL) AS living,
      coalesce(bool_or(key = $2 AND removed_at IS NULL), false) AS "isKeyTaken",
      coalesce(bool_or(slot = $2), false) AS "isSlotUsed"
    FROM datagrid_columns WHERE datagrid_id = $1`,
};

export interface LockedDatagrid {
  /** 0 where there has never been a row. */
  readonly lastRowId: number;
  readonly rowCount: number;
}

/** Where a new column of some key would stand. */
export interface ColumnPlace {
  readonly nextId: number;
  /** Living columns there are. */
  readonly living: number;
  readonly isKeyTaken: boolean;
  /** Whether a column, living or removed, keeps or kept its values under the key. */
  readonly isSlotUsed: boolean;
}

/** For use inside a transaction that takes the lock first. */
@Injectable()
export class ColumnRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the datagrid's lock until the end of the transaction; raises its revision and the
   * version of its columns. `null` where the account has no such datagrid.
   */
  async lock(accountId: string, datagridId: string): Promise<LockedDatagrid | null> {
    const [locked] = await this.database.run<LockedDatagrid>(LOCK, [datagridId, accountId]);
    return locked ?? null;
  }

  async getPlace(datagridId: string, key: string): Promise<ColumnPlace> {
    const [place] = await this.database.run<ColumnPlace>(PLACE, [datagridId, key]);
    if (!place) throw new Error('An aggregate gives one row.');
    return place;
  }

  /** A living column. */
  async find(datagridId: string, key: string): Promise<(ColumnRecord & ColumnRemains) | null> {
    const where = { datagridId, key, removedAt: IsNull() };
    return this.database.repository(DatagridColumnEntity).findOneBy(where);
  }

  async insert(datagridId: string, column: ColumnRecord): Promise<void> {
    await this.database.repository(DatagridColumnEntity).insert({ ...column, datagridId });
  }

  async update(
    datagridId: string,
    id: number,
    change: Partial<DatagridColumnEntity>,
  ): Promise<void> {
    await this.database.repository(DatagridColumnEntity).update({ datagridId, id }, change);
  }

  /**
   * Notes that the datagrid's columns have changed.
   * @param keepsPlain Whether `rows.values` may still be given out as it stands, if it might.
   */
  async touch(accountId: string, datagridId: string, keepsPlain: boolean): Promise<void> {
    const change = { updatedAt: new Date(), ...(!keepsPlain && { plainValues: false }) };
    await this.database.repository(DatagridEntity).update({ accountId, id: datagridId }, change);
  }
}
