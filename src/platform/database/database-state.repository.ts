import { Injectable } from '@nestjs/common';
import { Database } from './database';
import type { Statement } from './text-query';

/** State of the PostgreSQL server, as far as every role may read it. */
export interface DatabaseState {
  /** Size of the database on disk, without the write-ahead log. */
  readonly sizeBytes: number;
  /** Sessions of all databases and programs. */
  readonly sessions: number;
  /** Sessions that roles other than superusers may open. */
  readonly maxSessions: number;
  /** Age of the oldest transaction id that is not frozen. At 2^31, PostgreSQL stops writes. */
  readonly transactionAge: number;
  /** Write-ahead log that is kept for the replication slot that is furthest behind. */
  readonly slotBytes: number;
  /** Whether the last attempt to archive a segment of the write-ahead log failed. */
  readonly isArchiveFailing: boolean;
}

/** The position of the log is unknown on a replica, to which `DATABASE_URL` leads by mistake. */
const STATE: Statement = {
  name: 'database-state',
  text: `
    SELECT pg_database_size(current_database())::float8 AS "sizeBytes",
      (SELECT sum(numbackends)::int FROM pg_stat_database) AS sessions,
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int AS "maxSessions",
      (SELECT max(age(datfrozenxid)) FROM pg_database) AS "transactionAge",
      (SELECT coalesce(max(pg_wal_lsn_diff(
          CASE WHEN pg_is_in_recovery() THEN restart_lsn ELSE pg_current_wal_lsn() END,
          restart_lsn)), 0)::float8
        FROM pg_replication_slots) AS "slotBytes",
      coalesce(last_failed_time > last_archived_time, last_failed_time IS NOT NULL)
        AS "isArchiveFailing"
    FROM pg_stat_archiver`,
};

/** Reads the state of the PostgreSQL server, for metrics. */
@Injectable()
export class DatabaseStateRepository {
  constructor(private readonly database: Database) {}

  /** @returns `null` if PostgreSQL returns no state. */
  async findState(): Promise<DatabaseState | null> {
    const [state] = await this.database.run<DatabaseState>(STATE);
    return state ?? null;
  }
}
