import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CallerService } from '../auth/caller.service';
import { requirePermission } from '../auth/permission/require-permission';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { AppError, unavailable } from '../common/error/app-error';
import { newId } from '../common/text/id';
import type { Writer } from '../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../platform/config/app-config';
import { isUnavailable } from '../platform/database/database-error';
import type { AccountSemaphore } from '../platform/fairness/account-semaphore';
import { semaphoreOf } from '../platform/fairness/limit';
import { LIMITS } from '../platform/fairness/limits';
import type { StreamedBody } from '../platform/http/streamed-body';
import type { RequestKey } from '../platform/idempotency/claim';
import { endsWithin } from '../platform/time/ends-within';
import { readLinkKeys } from '../rows/link/link-key';
import { StreamWatch } from '../rows/stream/stream-watch';
import type { MatchedRows } from './progress/matched-rows';
import type { ImportReport } from './job/import.entity';
import { isKeyTaken, ImportRepository, type ImportRef } from './job/import.repository';
import {
  CHARSET_HINT,
  IMPORT_TYPES,
  readImportOptions,
  matchableKeys,
} from './request/import-parameters';
import { importResponse, lostImport, purgedImport } from './run/import-response';
import { ImportMetrics } from './progress/import-metrics';
import { DATABASE_AWAY } from './progress/import-progress';
import { type ImportInput, ImportRunService } from './run/import-run.service';
import { type ImportAccess, RunningImport } from './progress/running-import';
import type { ResultRows } from './source/result-rows';
import { LineStageRepository } from './stage/line-stage.repository';

const RESPONSE_WITHIN_MS = 2_000;

/** Options of an import of a query's rows, without the columns by which they match. */
const RESULT_OPTIONS = {
  format: 'query',
  mode: 'upsert',
  onError: 'skip',
  createColumns: false,
  ignoreReadOnly: false,
  startLine: 1,
  delimiter: null,
  encoding: null,
} as const;

/** An import of the rows of a query in another database. */
export interface ResultImport {
  readonly access: ImportAccess;
  readonly datagridId: string;
  /** Columns of the datagrid as they were when `rows` was created. */
  readonly schema: DatagridSchema;
  /** Keys of the unique columns by which rows match. */
  readonly matchOn: readonly string[];
  readonly rows: ResultRows;
  /** Receives the rows that were matched or created. */
  readonly matched: MatchedRows;
}

/** Starts imports into an account's datagrids, and stops them when the process stops. */
@Injectable()
export class ImportService implements OnModuleDestroy {
  /** How long a response waits for the last steps after the body has been read. Tests lower it. */
  readonly response = { withinMs: RESPONSE_WITHIN_MS };
  private readonly running = new Map<RunningImport, Promise<void>>();
  private readonly permits: AccountSemaphore;
  private isStopping = false;

  constructor(
    config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly imports: ImportRepository,
    private readonly stages: LineStageRepository,
    private readonly runs: ImportRunService,
    private readonly callers: CallerService,
    private readonly watch: StreamWatch,
    metrics: ImportMetrics,
  ) {
    this.permits = semaphoreOf(LIMITS.imports, config);
    metrics.watch(() => this.running.size);
  }

  /**
   * Stops all running imports. Each of them finishes the step in progress; staged steps are
   * discarded.
   */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const running of this.running.keys()) running.stop(stopped());
    await Promise.allSettled(this.running.values());
  }

  /**
   * Imports a body. Responds when the import has ended. If it is still writing RESPONSE_WITHIN_MS
   * after the body has been read, responds while it is running. If `key` has already started an
   * import, returns that import.
   * @throws AppError `not_found`, `forbidden`, `unsupported_media_type`, `invalid_request`,
   *   `idempotency_key_reused`, `rate_limited` if the account has used its share of imports,
   *   `unavailable`, and any error that the import fails with in the meantime.
   */
  async start(
    caller: Caller,
    datagridId: string,
    query: Readonly<Record<string, unknown>>,
    body: StreamedBody,
    key: RequestKey | null,
  ): Promise<JsonResponse> {
    const parameters = readImportOptions(query, body.requireType(IMPORT_TYPES, CHARSET_HINT));
    if (parameters.createColumns) requirePermission(caller, 'datagrids:write');
    const known = await this.findKnown(caller, key);
    if (known) return known;
    const schema = await this.schemas.get(caller.accountId, datagridId);
    const options = { ...parameters, matchOn: matchableKeys(schema, parameters.matchOn) };
    const linkKeys = await readLinkKeys(query['linkKeys'], caller, schema, this.schemas, false);
    const release = await this.permits.acquire(caller.accountId);
    try {
      if (this.isStopping) throw stopped();
      body.requireSender();
    } catch (error) {
      release();
      throw error;
    }
    const importRef = { datagridId, id: newId() };
    const running = new RunningImport(
      importRef,
      this.accessOf(caller, datagridId),
      options,
      schema,
      null,
      linkKeys,
    );
    const received = new Promise<void>((resolve) => {
      this.running.set(running, this.run(running, body, key, resolve).finally(release));
    });
    const done = this.running.get(running) ?? Promise.resolve();
    try {
      await Promise.race([done, received]);
      await endsWithin(done, this.response.withinMs);
    } catch (error) {
      const started = isKeyTaken(error) ? await this.findKnown(caller, key) : null;
      if (started) return started;
      throw error;
    }
    return this.responseOf(running);
  }

  /**
   * Responds with the stored report, which lists everything that was committed, even if the
   * datagrid has been deleted since.
   */
  private async responseOf(running: RunningImport): Promise<JsonResponse> {
    const { importRef, writer } = running;
    if (running.isOutcomeUnknown) throw lostImport(importRef, running.cause);
    const report = running.report ?? (await this.findStarted(writer, importRef));
    if (!report) throw purgedImport(importRef);
    running.hasResponse = report.state === 'running';
    return importResponse(report, { isReplayed: false, cause: running.cause });
  }

  private async findStarted(
    { accountId }: Writer,
    importRef: ImportRef,
  ): Promise<ImportReport | null> {
    try {
      return await this.imports.findStarted(accountId, importRef);
    } catch (error) {
      throw isUnavailable(error) ? lostImport(importRef, error) : error;
    }
  }

  /**
   * Imports the rows of a query, and skips those that are rejected. Each row of the datagrid can match
   * only one of them. Returns when the import has ended.
   * @throws AppError as `start`, except for errors that the import fails with.
   */
  async importResult({
    access,
    datagridId,
    schema,
    matchOn,
    rows,
    matched,
  }: ResultImport): Promise<ImportReport | null> {
    const keys = matchableKeys(schema, matchOn);
    const release = await this.permits.acquire(access.writer.accountId);
    if (this.isStopping) {
      release();
      throw stopped();
    }
    const options = { ...RESULT_OPTIONS, matchOn: keys };
    const importRef = { datagridId, id: newId() };
    const running = new RunningImport(importRef, access, options, schema, matched);
    const done = this.run(running, rows, null, () => undefined).finally(release);
    this.running.set(running, done);
    await done;
    if (running.isOutcomeUnknown) throw unavailable(DATABASE_AWAY, running.cause);
    return running.report ?? (await this.imports.findStarted(access.writer.accountId, importRef));
  }

  /** Stops an import that was ended by another request, if this process runs it. */
  stop(id: string, reason: Error): void {
    for (const running of this.running.keys()) {
      if (running.importRef.id === id) running.stop(reason);
    }
  }

  /**
   * Creates the import and runs it to its end.
   * @throws an error if the import cannot be started.
   */
  private async run(
    running: RunningImport,
    input: ImportInput,
    key: RequestKey | null,
    onReceived: () => void,
  ): Promise<void> {
    const { importRef, writer, options } = running;
    const { accountId, userId } = writer;
    try {
      const stage = await this.stages.open(importRef);
      try {
        const { totalBytes } = input;
        await this.imports.insert({ ...importRef, accountId, userId, options, totalBytes, key });
      } catch (error) {
        stage.close();
        throw error;
      }
      await this.runs.run(running, input, stage, onReceived);
    } finally {
      this.running.delete(running);
    }
  }

  /** An import of a request writes as long as its caller may. */
  private accessOf(caller: Caller, datagridId: string): ImportAccess {
    const claim = { caller, permission: 'rows:write', datagridId } as const;
    return {
      writer: caller,
      requireStill: () => this.callers.requireStill(caller, claim.permission),
      requireInStep: () => Promise.resolve(),
      watch: (end) => {
        const watched = this.watch.start(claim, end);
        return () => {
          watched.stop();
        };
      },
    };
  }

  private async findKnown(caller: Caller, key: RequestKey | null): Promise<JsonResponse | null> {
    if (!key) return null;
    const known = await this.imports.findByKey(caller.accountId, caller.userId, key.key);
    if (!known) return null;
    if (known.requestHash.equals(key.requestHash))
      return importResponse(known, { isReplayed: true });
    const message = 'This Idempotency-Key was used with a different request. Use a new key.';
    throw new AppError('idempotency_key_reused', message);
  }
}

function stopped(): AppError {
  return unavailable('The service stopped while the import was running.');
}
