import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { raiseForChange, type Writer } from '../change-log/change-log-sql';
import { ChangeSignal } from '../change-log/change-signal';
import { SUM_OF_DEFAULTS } from './column-default';
import { type MetadataSums, metadataBytes, SUM_OF_METADATA } from './column-metadata';
import { counterLock } from '../counter-lock-sql';
import { COLUMN_ORDER, type ColumnRecord, type ColumnLeftovers } from './column-record';
import { DatagridColumnEntity } from './datagrid-column.entity';

/**
 * Locks the datagrid's counter row and changes nothing yet. Runs as its own statement so that later
 * statements see rows committed while it waited. The key-share lock on the datagrid keeps it out of
 * the trash. Otherwise, `deleted_at` would be read before the wait for the counter.
 */
const LOCK: Statement = {
  name: 'column-lock-counter',
  ...counterLock(
    `SELECT c.last_row_id AS "lastRowId", c.row_count AS "rowCount"
    FROM held JOIN datagrid_counters c ON c.datagrid_id = held.id
    WHERE c.datagrid_id = $1
    FOR NO KEY UPDATE OF c`,
    `held AS (
      SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
      FOR KEY SHARE
    )`,
  ),
};

/**
 * Raises the versions and logs the change. If `$4` is 1, writes checked against the previous columns
 * are rejected.
 */
const RAISE: Statement = {
  name: 'column-raise-counter',
  text: raiseForChange('schema', 'schema_version = schema_version + $4'),
};

/**
 * Sets a time after the wait for the lock, and never before the last change. Finds no datagrid in the
 * trash: on Citus, the lock on the datagrid does not keep it out.
 */
const TOUCH: Statement = {
  name: 'column-touch-datagrid',
  text: `
    UPDATE datagrids
    SET updated_at = greatest(updated_at, statement_timestamp()), version = version + 1,
      plain_values = plain_values AND $3
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
    RETURNING id`,
};

/**
 * Time after every write before it: the history of a row compares both. Requires the lock. Citus accepts
 * no volatile function here. It finds the node by the parameter.
 */
const REMOVAL_TIME = `(
  SELECT greatest(c.last_written_at, statement_timestamp()) FROM datagrid_counters c
  WHERE c.datagrid_id = :datagridId
)`;

/** Condition: a column has a key, or had it before and requests may still use it. */
function hasKey(column: string, key: string): string {
  return `(${column}.key = ${key} OR EXISTS (
    SELECT 1 FROM jsonb_to_recordset(${column}.previous_keys) AS p(key text, "expiresAt" timestamptz)
    WHERE p.key = ${key} AND p."expiresAt" > statement_timestamp()))`;
}

const NEW_COLUMN_STATE: Statement = {
  name: 'column-new-state',
  text: `
    SELECT coalesce(max(id), 0) + 1 AS "nextId",
      count(*) FILTER (WHERE removed_at IS NULL) AS living,
      coalesce(bool_or(key = $2 AND removed_at IS NULL), false) AS "isKeyTaken",
      max(id) FILTER (WHERE removed_at IS NULL AND key <> $2
        AND ${hasKey('datagrid_columns', '$2')}) AS "previousId",
      coalesce(bool_or(slot = $2), false) AS "isSlotUsed", ${SUM_OF_METADATA} AS "metadataBytes",
      ${SUM_OF_DEFAULTS} AS "defaultBytes"
    FROM datagrid_columns WHERE datagrid_id = $1`,
};

const METADATA: Statement = {
  name: 'column-metadata',
  text: `
    SELECT ${SUM_OF_METADATA} AS "metadataBytes", ${SUM_OF_DEFAULTS} AS "defaultBytes"
    FROM datagrid_columns WHERE datagrid_id = $1`,
};

const FIND: Statement = {
  name: 'column-find',
  text: `
    SELECT k.id, k.key, k.previous_keys AS "previousKeys", k.slot, k.title, k.type, k.is_required AS required,
      k.is_unique AS "unique", k.is_indexed AS indexed, k.indexed_to AS "indexedTo",
      k.options,
      k.default_value AS "defaultValue", k.number_offset AS "numberOffset", k.version, c.last_row_id AS "lastRowId"
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN datagrid_columns k ON k.datagrid_id = c.datagrid_id AND k.removed_at IS NULL
    WHERE k.datagrid_id = $1 AND ${hasKey('k', '$3')}
      AND d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
    ORDER BY (k.key = $3) DESC LIMIT 1`,
};

/**
 * Puts column `$2` at place `$3` among the others, and numbers all columns from 1. Returns the
 * columns whose place in the list has changed.
 */
const MOVE: Statement = {
  name: 'column-move',
  text: `
    UPDATE datagrid_columns k SET position = n.place
    FROM (
      SELECT id, row_number() OVER (
          ORDER BY CASE WHEN id = $2 THEN $3::integer - 0.5 ELSE other END
        ) AS place, before
      FROM (
        SELECT id, row_number() OVER (ORDER BY id = $2, ${COLUMN_ORDER}) - 1 AS other,
          row_number() OVER (ORDER BY ${COLUMN_ORDER}) AS before
        FROM datagrid_columns WHERE datagrid_id = $1 AND removed_at IS NULL
      ) c
    ) n
    WHERE k.datagrid_id = $1 AND k.id = n.id
    RETURNING n.place <> n.before AS "isMoved"`,
};

export interface LockedDatagrid {
  /** 0 if the datagrid never had a row. */
  readonly lastRowId: number;
  readonly rowCount: number;
}

/** Data needed to add a column with a given key. */
export interface NewColumnState extends MetadataSums {
  readonly nextId: number;
  /** Number of columns that are not removed. */
  readonly living: number;
  readonly isKeyTaken: boolean;
  /** Id of the column that had the key before and is still found by it; `null` if there is none. */
  readonly previousId: number | null;
  /** Whether any column, including removed ones, stores or stored its values under the key. */
  readonly isSlotUsed: boolean;
}

/** Properties that a change of columns preserves. */
export interface Touch {
  /** Whether `rows.values` may still be returned as stored, if it could be before. */
  readonly keepsPlain: boolean;
  /** Whether rows checked before the change may still be written. */
  readonly keepsChecks: boolean;
}

/** Columns of a datagrid. Use inside a transaction that takes the lock first. */
@Injectable()
export class ColumnRepository {
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
  ) {}

  /**
   * Locks the datagrid until the end of the transaction.
   * @returns `null` if the account has no such datagrid.
   */
  async lock(accountId: string, datagridId: string): Promise<LockedDatagrid | null> {
    const [locked] = await this.database.run<LockedDatagrid>(LOCK, [datagridId, accountId]);
    return locked ?? null;
  }

  /** Returns the data needed to add a column with this key. */
  async getNewColumnState(datagridId: string, key: string): Promise<NewColumnState> {
    const [state] = await this.database.run<NewColumnState>(NEW_COLUMN_STATE, [datagridId, key]);
    if (!state) throw new Error('An aggregate gives one row.');
    return state;
  }

  /** Returns the sums for the columns that are not removed. */
  async getMetadataSums(datagridId: string): Promise<MetadataSums> {
    const [sums] = await this.database.run<MetadataSums>(METADATA, [datagridId]);
    if (!sums) throw new Error('An aggregate gives one row.');
    return sums;
  }

  /** Finds a column that is not removed, in a datagrid that is not in the trash. Takes no lock. */
  async findShown(
    accountId: string,
    datagridId: string,
    key: string,
  ): Promise<ColumnRecord | null> {
    const [found] = await this.database.run<ColumnRecord>(FIND, [datagridId, accountId, key]);
    return found ?? null;
  }

  /** Finds a column that is not removed, by its key or a previous one. */
  async find(datagridId: string, key: string): Promise<(ColumnRecord & ColumnLeftovers) | null> {
    const found = await this.database
      .repository(DatagridColumnEntity)
      .createQueryBuilder('k')
      .where('k.datagrid_id = :datagridId AND k.removed_at IS NULL', { datagridId })
      .andWhere(hasKey('k', ':key'), { key })
      .getMany();
    return found.find((column) => column.key === key) ?? found[0] ?? null;
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

  /**
   * Moves a column to a place among the columns of the datagrid, from 0.
   * @returns whether the order of the columns has changed.
   */
  async move(datagridId: string, id: number, place: number): Promise<boolean> {
    const columns = await this.database.run<{ isMoved: boolean }>(MOVE, [datagridId, id, place]);
    return columns.some(({ isMoved }) => isMoved);
  }

  /** Marks a column as removed. */
  async remove(
    datagridId: string,
    id: number,
    change: Partial<DatagridColumnEntity>,
  ): Promise<void> {
    await this.database
      .repository(DatagridColumnEntity)
      .createQueryBuilder()
      .update()
      .set({ ...change, removedAt: () => REMOVAL_TIME })
      .where('datagrid_id = :datagridId AND id = :id', { datagridId, id })
      .execute();
  }

  /**
   * Records that the datagrid's columns have changed. Called once per change.
   * @returns whether the datagrid is not in the trash. If it is, the change must be rolled back.
   */
  async touch(
    { accountId, userId, keyId }: Writer,
    datagridId: string,
    { keepsPlain, keepsChecks }: Touch,
  ): Promise<boolean> {
    await this.database.run(RAISE, [datagridId, userId, keyId, keepsChecks ? 0 : 1]);
    const touched = await this.database.run(TOUCH, [datagridId, accountId, keepsPlain]);
    this.signal.send(datagridId);
    return touched.length > 0;
  }
}
