import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ChangeRepository } from '../../changes/change.repository';
import { AppError } from '../../common/error/app-error';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { accountShare } from '../../platform/fairness/account-semaphore';
import { Logger } from '../../platform/logging/logger';
import { SealError } from '../../platform/secrets/sealer';
import { endsWithin } from '../../platform/time/ends-within';
import { ConnectionSecrets } from '../connection-secrets';
import type { DestinationType } from '../connection.entity';
import {
  DestinationError,
  type FailureKind,
  FencedError,
  type TargetWriter,
} from '../destination/destination';
import { DestinationKinds } from '../destination/destination-kinds';
import { TableSetRepository } from '../table-set.repository';
import { DatagridGoneError, type RowSource, RowSources } from './row-source';
import { type ClaimedTable, type Progress, SyncRepository } from './sync.repository';
import { TableSync } from './table-sync';

const PAUSE_MS = 1_000;
/** Pause between two claims that follow changes of this process. */
const SIGNAL_PAUSE_MS = 100;
/** Pause after a claim, as a multiple of its time. */
const COST_FACTOR = 9;
/** Pause between two searches for datagrids without a table, and the same as a multiple of its time. */
const ADD_PAUSE_MS = 2_000;
const ADD_COST_FACTOR = 49;
/** Maximum number of tables that one search adds to a connection. */
const MAX_ADDED = 1_000;
/** A worker claims a table for this time, and extends the claim three times as often. */
const LEASE_MS = 15_000;
const EXTENSIONS_PER_LEASE = 3;
/** Time after which a table with more to do lets others have its place. */
const TURN_MS = 10_000;
/** Time that a table that is up to date keeps its connection, for more changes. */
const LINGER_MS = 1_000;
/** Delays before a failed run is repeated, in seconds. The last one repeats. */
const RETRY_SECONDS: Readonly<Record<FailureKind, readonly number[]>> = {
  unavailable: [2, 5, 15, 30, 60, 120, 300],
  configuration: [30, 60, 300, 600],
  // The next run loads the table again.
  inconsistent: [1, 60, 600, 3_600],
};
/** Delay after a failure of the service's own database. */
const OWN_FAILURE_MS = 5_000;
/** Time that runs in progress have when the service stops. */
const STOP_MS = 3_000;
/** Types of destinations that only one process can write at a time. */
const EXCLUSIVE_TYPES: readonly DestinationType[] = ['duckdb'];

/**
 * Finds target tables with something to sync, and runs their syncs. Runs in the background of every
 * instance. A table is claimed by one worker at a time. The destination rejects a worker that has lost
 * its claim.
 */
@Injectable()
export class SyncService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly running = new Map<Promise<void>, string>();
  private readonly poll: RepeatedTask;
  private readonly waiting = new Map<string, () => void>();
  private readonly shared: number;
  private claimAgainAtMs = 0;
  private addAgainAtMs = 0;
  private hasSignal = false;
  private hasConnections = false;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: SyncRepository,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    private readonly tables: TableSetRepository,
    private readonly sources: RowSources,
    private readonly log: ChangeRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly logger: Logger,
    signal: ChangeSignal,
  ) {
    this.shared = accountShare(config.maxConcurrentSyncs);
    this.poll = new RepeatedTask(
      () => this.claim(),
      SIGNAL_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'connection listing failed');
      },
    );
    signal.listen((datagridId) => {
      this.hasSignal = true;
      this.waiting.get(datagridId)?.();
    });
  }

  onApplicationBootstrap(): void {
    this.poll.start();
  }

  /** Ends the turns of runs in progress. */
  async onModuleDestroy(): Promise<void> {
    await this.poll.stop();
    for (const wake of this.waiting.values()) wake();
    await endsWithin(Promise.all(this.running.keys()), STOP_MS);
  }

  /** Claims tables now. @returns the number of tables that were started. */
  async runOnce(): Promise<number> {
    this.claimAgainAtMs = 0;
    this.addAgainAtMs = 0;
    return this.poll.runOnce();
  }

  /** Claims tables once a second, or sooner if this process has changed a datagrid. */
  private async claim(): Promise<number> {
    const startedAtMs = performance.now();
    const isDue = startedAtMs >= this.claimAgainAtMs;
    const tables = this.config.maxConcurrentSyncs - this.running.size;
    if (tables <= 0 || !(isDue || (this.hasSignal && this.hasConnections))) return 0;
    this.hasSignal = false;
    if (isDue) this.hasConnections = await this.repository.hasAny();
    if (isDue && this.hasConnections && startedAtMs >= this.addAgainAtMs) {
      await this.addMissing();
      const durationMs = performance.now() - startedAtMs;
      this.addAgainAtMs = startedAtMs + Math.max(ADD_PAUSE_MS, durationMs * ADD_COST_FACTOR);
    }
    const claimed = this.hasConnections
      ? await this.repository.claim({
          tables,
          perAccount: this.shared,
          active: [...this.running.values()],
          exclusiveTypes: EXCLUSIVE_TYPES,
          leaseMs: LEASE_MS,
        })
      : [];
    for (const table of claimed) this.start(table);
    const nowMs = performance.now();
    this.claimAgainAtMs = nowMs + Math.max(PAUSE_MS, (nowMs - startedAtMs) * COST_FACTOR);
    return claimed.length;
  }

  /** Adds tables of datagrids that were created after the connection. */
  private async addMissing(): Promise<void> {
    for (const connectionId of await this.repository.listIncomplete()) {
      const missing = await this.tables.listMissing(connectionId, MAX_ADDED);
      await this.tables.add(connectionId, missing);
    }
  }

  private start(table: ClaimedTable): void {
    const { accountId, connectionId, datagridId } = table;
    const run = this.run(table)
      .catch((err: unknown) => {
        this.logger.pino.warn({ err, accountId, connectionId, datagridId }, 'sync failed');
      })
      .finally(() => {
        this.running.delete(run);
        // A change after the last step has found the table claimed.
        this.hasSignal = true;
      });
    this.running.set(run, accountId);
  }

  private async run(table: ClaimedTable): Promise<void> {
    const startedAt = new Date();
    const lease = setInterval(() => {
      void this.repository.extend(table, LEASE_MS).catch(() => undefined);
    }, LEASE_MS / EXTENSIONS_PER_LEASE).unref();
    let writer: TargetWriter | undefined;
    let source: RowSource | undefined;
    let sync: TableSync | undefined;
    try {
      const destination = this.kinds.get(table.type).create({
        accountId: table.accountId,
        connectionId: table.connectionId,
        settings: table.settings,
        secret: this.openSecret(table),
      });
      writer = await destination.open(table);
      source = await this.sources.open(table);
      sync = new TableSync({
        table,
        writer,
        source,
        log: this.log,
        getSchema: () => this.schemas.get(table.accountId, table.datagridId),
        onStep: this.steps(table),
        onServed: () => this.repository.serve(table),
      });
      const hasMore = await sync.run();
      await this.succeed(table, sync, startedAt, hasMore);
    } catch (error) {
      await this.fail(table, sync, startedAt, error);
    } finally {
      clearInterval(lease);
      source?.close();
      await writer?.close();
    }
  }

  /** @throws DestinationError if the secret cannot be opened. */
  private openSecret({ connectionId, secret }: ClaimedTable): string | null {
    if (secret === null) return null;
    try {
      return this.secrets.open(connectionId, secret);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      const message =
        'The password of the connection cannot be opened. Set it again, or ask the operator of the service.';
      throw new DestinationError('configuration', message, { cause: error });
    }
  }

  /** Returns a function that stores the progress after each step, and ends the turn in time. */
  private steps(table: ClaimedTable): (progress: Progress) => Promise<boolean> {
    const endsAtMs = performance.now() + TURN_MS;
    return async (progress) => {
      if (!(await this.repository.advance(table, progress, LEASE_MS))) return false;
      const isOver = (): boolean => this.poll.isStopping || performance.now() > endsAtMs;
      if (isOver()) return false;
      if (!progress.isUpToDate) return true;
      if (table.intervalSeconds !== null) return false;
      return (await this.waitForChange(table)) && !isOver();
    };
  }

  /** Waits for a change of the datagrid in this process. */
  private async waitForChange({ datagridId }: ClaimedTable): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (hasChanged: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(datagridId);
        resolve(hasChanged);
      };
      const timer = setTimeout(end, LINGER_MS, false).unref();
      this.waiting.set(datagridId, () => {
        end(true);
      });
    });
  }

  private async succeed(
    table: ClaimedTable,
    { rows, bytes, revision }: TableSync,
    startedAt: Date,
    hasMore: boolean,
  ): Promise<void> {
    const delayMs = hasMore ? 0 : (table.intervalSeconds ?? 0) * 1_000;
    await this.repository.release(table, delayMs, hasMore, null);
    if (rows > 0) await this.repository.record(table, { startedAt, rows, bytes, revision }, null);
  }

  private async fail(
    table: ClaimedTable,
    sync: TableSync | undefined,
    startedAt: Date,
    error: unknown,
  ): Promise<void> {
    const { accountId, connectionId, datagridId, failures } = table;
    if (error instanceof FencedError) {
      await this.repository.raiseToken(table, error.token);
      return;
    }
    if (error instanceof DatagridGoneError) {
      await this.repository.leave(table, OWN_FAILURE_MS);
      return;
    }
    if (!(error instanceof DestinationError)) {
      await this.repository.leave(table, OWN_FAILURE_MS);
      const isLoad = error instanceof AppError;
      if (!isLoad) throw error;
      return;
    }
    const { kind, message } = error;
    const delays = RETRY_SECONDS[kind];
    const delayMs = (delays[Math.min(failures, delays.length - 1)] ?? 0) * 1_000;
    const failure = { kind, message, delayMs };
    if (!(await this.repository.release(table, delayMs, true, failure))) return;
    const { rows = 0, bytes = 0, revision = null } = sync ?? {};
    await this.repository.record(table, { startedAt, rows, bytes, revision }, message);
    const fields = { err: error.cause, kind, accountId, connectionId, datagridId };
    this.logger.pino.warn(fields, 'sync failed');
  }
}
