import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ChangeRepository } from '../../changes/change.repository';
import { AppError } from '../../common/error/app-error';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { Logger } from '../../platform/logging/logger';
import { endsWithin } from '../../platform/time/ends-within';
import { ConnectionSecrets } from '../../destinations/connection-secrets';
import {
  DestinationError,
  FencedError,
  printable,
  type TargetWriter,
} from '../../destinations/destination';
import { DestinationKinds } from '../../destinations/destination-kinds';
import { ClaimLostError, keepClaim, retryMs } from '../run-claim';
import { DatagridGoneError, type RowSource, RowSources } from './row-source.repository';
import { SyncMetrics } from './sync-metrics';
import { type ClaimedTable, MAX_TOKEN, type Progress, SyncRepository } from './sync.repository';
import { TableSync } from './table-sync';

/** Time after which a table with more to do gives its slot to others. */
const TURN_MS = 10_000;
/** Pause before the next changes of a table that is up to date, so that they are gathered. */
const GATHER_MS = 100;
/** Time that a table that is up to date keeps its connection, for more changes. */
const LINGER_MS = 1_000;
/** Delay after a failure of the service's own database. */
const OWN_FAILURE_MS = 5_000;

/** Time for which a destination may accept no rows. The snapshot that they are read from is open. */
const STALL_MS = 60_000;
/** Time after which a run moves to the pool of slow runs: its turn, and time to end its last step. */
const SLOW_MS = 20_000;
/** Pause between two looks whether a run must end. */
const CHECK_MS = 5_000;

/** Time that a destination has to close. */
const CLOSE_MS = 5_000;
/** Time after which a run ends, whatever it does. */
const MAX_RUN_MS = 7_200_000;
/** Maximum number of characters of a failure's cause in the log. */
const MAX_REASON_LENGTH = 300;

const CLAIMED_ELSEWHERE =
  'Another sync has claimed the table. If this happens again, another installation of the service writes to it: pause one of the connections.';
const INVALID_TOKEN =
  'The table _datagrid_sync has a token that is not valid. Drop that table; the datagrids are then loaded again.';

/** A run in progress. */
export class TableRun {
  private readonly startedAtMs = performance.now();
  private readonly stopping = new AbortController();
  private readonly stopped: Promise<never>;

  constructor(readonly accountId: string) {
    this.stopped = new Promise((_, reject) => {
      this.stopping.signal.addEventListener('abort', () => {
        reject(this.stopping.signal.reason as Error);
      });
    });
    this.stopped.catch(() => undefined);
  }

  get ageMs(): number {
    return performance.now() - this.startedAtMs;
  }

  /** Whatever it does or waits for: its turn is over. */
  get isSlow(): boolean {
    return this.ageMs > SLOW_MS;
  }

  get isEnding(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Ends the run with an error. What the destination has stored stays. */
  stop(error: Error): void {
    this.stopping.abort(error);
  }

  /** Returns the result of some work. A destination must not keep a run from ending, whatever it does. */
  unlessStopped<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.stopped]);
  }
}

/** Runs the syncs of claimed tables, and stores how they end. */
@Injectable()
export class TableRuns {
  /** Runs that wait for a change, by datagrid. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private isStopping = false;

  constructor(
    private readonly repository: SyncRepository,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    private readonly sources: RowSources,
    private readonly log: ChangeRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly metrics: SyncMetrics,
    private readonly logger: Logger,
  ) {}

  /** Wakes the runs that wait for a change of a datagrid. */
  wake(datagridId: string): void {
    for (const wake of this.waiting.get(datagridId) ?? []) wake();
  }

  /** Ends the turns of all runs. */
  stop(): void {
    this.isStopping = true;
    for (const datagridId of this.waiting.keys()) this.wake(datagridId);
  }

  /**
   * Runs the sync of a table until it has all changes, its turn ends, or it fails.
   * @param mayLinger Returns whether it may keep its slot to wait for more changes.
   */
  async run(table: ClaimedTable, run: TableRun, mayLinger: () => boolean): Promise<void> {
    const startedAt = new Date();
    let writer: TargetWriter | undefined;
    let source: RowSource | undefined;
    let sync: TableSync | undefined;
    let isEnded = false;
    const letGo = keepClaim(
      () => this.repository.claims.extend(table),
      (error) => {
        run.stop(error);
      },
    );
    const check = setInterval(() => {
      if ((sync?.stalledMs ?? 0) >= STALL_MS) run.stop(stalled());
      if (run.ageMs >= MAX_RUN_MS) run.stop(tooLong());
    }, CHECK_MS).unref();
    try {
      const kind = this.kinds.get(table.type);
      const destination = kind.create({
        accountId: table.accountId,
        connectionId: table.connectionId,
        settings: table.settings,
        secret: this.secrets.openFor(table.connectionId, table.secret),
      });
      const opening = destination.open(table);
      // If it opens after the run was stopped, nobody else closes it.
      opening.then(
        (opened) => {
          if (isEnded) void opened.close();
        },
        () => undefined,
      );
      writer = await run.unlessStopped(opening);
      source = await this.sources.open(table);
      sync = new TableSync({
        table,
        writer,
        changesPerStep: kind.changesPerStep,
        source,
        log: this.log,
        getSchema: () => this.schemas.get(table.accountId, table.datagridId),
        onLoad: (reason) => {
          const { accountId, connectionId, datagridId } = table;
          const fields = { accountId, connectionId, datagridId, reason };
          this.logger.pino.info(fields, 'load begun');
        },
        onStep: this.onStepOf(table, run, mayLinger),
        onReset: () => this.repository.clearRequest(table),
        onChecked: (differentRows) => this.repository.storeCheck(table, differentRows),
      });
      const hasMore = await run.unlessStopped(sync.run());
      await this.succeed(table, sync, startedAt, hasMore);
    } catch (error) {
      await this.fail(table, sync, startedAt, error);
    } finally {
      isEnded = true;
      letGo();
      clearInterval(check);
      source?.close();
      await endsWithin(writer?.close() ?? Promise.resolve(), CLOSE_MS);
    }
  }

  /** Returns a function that stores the progress after each step, and ends the turn in time. */
  private onStepOf(
    table: ClaimedTable,
    run: TableRun,
    mayLinger: () => boolean,
  ): (progress: Progress) => Promise<boolean> {
    const endsAtMs = performance.now() + TURN_MS;
    return async (progress) => {
      // A step can end after the run.
      if (run.isEnding || !(await this.repository.advance(table, progress))) return false;
      const isOver = (): boolean => this.isStopping || performance.now() > endsAtMs;
      if (isOver()) return false;
      if (!progress.isUpToDate) return true;
      if (progress.restMs > LINGER_MS) return false;
      if (!progress.isIdle) await delay(GATHER_MS);
      else if (table.intervalSeconds !== null || !mayLinger()) return false;
      else if (!(await this.waitForChange(table))) return false;
      return !isOver();
    };
  }

  /** Waits for a change of the datagrid in this process. */
  private async waitForChange({ datagridId }: ClaimedTable): Promise<boolean> {
    const waiting = this.waiting.get(datagridId) ?? new Set();
    this.waiting.set(datagridId, waiting);
    return new Promise((resolve) => {
      const end = (hasChanged: boolean): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.waiting.delete(datagridId);
        resolve(hasChanged);
      };
      const wake = (): void => {
        end(true);
      };
      const timer = setTimeout(end, LINGER_MS, false).unref();
      waiting.add(wake);
    });
  }

  private async succeed(
    table: ClaimedTable,
    { rows, bytes, revision, restMs }: TableSync,
    startedAt: Date,
    hasMore: boolean,
  ): Promise<void> {
    const pauseMs = hasMore ? 0 : (table.intervalSeconds ?? 0) * 1_000;
    const delayMs = Math.round(Math.max(pauseMs, restMs));
    await this.repository.release(table, delayMs, hasMore, null);
    this.metrics.recordRun(table.type, 'succeeded', { rows, bytes });
    if (rows > 0) await this.repository.record(table, { startedAt, rows, bytes, revision }, null);
  }

  private async fail(
    table: ClaimedTable,
    sync: TableSync | undefined,
    startedAt: Date,
    error: unknown,
  ): Promise<void> {
    if (error instanceof DatagridGoneError) {
      await this.repository.claims.leave(table, OWN_FAILURE_MS);
      return;
    }
    if (error instanceof FencedError) {
      await this.failFenced(table, error.token, startedAt);
      return;
    }
    if (error instanceof ClaimLostError) {
      // If the account was suspended, the claim still exists.
      await this.repository.claims.leave(table, 0);
      return;
    }
    if (!(error instanceof DestinationError)) {
      await this.repository.claims.leave(table, OWN_FAILURE_MS);
      const isOverload = error instanceof AppError;
      if (!isOverload) throw error;
      const { accountId, connectionId, datagridId } = table;
      const fields = { accountId, connectionId, datagridId, reason: error.message };
      this.logger.pino.info(fields, 'sync postponed');
      return;
    }
    await this.failDestination(table, sync, startedAt, error);
  }

  /**
   * Ends a run whose table has a higher token in the destination. If this worker still has its claim,
   * the database of the service was restored, or another installation writes the same table.
   */
  private async failFenced(table: ClaimedTable, token: number, startedAt: Date): Promise<void> {
    const isValid = Number.isSafeInteger(token) && token >= 0 && token < MAX_TOKEN;
    const claimed = isValid ? await this.repository.raiseToken(table, token) : table;
    if (!claimed) return;
    const error = isValid
      ? new DestinationError('unavailable', CLAIMED_ELSEWHERE)
      : new DestinationError('configuration', INVALID_TOKEN);
    await this.failDestination(claimed, undefined, startedAt, error);
  }

  private async failDestination(
    table: ClaimedTable,
    sync: TableSync | undefined,
    startedAt: Date,
    { kind, message, cause }: DestinationError,
  ): Promise<void> {
    const { accountId, connectionId, datagridId, failures } = table;
    const delayMs = retryMs('sync', kind, failures);
    const failure = { kind, message, delayMs };
    if (!(await this.repository.release(table, delayMs, true, failure))) return;
    const { rows = 0, bytes = 0, revision = null } = sync ?? {};
    this.metrics.recordRun(table.type, kind, { rows, bytes });
    await this.repository.record(table, { startedAt, rows, bytes, revision }, message);
    const reason = cause instanceof Error ? printable(cause.message, MAX_REASON_LENGTH) : undefined;
    const fields = { reason, kind, accountId, connectionId, datagridId };
    this.logger.pino.warn(fields, 'sync failed');
  }
}

function stalled(): DestinationError {
  const message = `The destination accepted no rows for ${String(STALL_MS / 1_000)} seconds. Check its load, its locks and the network. The sync is retried.`;
  return new DestinationError('unavailable', message);
}

function tooLong(): DestinationError {
  const message = `The run did not end within ${String(MAX_RUN_MS / 3_600_000)} hours. Check the load of the destination, or copy fewer rows. The sync is retried.`;
  return new DestinationError('unavailable', message);
}

/** Returns the failure of a run that ends so that another account gets its place. */
export function tooSlow(turnSeconds: number): DestinationError {
  const message = `The destination took more than ${String(turnSeconds)} seconds for a step, while syncs of other accounts waited. Check its load and the network. The sync is retried.`;
  return new DestinationError('unavailable', message);
}
