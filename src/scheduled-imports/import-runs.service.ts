import { Injectable } from '@nestjs/common';
import { AppError, unavailable } from '../common/error/app-error';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { MatchedRows } from '../imports/progress/matched-rows';
import { ImportService } from '../imports/import.service';
import type { ImportReport } from '../imports/job/import.entity';
import type { ImportAccess } from '../imports/progress/running-import';
import { ResultRows } from '../imports/source/result-rows';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { endsWithin } from '../platform/time/ends-within';
import { DeleteOthersService } from './delete-others.service';
import { ConnectionSecrets } from '../destinations/connection-secrets';
import { DestinationError, printable } from '../destinations/destination';
import { DestinationKinds } from '../destinations/destination-kinds';
import type { QueryResult, ResultLimits, Source, SourceQuery } from '../destinations/source';
import { ClaimLostError, keepClaim } from '../connections/run-claim';
import {
  type ClaimedImport,
  type EndedRun,
  ImportClaimRepository,
} from './import-claim.repository';
import {
  serviceFailure,
  ownerFailureOf,
  failureOf,
  isOverload,
  repeatMs,
  TOO_SLOW,
} from './import-failure';
import { ScheduledImportMetrics } from './import-metrics';
import { idsOf, presentColumns } from './named-columns';
import { ResultBatches } from './result-batches';
import { removedColumns, requireColumns } from './result-columns';

/** Delay if the service is overloaded, such as when all slots for imports are taken. */
const OVERLOAD_MS = 5_000;
/** Time without rows, and time in total, after which a run moves to the pool of slow runs. */
const SILENT_MS = 30_000;
const LONG_MS = 300_000;
/** Time that a connection has to close. */
const CLOSE_MS = 5_000;
const MAX_REJECTED_ROWS = 20;
/** Maximum number of characters of a failure's cause in the log. */
const MAX_REASON_LENGTH = 300;

/** Thrown to end a run because the service stops. */
class StoppedError extends AppError {
  constructor() {
    super('unavailable', 'The service stopped while the import was running.');
  }
}

/** A run in progress. */
export class ImportRun {
  private readonly startedAtMs = performance.now();
  private activeAtMs = this.startedAtMs;
  private readonly stopping = new AbortController();

  constructor(readonly accountId: string) {}

  /** Whether the database sends no rows, or many, so that others must not wait for this run. */
  get isSlow(): boolean {
    const nowMs = performance.now();
    return nowMs - this.activeAtMs > SILENT_MS || nowMs - this.startedAtMs > LONG_MS;
  }

  get isEnding(): boolean {
    return this.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  noteRows(): void {
    this.activeAtMs = performance.now();
  }

  stop(reason: Error = new StoppedError()): void {
    this.stopping.abort(reason);
  }
}

/** What a run has done so far. */
type Outcome = { -readonly [Name in keyof EndedRun]: EndedRun[Name] };

const newOutcome = (): Outcome => ({
  importId: null,
  rowsRead: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  rejected: 0,
  rejectedRows: [],
  note: null,
  error: null,
});

/** Runs claimed imports, and stores how they end. */
@Injectable()
export class ImportRuns {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: ImportClaimRepository,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    private readonly schemas: DatagridSchemaService,
    private readonly imports: ImportService,
    private readonly others: DeleteOthersService,
    private readonly metrics: ScheduledImportMetrics,
    private readonly logger: Logger,
  ) {}

  /** Reads the result of a claimed import and writes it to the datagrid. Stores how that ends. */
  async run(claimed: ClaimedImport, run: ImportRun): Promise<void> {
    const outcome = newOutcome();
    const letGo = keepClaim(
      () => this.repository.claims.extend(claimed),
      (error) => {
        run.stop(error);
      },
    );
    try {
      await this.readAndWrite(claimed, run, outcome);
      await this.succeed(claimed, outcome);
    } catch (error) {
      await this.fail(claimed, run, outcome, error);
    } finally {
      letGo();
    }
  }

  /** Ends when the database is closed, so that others can open its file. */
  private async readAndWrite(
    claimed: ClaimedImport,
    run: ImportRun,
    outcome: Outcome,
  ): Promise<void> {
    const source = this.sourceOf(claimed);
    const result = await source.read(queryOf(claimed), this.limits, run.signal);
    try {
      await this.write(claimed, run, result, outcome);
    } finally {
      await endsWithin(result.close(), CLOSE_MS);
    }
  }

  private get limits(): ResultLimits {
    const { scheduledImportTimeoutSeconds: seconds, maxRowBytes } = this.config;
    return { timeoutMs: seconds * 1_000, maxRowBytes: 2 * maxRowBytes };
  }

  /** @throws DestinationError if the secret cannot be opened, or the kind cannot be read. */
  private sourceOf(claimed: ClaimedImport): Source {
    const { accountId, connectionId, type, settings } = claimed;
    const secret = this.secrets.openFor(connectionId, claimed.secret);
    const kind = this.kinds.get(type);
    const source = kind.createSource?.({ accountId, connectionId, settings, secret });
    if (source) return source;
    throw new DestinationError('configuration', `Connections of type ${type} cannot be read.`);
  }

  private async write(
    claimed: ClaimedImport,
    run: ImportRun,
    result: QueryResult,
    outcome: Outcome,
  ): Promise<void> {
    const { accountId, datagridId } = claimed;
    const schema = await this.schemas.get(accountId, datagridId);
    const { keyColumns, columns: mapping, removed } = presentColumns(schema, claimed);
    if (removed.length > 0) throw removedColumns(removed);
    const columns = requireColumns(result.columns, schema, { keyColumns, mapping });
    if (!claimed.columnIds) await this.repository.setColumnIds(claimed, idsOf(schema, claimed));
    // No slot for imports is taken before there are rows.
    const rows = new ResultBatches(result.batches(), run, this.config.maxScheduledImportRows);
    await rows.awaitFirst();
    const maxId = await this.others.lastRowId(accountId, datagridId);
    const matched = new MatchedRows();
    const report = await this.imports.importResult({
      access: this.accessOf(claimed, run),
      datagridId,
      schema,
      matchOn: keyColumns,
      rows: new ResultRows(columns, rows.all(), () => unavailable(TOO_SLOW)),
      matched,
    });
    noteReport(outcome, report);
    if (rows.failure) throw rows.failure;
    run.signal.throwIfAborted();
    if (report?.state !== 'completed') throw failureOf(report);
    if (claimed.missingRows === 'keep') return;
    outcome.note = keepsMissing(claimed, outcome);
    if (outcome.note !== null) return;
    await this.others.delete(
      {
        accountId,
        datagridId,
        by: 'service',
        details: { scheduledImportId: claimed.id },
        maxId,
        isKept: (id) => matched.has(id),
        requireInStep: () => this.requireClaim(claimed, run),
      },
      (deleted) => {
        outcome.deleted += deleted;
      },
    );
  }

  /** The service itself writes, as long as this worker has the claim. */
  private accessOf(claimed: ClaimedImport, run: ImportRun): ImportAccess {
    return {
      writer: { accountId: claimed.accountId, userId: null, keyId: null },
      requireStill: () => {
        run.signal.throwIfAborted();
        return Promise.resolve();
      },
      requireInStep: () => this.requireClaim(claimed, run),
      watch: (end) => {
        const stop = (): void => {
          end(run.signal.reason as Error);
        };
        if (run.signal.aborted) stop();
        run.signal.addEventListener('abort', stop);
        return () => {
          run.signal.removeEventListener('abort', stop);
        };
      },
    };
  }

  private async requireClaim(claimed: ClaimedImport, run: ImportRun): Promise<void> {
    run.signal.throwIfAborted();
    if (await this.repository.hold(claimed)) return;
    run.stop(new ClaimLostError());
    run.signal.throwIfAborted();
  }

  private async succeed(claimed: ClaimedImport, outcome: Outcome): Promise<void> {
    if (!(await this.repository.end(claimed, outcome, null, null))) return;
    this.metrics.recordRun(claimed.type, 'succeeded', outcome);
  }

  private async fail(
    claimed: ClaimedImport,
    run: ImportRun,
    outcome: Outcome,
    error: unknown,
  ): Promise<void> {
    const reason: unknown = run.signal.aborted ? run.signal.reason : error;
    // If the account was suspended, the claim still exists.
    if (reason instanceof ClaimLostError || reason instanceof StoppedError) {
      await this.repository.claims.leave(claimed, 0);
      return;
    }
    if (isOverload(reason)) {
      await this.repository.claims.leave(claimed, OVERLOAD_MS);
      const { accountId, connectionId, id: scheduledImportId } = claimed;
      const fields = {
        accountId,
        connectionId,
        scheduledImportId,
        reason: (reason as Error).message,
      };
      this.logger.pino.info(fields, 'scheduled import postponed');
      return;
    }
    const failure = ownerFailureOf(reason);
    await this.store(claimed, outcome, failure ?? serviceFailure());
    // The log has the reason of a failure of the service itself.
    if (!failure) throw reason;
  }

  /** Stores how a run has failed, and when it is repeated. */
  private async store(
    claimed: ClaimedImport,
    outcome: Outcome,
    failure: DestinationError,
  ): Promise<void> {
    const { accountId, connectionId, id } = claimed;
    const { kind, message, cause } = failure;
    const ended = { ...outcome, error: message };
    const delayMs = repeatMs(claimed, kind);
    if (!(await this.repository.end(claimed, ended, delayMs, { kind, message }))) return;
    this.metrics.recordRun(claimed.type, kind, outcome);
    const why = cause instanceof Error ? printable(cause.message, MAX_REASON_LENGTH) : undefined;
    const fields = { reason: why, kind, accountId, connectionId, scheduledImportId: id };
    this.logger.pino.warn(fields, 'scheduled import failed');
  }
}

const queryOf = ({ query, table }: ClaimedImport): SourceQuery =>
  query === null ? { table: (table ?? '').split('.') } : { query };

function noteReport(outcome: Outcome, report: ImportReport | null): void {
  if (!report) return;
  outcome.importId = report.id;
  outcome.rowsRead = report.rowsRead;
  outcome.created = report.created;
  outcome.updated = report.updated;
  outcome.unchanged = report.unchanged;
  outcome.rejected = report.rejected;
  outcome.rejectedRows = report.errors.slice(0, MAX_REJECTED_ROWS);
}

/** Returns why missing rows are kept; `null` if they are deleted. */
function keepsMissing(
  { allowEmptyResult }: ClaimedImport,
  { rowsRead, rejected }: Outcome,
): string | null {
  if (rejected > 0) return 'No rows were deleted, because rows of the result were rejected.';
  return rowsRead === 0 && !allowEmptyResult
    ? 'No rows were deleted, because the result is empty. To delete all rows then, set `allowEmptyResult` to `true`.'
    : null;
}
