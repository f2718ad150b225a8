import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { ScheduledImportEntity, type ScheduledImportRunEntity } from './scheduled-import.entity';

export type ImportRunRecord = Omit<
  ScheduledImportRunEntity,
  'scheduledImportId' | 'scheduledImport'
>;

/** A scheduled import as users see it. */
export type ScheduledImportRecord = Omit<
  ScheduledImportEntity,
  'connection' | 'token' | 'leasedUntil' | 'errorKind'
> & {
  /** Whether a worker has claimed it. */
  readonly isRunning: boolean;
  /** Whether its connection is enabled. */
  readonly isConnectionEnabled: boolean;
  readonly lastRun: PrintedRun | null;
};

/** A run as PostgreSQL prints it in JSON: times are texts. */
export type PrintedRun = Omit<ImportRunRecord, 'startedAt' | 'endedAt'> & {
  readonly startedAt: string;
  readonly endedAt: string;
};

export type NewScheduledImport = Pick<
  ScheduledImportEntity,
  | 'id'
  | 'connectionId'
  | 'datagridId'
  | 'name'
  | 'query'
  | 'table'
  | 'keyColumns'
  | 'columns'
  | 'columnIds'
  | 'missingRows'
  | 'allowEmptyResult'
  | 'intervalSeconds'
  | 'enabled'
>;

export type ScheduledImportChange = Partial<Omit<NewScheduledImport, 'id' | 'connectionId'>>;

const RUN_COLUMNS = `
  r.id, r.import_id AS "importId", r.started_at AS "startedAt", r.ended_at AS "endedAt",
  r.rows_read AS "rowsRead", r.created, r.updated, r.unchanged, r.deleted, r.rejected,
  r.rejected_rows AS "rejectedRows", r.note, r.error`;

/** Scheduled imports of connection `$1`, without those into datagrids in the trash. */
const IMPORTS = `
  scheduled_imports i
  JOIN connections c ON c.id = i.connection_id
  JOIN datagrids d ON d.id = i.datagrid_id AND d.deleted_at IS NULL`;

const COLUMNS = `
  i.id, i.connection_id AS "connectionId", i.datagrid_id AS "datagridId", i.name, i.query,
  i.table_name AS "table", i.key_columns AS "keyColumns", i.columns,
  i.column_ids AS "columnIds",
  i.missing_rows AS "missingRows", i.allow_empty_result AS "allowEmptyResult",
  i.interval_seconds AS "intervalSeconds", i.enabled, i.created_at AS "createdAt",
  i.updated_at AS "updatedAt", i.version, i.last_run_at AS "lastRunAt", i.failures,
  i.last_error AS "lastError", i.last_error_at AS "lastErrorAt", i.next_run_at AS "nextRunAt",
  i.leased_until > now() + interval '1 ms' AS "isRunning", c.enabled AS "isConnectionEnabled",
  (SELECT to_jsonb(last) FROM (
    SELECT ${RUN_COLUMNS} FROM scheduled_import_runs r
    WHERE r.scheduled_import_id = i.id ORDER BY r.id DESC LIMIT 1
  ) last) AS "lastRun"`;

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'scheduled-import-list',
  text: `
    SELECT n.total, p.*
    FROM (SELECT count(*) AS total FROM ${IMPORTS} WHERE i.connection_id = $1) n
    LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM ${IMPORTS} WHERE i.connection_id = $1
      ORDER BY i.id OFFSET $2 LIMIT $3
    ) p ON true
    ORDER BY p.id`,
};

const FIND: Statement = {
  name: 'scheduled-import-find',
  text: `SELECT ${COLUMNS} FROM ${IMPORTS} WHERE i.connection_id = $1 AND i.id = $2`,
};

const COUNT: Statement = {
  name: 'scheduled-import-count',
  text: `
    SELECT count(*) AS count FROM scheduled_imports i JOIN connections c ON c.id = i.connection_id
    WHERE c.account_id = $1`,
};

/** Makes a worker in progress lose its claim. A run is due now with a schedule, or if it was before. */
const RESTART: Statement = {
  name: 'scheduled-import-restart',
  text: `
    UPDATE scheduled_imports
    SET token = token + 1, leased_until = now(), failures = 0, last_error = NULL,
      last_error_at = NULL, error_kind = NULL,
      next_run_at = CASE WHEN interval_seconds IS NOT NULL THEN now()
        WHEN next_run_at <= now() THEN next_run_at END
    WHERE connection_id = $1 AND id = $2`,
};

/** After a change of the connection. Failed runs are repeated at once. */
const RESTART_ALL: Statement = {
  name: 'scheduled-import-restart-all',
  text: `
    UPDATE scheduled_imports
    SET token = token + 1, leased_until = now(), failures = 0, last_error = NULL,
      last_error_at = NULL, error_kind = NULL,
      next_run_at = CASE WHEN failures > 0 AND next_run_at IS NOT NULL THEN now()
        ELSE next_run_at END
    WHERE connection_id = $1`,
};

/** A run in progress goes on, and another one follows it. */
const REQUEST: Statement = {
  name: 'scheduled-import-request',
  text: `
    UPDATE scheduled_imports SET next_run_at = now()
    WHERE connection_id = $1 AND id = $2`,
};

const DELETE: Statement = {
  name: 'scheduled-import-delete',
  text: 'DELETE FROM scheduled_imports WHERE connection_id = $1 AND id = $2',
};

/** A table that the connection keeps equal to the datagrid. */
const IS_COPY: Statement = {
  name: 'scheduled-import-is-copy',
  text: `
    SELECT FROM connection_tables
    WHERE connection_id = $1 AND datagrid_id = $2 AND lower(name) = lower($3)`,
};

const LIST_RUNS: Statement = {
  name: 'scheduled-import-run-list',
  text: `
    SELECT n.total, p.*
    FROM (SELECT count(*) AS total FROM scheduled_import_runs WHERE scheduled_import_id = $1) n
    LEFT JOIN LATERAL (
      SELECT ${RUN_COLUMNS} FROM scheduled_import_runs r WHERE r.scheduled_import_id = $1
      ORDER BY r.id DESC OFFSET $2 LIMIT $3
    ) p ON true
    ORDER BY p.id DESC`,
};

type Listed<Row> = { readonly total: number } & (Row | { readonly id: null });

/** Scheduled imports, for users. The caller has found the connection with its account. */
@Injectable()
export class ScheduledImportRepository {
  constructor(private readonly database: Database) {}

  async insert(scheduled: NewScheduledImport): Promise<void> {
    const { columns, columnIds, intervalSeconds, ...others } = scheduled;
    await this.database.repository(ScheduledImportEntity).insert({
      ...others,
      intervalSeconds,
      // TypeORM's type of a JSON column requires a type with its own index signature.
      columns: columns && { ...columns },
      columnIds: columnIds && { ...columnIds },
      nextRunAt: intervalSeconds === null ? null : () => 'now()',
    });
  }

  /** Counts those of all connections of an account. */
  async count(accountId: string): Promise<number> {
    return (await this.database.run<{ count: number }>(COUNT, [accountId]))[0]?.count ?? 0;
  }

  /** Returns one page, oldest first, and the total. */
  async list(
    connectionId: string,
    { page, limit }: PageRequest,
  ): Promise<[ScheduledImportRecord[], number]> {
    const values = [connectionId, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed<ScheduledImportRecord>>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  async find(connectionId: string, id: string): Promise<ScheduledImportRecord | null> {
    return (await this.database.run<ScheduledImportRecord>(FIND, [connectionId, id]))[0] ?? null;
  }

  /** Requires the lock of the connection. */
  async update(id: string, change: ScheduledImportChange): Promise<void> {
    const { columns, columnIds, ...others } = change;
    await this.database.repository(ScheduledImportEntity).update(
      { id },
      {
        ...others,
        ...(columns !== undefined && { columns: columns && { ...columns } }),
        ...(columnIds != null && { columnIds: { ...columnIds } }),
        ...NEXT_VERSION,
      },
    );
  }

  /** Stops the run in progress, and begins anew. */
  async restart(connectionId: string, id: string): Promise<void> {
    await this.database.run(RESTART, [connectionId, id]);
  }

  /** Stops the runs in progress of a connection, which are due again at once. */
  async restartAll(connectionId: string): Promise<void> {
    await this.database.run(RESTART_ALL, [connectionId]);
  }

  /** Makes a run due now. */
  async request(connectionId: string, id: string): Promise<void> {
    await this.database.run(REQUEST, [connectionId, id]);
  }

  /** Deletes a scheduled import with its runs. */
  async delete(connectionId: string, id: string): Promise<void> {
    await this.database.run(DELETE, [connectionId, id]);
  }

  /** Returns whether a table is the copy of a datagrid that the connection keeps. */
  async isCopy(connectionId: string, datagridId: string, table: string): Promise<boolean> {
    return (await this.database.run(IS_COPY, [connectionId, datagridId, table])).length > 0;
  }

  /** Returns one page of the runs of a scheduled import, newest first, and the total. */
  async listRuns(id: string, { page, limit }: PageRequest): Promise<[ImportRunRecord[], number]> {
    const values = [id, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed<ImportRunRecord>>(LIST_RUNS, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }
}
