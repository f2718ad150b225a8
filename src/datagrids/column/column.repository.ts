import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { metadataBytes, SUM_OF_METADATA } from './column-metadata';
import type { ColumnRecord, ColumnLeftovers } from './column-record';
import { DatagridColumnEntity } from './datagrid-column.entity';

/**
 * Takes the datagrid's lock and changes nothing yet. A statement of its own: what follows must see
 * all that was committed while this one waited. Held, the datagrid cannot go into the trash
 * meanwhile; whether it lives would else be read before the wait for the counter.
 */
const LOCK: Statement = {
  name: 'column-lock-counter',
  text: `
    WITH held AS (
      SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
      FOR KEY SHARE
    )
    SELECT c.last_row_id AS "lastRowId", c.row_count AS "rowCount"
    FROM held JOIN datagrid_counters c ON c.datagrid_id = held.id
    WHERE c.datagrid_id = $1
    FOR NO KEY UPDATE OF c`,
};

/** With `$2` 1, writes of rows that were checked against the columns as they were are refused. */
const RAISE: Statement = {
  name: 'column-raise-counter',
  text: `
    UPDATE datagrid_counters SET revision = revision + 1, schema_version = schema_version + $2
    WHERE datagrid_id = $1`,
};

/** Dated after the wait for the lock, and never before the last change. */
const TOUCH: Statement = {
  name: 'column-touch-datagrid',
  text: `
    UPDATE datagrids
    SET updated_at = greatest(updated_at, statement_timestamp()), version = version + 1,
      plain_values = plain_values AND $3
    WHERE id = $1 AND account_id = $2`,
};

const PLACE: Statement = {
  name: 'column-place',
  text: `
    SELECT coalesce(max(id), 0) + 1 AS "nextId",
      count(*) FILTER (WHERE removed_at IS NULL) AS living,
      coalesce(bool_or(key = $2 AND removed_at IS NULL), false) AS "isKeyTaken",
      coalesce(bool_or(slot = $2), false) AS "isSlotUsed", ${SUM_OF_METADATA} AS "metadataBytes"
    FROM datagrid_columns WHERE datagrid_id = $1`,
};

const METADATA: Statement = {
  name: 'column-metadata',
  text: `SELECT ${SUM_OF_METADATA} AS bytes FROM datagrid_columns WHERE datagrid_id = $1`,
};

const FIND: Statement = {
  name: 'column-find',
  text: `
    SELECT k.id, k.key, k.slot, k.title, k.type, k.is_required AS required,
      k.is_unique AS "unique", k.is_indexed AS indexed, k.indexed_to AS "indexedTo", k.options,
      k.version, c.last_row_id AS "lastRowId"
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN datagrid_columns k ON k.datagrid_id = c.datagrid_id AND k.removed_at IS NULL
    WHERE k.datagrid_id = $1 AND k.key = $3
      AND d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
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
  /** Of the living columns: see `metadataBytes`. */
  readonly metadataBytes: number;
}

/** What a change of columns leaves as it is. */
export interface Touch {
  /** Whether `rows.values` may still be given out as it stands, if it might. */
  readonly keepsPlain: boolean;
  /** Whether rows that were checked before may still be written. */
  readonly keepsChecks: boolean;
}

/** For use inside a transaction that takes the lock first. */
@Injectable()
export class ColumnRepository {
  constructor(private readonly database: Database) {}

  /** Takes the datagrid's lock until the end of the transaction; `null` where the account has none. */
  async lock(accountId: string, datagridId: string): Promise<LockedDatagrid | null> {
    const [locked] = await this.database.run<LockedDatagrid>(LOCK, [datagridId, accountId]);
    return locked ?? null;
  }

  async getPlace(datagridId: string, key: string): Promise<ColumnPlace> {
    const [place] = await this.database.run<ColumnPlace>(PLACE, [datagridId, key]);
    if (!place) throw new Error('An aggregate gives one row.');
    return place;
  }

  /** Of the living columns: see `metadataBytes`. */
  async getMetadataBytes(datagridId: string): Promise<number> {
    const [sum] = await this.database.run<{ bytes: number }>(METADATA, [datagridId]);
    return sum?.bytes ?? 0;
  }

  /** A living column of a living datagrid; without a lock. */
  async findShown(
    accountId: string,
    datagridId: string,
    key: string,
  ): Promise<ColumnRecord | null> {
    const [found] = await this.database.run<ColumnRecord>(FIND, [datagridId, accountId, key]);
    return found ?? null;
  }

  /** A living column. */
  async find(datagridId: string, key: string): Promise<(ColumnRecord & ColumnLeftovers) | null> {
    const where = { datagridId, key, removedAt: IsNull() };
    return this.database.repository(DatagridColumnEntity).findOneBy(where);
  }

  async insert(datagridId: string, column: ColumnRecord): Promise<void> {
    const entity = { ...column, datagridId, metadataBytes: metadataBytes(column) };
    await this.database.repository(DatagridColumnEntity).insert(entity);
  }

  async update(
    datagridId: string,
    id: number,
    change: Partial<DatagridColumnEntity>,
  ): Promise<void> {
    await this.database.repository(DatagridColumnEntity).update({ datagridId, id }, change);
  }

  /** Notes that the datagrid's columns have changed: once in a change that is one. */
  async touch(
    accountId: string,
    datagridId: string,
    { keepsPlain, keepsChecks }: Touch,
  ): Promise<void> {
    await this.database.run(RAISE, [datagridId, keepsChecks ? 0 : 1]);
    await this.database.run(TOUCH, [datagridId, accountId, keepsPlain]);
  }
}
