import { Injectable } from '@nestjs/common';
import { newId } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { TableRequest } from '../connection.entity';
import type { DestinationType } from '../../destinations/destination';
import type { DeletionMode, FailureKind } from '../../destinations/destination';
import type { DestinationSettings } from '../../destinations/destination-kind';
import { DestinationKinds } from '../../destinations/destination-kinds';
import { type Claim, LEASE_MS } from '../run-claim';
import { RUNNABLE_CONNECTIONS, RunClaims } from '../run-claim.repository';
import type { DestinationColumn } from './destination-columns';

/** A table that this process has claimed, with its connection. */
export interface ClaimedTable extends Claim {
  readonly datagridId: string;
  readonly accountId: string;
  readonly name: string;
  readonly columnIds: readonly number[] | null;
  readonly request: TableRequest | null;
  readonly failures: number;
  readonly loadedRows: number | null;
  readonly type: DestinationType;
  readonly settings: DestinationSettings;
  /** As it is stored. */
  readonly secret: Buffer | null;
  readonly deletions: DeletionMode;
  readonly intervalSeconds: number | null;
}

/** Greater than any token. Each claim increases it by one; a destination can have any number. */
export const MAX_TOKEN = 2 ** 33;

/** Time after which a column that a destination could not drop is tried again, in seconds. */
const UNUSED_RETRY_SECONDS = 60;

/** What the destination has after a step of a run. */
export interface Progress {
  /** Revision that readers see. During a load, the one at which it began. */
  readonly revision: number;
  /** Rows of the load in progress; `null` if there is none. */
  readonly loadedRows: number | null;
  /** Whether the destination has all changes that there were when the log was last read. */
  readonly isUpToDate: boolean;
  /** Whether nothing was left to do. */
  readonly isIdle: boolean;
  readonly columns: readonly DestinationColumn[];
  /** Time in which no further changes should be copied, in milliseconds. */
  readonly restMs: number;
}

/** What a run has done. */
export interface RunResult {
  readonly startedAt: Date;
  readonly rows: number;
  readonly bytes: number;
  readonly revision: number | null;
}

/** How a run has failed. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly delayMs: number;
}

const HAS_ANY: Statement = {
  name: 'connection-has-any',
  text: 'SELECT EXISTS (SELECT FROM connections WHERE enabled) AS any',
};

/** Enabled connections that sync all datagrids of their workspace, with some that have no table. */
const INCOMPLETE: Statement = {
  name: 'connection-list-incomplete',
  text: `
    SELECT c.id FROM connections c
    WHERE c.enabled AND c.datagrid_ids IS NULL AND EXISTS (
      SELECT FROM datagrids d
      WHERE d.workspace_id = c.workspace_id AND d.deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM connection_tables t WHERE t.connection_id = c.id AND t.datagrid_id = d.id
      )
    )
    ORDER BY c.id LIMIT 100`,
};

/** Entries after these revisions are still needed. */
const READ_REVISIONS: Statement = {
  name: 'connection-tables-read-revisions',
  text: `
    SELECT t.datagrid_id AS "datagridId", min(t.revision) AS revision
    FROM connection_tables t JOIN connections c ON c.id = t.connection_id
    WHERE t.datagrid_id = ANY($1::uuid[]) AND c.enabled AND t.revision IS NOT NULL
    GROUP BY t.datagrid_id`,
};

/** Extends the lease, and stores the progress for users. */
const ADVANCE: Statement = {
  name: 'connection-table-advance',
  text: `
    UPDATE connection_tables t
    SET leased_until = now() + $4::int * interval '1 ms',
      revision = $5::bigint, loaded_rows = $6::bigint,
      synced_at = CASE WHEN $7::boolean THEN now() ELSE t.synced_at END,
      destination_columns =
        CASE WHEN t.destination_columns = $8::jsonb THEN t.destination_columns ELSE $8::jsonb END,
      has_more = true
    FROM ${RUNNABLE_CONNECTIONS}
    WHERE t.connection_id = $1 AND t.datagrid_id = $2 AND t.token = $3 AND c.id = t.connection_id
    RETURNING 1`,
};

/** A request that a user has made in the meantime stays. */
const SERVE: Statement = {
  name: 'connection-table-serve',
  text: `
    UPDATE connection_tables SET request = NULL
    WHERE connection_id = $1 AND datagrid_id = $2 AND token = $3 AND request = $4`,
};

const STORE_CHECK: Statement = {
  name: 'connection-table-store-check',
  text: `
    UPDATE connection_tables SET checked_at = now(), different_rows = $5,
      request = CASE WHEN request = $4 THEN NULL ELSE request END
    WHERE connection_id = $1 AND datagrid_id = $2 AND token = $3`,
};

/** A table that is not what the state says is loaded again. */
const RELEASE: Statement = {
  name: 'connection-table-release',
  text: `
    UPDATE connection_tables
    SET leased_until = now(), next_run_at = now() + $4::bigint * interval '1 ms', has_more = $5,
      failures = CASE WHEN $6::text IS NULL THEN 0 ELSE failures + 1 END,
      error_kind = $6::text, last_error = $7::text,
      last_error_at = CASE WHEN $6::text IS NULL THEN last_error_at ELSE now() END,
      request = CASE WHEN $6::text = 'inconsistent' THEN 'reset' ELSE request END
    WHERE connection_id = $1 AND datagrid_id = $2 AND token = $3 RETURNING 1`,
};

const RAISE: Statement = {
  name: 'connection-table-raise',
  text: `
    UPDATE connection_tables SET token = greatest(token, $4::bigint)
    WHERE connection_id = $1 AND datagrid_id = $2 AND token = $3 RETURNING token`,
};

/** Runs of a table that start within this time and have the same `error`, or none, are one entry. */
const ENTRY_SECONDS = 60;

/** Adds the result to the last entry of the table, if that is recent and both have the same error. */
const EXTEND_RUN: Statement = {
  name: 'connection-run-extend',
  text: `
    UPDATE connection_runs SET ended_at = now(), rows = rows + $3, bytes = bytes + $4, revision = $5
    WHERE connection_id = $1 AND error IS NOT DISTINCT FROM $6 AND id = (
      SELECT id FROM connection_runs WHERE connection_id = $1 AND datagrid_id = $2
      ORDER BY id DESC LIMIT 1
    ) AND started_at > now() - interval '${String(ENTRY_SECONDS)} seconds'
    RETURNING 1`,
};

const INSERT_RUN: Statement = {
  name: 'connection-run-insert',
  text: `
    INSERT INTO connection_runs (connection_id, id, datagrid_id, started_at, ended_at, rows, bytes,
      revision, error)
    SELECT c.id, $2, $3, $4, now(), $5, $6, $7, $8 FROM connections c WHERE c.id = $1`,
};

/** Access of workers to tables. A statement on a claimed table changes nothing once it is lost. */
@Injectable()
export class SyncRepository {
  readonly claims: RunClaims<ClaimedTable>;

  constructor(
    private readonly database: Database,
    kinds: DestinationKinds,
  ) {
    this.claims = new RunClaims(database, kinds, {
      table: 'connection_tables',
      isExclusive: true,
      prefix: 'connection-table',
      due: {
        columns: `w.token, w.revision, w.has_more OR w.request IS NOT NULL
          OR (w.destination_columns @> '[{"state":"unused"}]'
            AND w.synced_at <= now() - interval '${String(UNUSED_RETRY_SECONDS)} seconds')
          AS has_more`,
        join: 'JOIN datagrid_counters k ON k.datagrid_id = w.datagrid_id',
        condition: `w.token < ${String(MAX_TOKEN)}
          AND (w.has_more OR w.revision IS DISTINCT FROM k.revision)`,
      },
      columns: `w.name, w.column_ids AS "columnIds", w.request, w.failures,
        w.loaded_rows AS "loadedRows", c.deletions, c.interval_seconds AS "intervalSeconds"`,
    });
  }

  /** Returns whether any connection is enabled. */
  async hasAny(): Promise<boolean> {
    return (await this.database.run<{ any: boolean }>(HAS_ANY))[0]?.any === true;
  }

  /** Lists up to 100 connections that lack tables of datagrids that were created after them. */
  async listIncomplete(): Promise<string[]> {
    return (await this.database.run<{ id: string }>(INCOMPLETE)).map(({ id }) => id);
  }

  /** Returns the lowest revision of the enabled connections of each datagrid. */
  async listReadRevisions(
    datagridIds: readonly string[],
  ): Promise<{ readonly datagridId: string; readonly revision: number }[]> {
    return this.database.run(READ_REVISIONS, [datagridIds]);
  }

  /** @returns whether the table is still claimed, and its connection enabled. */
  async advance(table: ClaimedTable, progress: Progress): Promise<boolean> {
    const { revision, loadedRows, isUpToDate, columns } = progress;
    const stored = JSON.stringify(columns);
    const values = [...keyOf(table), LEASE_MS, revision, loadedRows, isUpToDate, stored];
    return (await this.database.run(ADVANCE, values)).length > 0;
  }

  /** Removes the request of the table, which has been carried out. */
  async clearRequest(table: ClaimedTable): Promise<void> {
    await this.database.run(SERVE, [...keyOf(table), table.request]);
  }

  /** Stores the result of a check, and removes the request, which has been carried out. */
  async storeCheck(table: ClaimedTable, differentRows: number): Promise<void> {
    await this.database.run(STORE_CHECK, [...keyOf(table), table.request, differentRows]);
  }

  /**
   * Ends the claim.
   * @param hasMore Whether something is left, other than new changes.
   * @returns whether the table was still claimed.
   */
  async release(
    table: ClaimedTable,
    delayMs: number,
    hasMore: boolean,
    failure: Failure | null,
  ): Promise<boolean> {
    const { kind = null, message = null } = failure ?? {};
    const values = [...keyOf(table), delayMs, hasMore, kind, message];
    return (await this.database.run(RELEASE, values)).length > 0;
  }

  /**
   * Makes the token of the claim that of the destination, so that the next one is higher.
   * @param token Up to `MAX_TOKEN`.
   * @returns the claim; `null` if another worker has claimed the table.
   */
  async raiseToken(table: ClaimedTable, token: number): Promise<ClaimedTable | null> {
    const [raised] = await this.database.run<{ token: number }>(RAISE, [...keyOf(table), token]);
    return raised ? { ...table, token: raised.token } : null;
  }

  /** Records what a run has done, or how it failed. */
  async record(table: ClaimedTable, run: RunResult, error: string | null): Promise<void> {
    const { connectionId, datagridId } = table;
    const { startedAt, rows, bytes, revision } = run;
    const addition = [connectionId, datagridId, rows, bytes, revision, error];
    if ((await this.database.run(EXTEND_RUN, addition)).length > 0) return;
    const values = [connectionId, newId(), datagridId, startedAt, rows, bytes, revision, error];
    await this.database.run(INSERT_RUN, values);
  }
}

function keyOf({ connectionId, datagridId, token }: ClaimedTable): unknown[] {
  return [connectionId, datagridId, token];
}
