import { Injectable } from '@nestjs/common';
import { newId } from '../common/text/id';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { DestinationType } from '../destinations/destination';
import type { FailureKind } from '../destinations/destination';
import type { DestinationSettings } from '../destinations/destination-kind';
import { DestinationKinds } from '../destinations/destination-kinds';
import type { Claim } from '../connections/run-claim';
import { RUNNABLE_CONNECTIONS, RunClaims } from '../connections/run-claim.repository';
import type { ColumnIds } from './named-columns';
import type { ImportRunRecord } from './scheduled-import.repository';
import type { MissingRows } from './scheduled-import.entity';

/** Only if an earlier release has stored the import. */
const SET_COLUMN_IDS: Statement = {
  name: 'scheduled-import-set-column-ids',
  text: `
    UPDATE scheduled_imports SET column_ids = $3
    WHERE id = $1 AND token = $2 AND column_ids IS NULL`,
};

/** A scheduled import that this process has claimed, with its connection. */
export interface ClaimedImport extends Claim {
  readonly name: string;
  readonly accountId: string;
  readonly datagridId: string;
  readonly query: string | null;
  readonly table: string | null;
  readonly keyColumns: readonly string[];
  readonly columns: Readonly<Record<string, string>> | null;
  readonly columnIds: ColumnIds | null;
  readonly missingRows: MissingRows;
  readonly allowEmptyResult: boolean;
  readonly intervalSeconds: number | null;
  readonly failures: number;
  /** Time of the claim, by the clock of the database. */
  readonly startedAt: Date;
  readonly type: DestinationType;
  readonly settings: DestinationSettings;
  /** As it is stored. */
  readonly secret: Buffer | null;
}

/** How a run has failed. */
export interface ImportFault {
  readonly kind: FailureKind;
  readonly message: string;
}

/** What a run has done, or how it failed. */
export type EndedRun = Omit<ImportRunRecord, 'id' | 'startedAt' | 'endedAt'>;

/** The lock keeps others from claiming the import until the transaction ends. */
const HOLD: Statement = {
  name: 'scheduled-import-hold',
  text: `
    SELECT FROM scheduled_imports i JOIN (${RUNNABLE_CONNECTIONS}) ON c.id = i.connection_id
    WHERE i.id = $1 AND i.token = $2 AND i.enabled
    FOR SHARE OF i`,
};

/**
 * Ends the claim. `$3` is the time until the next run after a failure; without one, the next run is an
 * interval after the start of this one (`$4`), at the earliest now. A request that was made after the
 * start stays.
 */
const RELEASE: Statement = {
  name: 'scheduled-import-release',
  text: `
    UPDATE scheduled_imports
    SET leased_until = now(), last_run_at = $4::timestamptz,
      next_run_at = CASE
        WHEN next_run_at > $4::timestamptz THEN next_run_at
        WHEN $3::bigint IS NOT NULL THEN now() + $3::bigint * interval '1 ms'
        WHEN interval_seconds IS NULL THEN NULL
        ELSE greatest(now(), $4::timestamptz + interval_seconds * interval '1 second') END,
      failures = CASE WHEN $5::text IS NULL THEN 0 ELSE failures + 1 END,
      error_kind = $5::text, last_error = $6::text,
      last_error_at = CASE WHEN $5::text IS NULL THEN last_error_at ELSE now() END
    WHERE id = $1 AND token = $2 RETURNING 1`,
};

const INSERT_RUN: Statement = {
  name: 'scheduled-import-run-insert',
  text: `
    INSERT INTO scheduled_import_runs (scheduled_import_id, id, import_id, started_at, ended_at,
      rows_read, created, updated, unchanged, deleted, rejected, rejected_rows, note, error)
    SELECT i.id, $2, $3, $4, now(), $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13
    FROM scheduled_imports i WHERE i.id = $1`,
};

/** Maximum number of runs that are kept of one import. */
const MAX_RUNS = 1_000;

const TRIM_RUNS: Statement = {
  name: 'scheduled-import-runs-trim',
  text: `
    DELETE FROM scheduled_import_runs WHERE scheduled_import_id = $1 AND id <= (
      SELECT id FROM scheduled_import_runs WHERE scheduled_import_id = $1
      ORDER BY id DESC OFFSET ${String(MAX_RUNS)} LIMIT 1
    )`,
};

const HAS_ANY: Statement = {
  name: 'scheduled-import-has-any',
  text: 'SELECT EXISTS (SELECT FROM scheduled_imports WHERE enabled) AS any',
};

/** Claims of scheduled imports. A statement on a claimed one changes nothing once the claim is lost. */
@Injectable()
export class ImportClaimRepository {
  readonly claims: RunClaims<ClaimedImport>;

  constructor(
    private readonly database: Database,
    kinds: DestinationKinds,
  ) {
    this.claims = new RunClaims(database, kinds, {
      table: 'scheduled_imports',
      isExclusive: false,
      prefix: 'scheduled-import',
      isEnabled: 'w.enabled',
      columns: `w.name, w.query, w.table_name AS "table", w.key_columns AS "keyColumns", w.columns,
        w.column_ids AS "columnIds",
        w.missing_rows AS "missingRows", w.allow_empty_result AS "allowEmptyResult",
        w.interval_seconds AS "intervalSeconds", w.failures, claimed.started_at AS "startedAt"`,
    });
  }

  /** Returns whether any scheduled import is enabled. */
  async hasAny(): Promise<boolean> {
    return (await this.database.run<{ any: boolean }>(HAS_ANY))[0]?.any === true;
  }

  /** Stores the ids of the columns that the import names. */
  async setColumnIds({ id, token }: ClaimedImport, ids: ColumnIds): Promise<void> {
    await this.database.run(SET_COLUMN_IDS, [id, token, JSON.stringify(ids)]);
  }

  /** Holds the claim until the end of the transaction. @returns whether it still exists. */
  async hold({ id, token }: ClaimedImport): Promise<boolean> {
    return (await this.database.run(HOLD, [id, token])).length > 0;
  }

  /**
   * Ends the claim, plans the next run and records this one.
   * @param retryMs Time after which a failed run is repeated; `null` to keep to the schedule.
   * @returns whether the claim still existed.
   */
  async end(
    claimed: ClaimedImport,
    run: EndedRun,
    retryMs: number | null,
    fault: ImportFault | null,
  ): Promise<boolean> {
    const { id, token, startedAt } = claimed;
    const { kind = null, message = null } = fault ?? {};
    return this.database.transaction(async () => {
      const values = [id, token, retryMs, startedAt, kind, message];
      if ((await this.database.run(RELEASE, values)).length === 0) return false;
      await this.record(claimed, run);
      return true;
    });
  }

  /** Records what a run has done, or how it failed. */
  private async record({ id, startedAt }: ClaimedImport, run: EndedRun): Promise<void> {
    const { importId, rowsRead, created, updated, unchanged } = run;
    const { deleted, rejected, rejectedRows, note, error } = run;
    const counts = [rowsRead, created, updated, unchanged, deleted, rejected];
    const rows = JSON.stringify(rejectedRows);
    const values = [id, newId(), importId, startedAt, ...counts, rows, note, error];
    await this.database.run(INSERT_RUN, values);
    await this.database.run(TRIM_RUNS, [id]);
  }
}
