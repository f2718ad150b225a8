import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import type { ColumnType } from '../datagrids/column-type/column-type';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { ConnectionTableEntity, TableRequest } from './connection.entity';
import type { DestinationType } from '../destinations/destination';

/** A table as users see it. */
export type TableRecord = Pick<
  ConnectionTableEntity,
  | 'datagridId'
  | 'name'
  | 'revision'
  | 'loadedRows'
  | 'syncedAt'
  | 'request'
  | 'checkedAt'
  | 'differentRows'
  | 'failures'
  | 'lastError'
  | 'lastErrorAt'
  | 'destinationColumns'
> & {
  readonly type: DestinationType;
  /** Present keys of the datagrid's columns by id, as far as the destination has any columns. */
  readonly keys: Readonly<Record<string, string>> | null;
  /** Whether the connection is enabled. */
  readonly enabled: boolean;
  /** Present keys of the chosen columns; `null` for all. */
  readonly columns: string[] | null;
  readonly datagridRevision: number;
  /** Rows of the datagrid. */
  readonly rowCount: number;
  /**
   * Seconds for which the destination has lacked changes; `null` before the first load is complete. During
   * a later load, seconds since it had all changes.
   */
  readonly lagSeconds: number | null;
};

/** What a change of a table depends on. */
export interface LockedTable {
  readonly name: string;
  readonly columnIds: number[] | null;
  /** Whether the destination has rows, or a worker may be writing them. */
  readonly isStarted: boolean;
}

/** Tables of one connection, without those of datagrids in the trash. */
const TABLES = `
  connection_tables t
  JOIN connections c ON c.id = t.connection_id
  JOIN datagrids d ON d.id = t.datagrid_id AND d.deleted_at IS NULL`;

/** Columns of a table before its datagrid is read. */
const STORED = `
  t.datagrid_id, t.name, t.revision, t.loaded_rows, t.synced_at, t.request, t.checked_at,
  t.different_rows, t.failures, t.last_error, t.last_error_at, t.column_ids, t.destination_columns, c.type,
  c.enabled`;

/**
 * Columns of the tables in `t`. Tables of the coordinator are read before those of datagrids, because
 * Citus cannot look up rows of a datagrid by a table of the coordinator.
 */
const COLUMNS = `
  g.datagrid_id AS "datagridId", t.name, t.revision, t.loaded_rows AS "loadedRows",
  t.synced_at AS "syncedAt", t.request, t.checked_at AS "checkedAt",
  t.different_rows AS "differentRows", t.failures, t.last_error AS "lastError",
  t.last_error_at AS "lastErrorAt", t.enabled, g.revision AS "datagridRevision",
  g.row_count AS "rowCount",
  t.type, t.destination_columns AS "destinationColumns",
  CASE WHEN t.destination_columns IS NOT NULL THEN (
    SELECT json_object_agg(k.id, k.key) FROM datagrid_columns k
    WHERE k.datagrid_id = g.datagrid_id AND k.removed_at IS NULL
  ) END AS keys,
  CASE WHEN t.column_ids IS NOT NULL THEN ARRAY(
    SELECT k.key FROM datagrid_columns k
    WHERE k.datagrid_id = g.datagrid_id AND k.id = ANY(t.column_ids) AND k.removed_at IS NULL
    ORDER BY k.id
  ) END AS columns,
  CASE WHEN t.loaded_rows IS NULL AND t.revision = g.revision THEN 0
    WHEN t.synced_at IS NOT NULL THEN greatest(0, floor(
    extract(epoch FROM now() - coalesce(CASE WHEN t.loaded_rows IS NULL THEN (
      SELECT e.at FROM datagrid_changes e
      WHERE e.datagrid_id = g.datagrid_id AND e.revision > t.revision
      ORDER BY e.revision, e.part LIMIT 1
    ) END, t.synced_at))
  ))::bigint END AS "lagSeconds"`;

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'connection-table-list',
  text: `
    WITH t AS MATERIALIZED (
      SELECT ${STORED} FROM ${TABLES} WHERE t.connection_id = $1
      ORDER BY t.datagrid_id OFFSET $2 LIMIT $3
    ), page AS MATERIALIZED (
      SELECT ${COLUMNS} FROM t JOIN datagrid_counters g ON g.datagrid_id = t.datagrid_id
    )
    SELECT n.total, p.*
    FROM (SELECT count(*) AS total FROM ${TABLES} WHERE t.connection_id = $1) n
    LEFT JOIN page p ON true
    ORDER BY p."datagridId"`,
};

const FIND: Statement = {
  name: 'connection-table-find',
  text: `
    WITH t AS MATERIALIZED (
      SELECT ${STORED} FROM ${TABLES} WHERE t.connection_id = $1 AND t.datagrid_id = $2
    )
    SELECT ${COLUMNS} FROM t JOIN datagrid_counters g ON g.datagrid_id = t.datagrid_id
    WHERE g.datagrid_id = $2`,
};

/** A worker that claims a table locks its row, too. */
const IS_STARTED =
  '(t.revision IS NOT NULL OR t.loaded_rows IS NOT NULL OR t.leased_until > now())';

const LOCK: Statement = {
  name: 'connection-table-lock',
  text: `
    SELECT t.name, t.column_ids AS "columnIds", ${IS_STARTED} AS "isStarted"
    FROM connection_tables t
    JOIN datagrids d ON d.id = t.datagrid_id AND d.deleted_at IS NULL
    WHERE t.connection_id = $1 AND t.datagrid_id = $2
    FOR UPDATE OF t`,
};

const LOCK_ALL: Statement = {
  name: 'connection-table-lock-all',
  text: `
    SELECT ${IS_STARTED} AS "isStarted" FROM connection_tables t
    WHERE t.connection_id = $1 ORDER BY t.datagrid_id FOR UPDATE`,
};

const IS_NAME_TAKEN: Statement = {
  name: 'connection-table-is-name-taken',
  text: `
    SELECT FROM connection_tables
    WHERE connection_id = $1 AND name = $3 AND datagrid_id <> $2`,
};

/** Makes a worker in progress lose the table, and the next run due now. */
const RESTARTED = `
  token = token + 1, leased_until = now(), next_run_at = now(), failures = 0, last_error = NULL,
  last_error_at = NULL, error_kind = NULL, has_more = true`;

const CHANGE: Statement = {
  name: 'connection-table-change',
  text: `
    UPDATE connection_tables SET name = $3, column_ids = $4
    WHERE connection_id = $1 AND datagrid_id = $2`,
};

/** A request that includes the new one stays. */
const REQUEST: Statement = {
  name: 'connection-table-request',
  text: `
    UPDATE connection_tables SET ${RESTARTED}, request = CASE
      WHEN request = 'reset' OR (request = 'repair' AND $3::text = 'check') THEN request ELSE $3::text END
    WHERE connection_id = $1 AND datagrid_id = $2`,
};

const RESTART: Statement = {
  name: 'connection-table-restart',
  text: `UPDATE connection_tables SET ${RESTARTED} WHERE connection_id = $1 AND datagrid_id = $2`,
};

const RESTART_ALL: Statement = {
  name: 'connection-table-restart-all',
  text: `UPDATE connection_tables SET ${RESTARTED} WHERE connection_id = $1`,
};

const COLUMN_IDS: Statement = {
  name: 'connection-table-column-ids',
  text: `
    SELECT id, key, type FROM datagrid_columns
    WHERE datagrid_id = $1 AND removed_at IS NULL AND key = ANY($2::text[])`,
};

/** A column that is not removed. */
export interface KnownColumn {
  readonly id: number;
  readonly type: ColumnType;
}

type Listed = { readonly total: number } & (TableRecord | { readonly datagridId: null });

/** Tables of connections, for users. The caller has found the connection with its account. */
@Injectable()
export class ConnectionTableRepository {
  constructor(private readonly database: Database) {}

  /** Returns one page of tables, in the order of the datagrids' ids, and the total. */
  async list(connectionId: string, { page, limit }: PageRequest): Promise<[TableRecord[], number]> {
    const rows = await this.database.run<Listed>(LIST, [connectionId, (page - 1) * limit, limit]);
    return [rows.filter((row) => row.datagridId !== null), rows[0]?.total ?? 0];
  }

  async find(connectionId: string, datagridId: string): Promise<TableRecord | null> {
    return (await this.database.run<TableRecord>(FIND, [connectionId, datagridId]))[0] ?? null;
  }

  /** Locks a table until the end of the transaction. */
  async lock(connectionId: string, datagridId: string): Promise<LockedTable | null> {
    return (await this.database.run<LockedTable>(LOCK, [connectionId, datagridId]))[0] ?? null;
  }

  /**
   * Locks all tables of a connection until the end of the transaction, also those of datagrids in the
   * trash.
   * @returns whether one of them is started.
   */
  async lockAll(connectionId: string): Promise<boolean> {
    const rows = await this.database.run<{ isStarted: boolean }>(LOCK_ALL, [connectionId]);
    return rows.some(({ isStarted }) => isStarted);
  }

  /** Returns whether another table of the connection has a name. */
  async isNameTaken(connectionId: string, datagridId: string, name: string): Promise<boolean> {
    const values = [connectionId, datagridId, name];
    return (await this.database.run(IS_NAME_TAKEN, values)).length > 0;
  }

  /** Requires the lock. */
  async change(
    connectionId: string,
    datagridId: string,
    { name, columnIds }: Pick<LockedTable, 'name' | 'columnIds'>,
  ): Promise<void> {
    await this.database.run(CHANGE, [connectionId, datagridId, name, columnIds]);
  }

  /** Makes a run due now that compares the columns of the table. */
  async restart(connectionId: string, datagridId: string): Promise<void> {
    await this.database.run(RESTART, [connectionId, datagridId]);
  }

  /** Stores a request, and makes it due now. */
  async request(connectionId: string, datagridId: string, request: TableRequest): Promise<void> {
    await this.database.run(REQUEST, [connectionId, datagridId, request]);
  }

  /** Stops the workers of all tables of a connection, and makes their next runs due now. */
  async restartAll(connectionId: string): Promise<void> {
    await this.database.run(RESTART_ALL, [connectionId]);
  }

  /** Returns those of the columns that are not removed, by key. */
  async findColumns(
    datagridId: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownColumn>> {
    const values = [datagridId, keys];
    const rows = await this.database.run<KnownColumn & { key: string }>(COLUMN_IDS, values);
    return new Map(rows.map(({ id, key, type }) => [key, { id, type }]));
  }
}
