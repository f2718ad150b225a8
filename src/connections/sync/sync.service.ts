import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { accountShare } from '../../platform/fairness/account-semaphore';
import { Logger } from '../../platform/logging/logger';
import { endsWithin } from '../../platform/time/ends-within';
import type { DestinationType } from '../connection.entity';
import { TableSetRepository } from '../table-set.repository';
import { type ClaimedTable, SyncRepository } from './sync.repository';
import { LEASE_MS, TableRun, TableRuns } from './table-runs.service';

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
/** Places of slow destinations for each of MAX_CONCURRENT_SYNCS. */
const SLOW_PER_PLACE = 3;
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
  private readonly running = new Map<Promise<void>, TableRun>();
  private readonly poll: RepeatedTask;
  private readonly shared: number;
  private claimAgainAtMs = 0;
  private signalAgainAtMs = 0;
  private addAgainAtMs = 0;
  private hasSignal = false;
  private hasConnections = false;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: SyncRepository,
    private readonly tables: TableSetRepository,
    private readonly runs: TableRuns,
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
      runs.wake(datagridId);
    });
  }

  onApplicationBootstrap(): void {
    this.poll.start();
  }

  /** Ends the turns of runs in progress. */
  async onModuleDestroy(): Promise<void> {
    await this.poll.stop();
    this.runs.stop();
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
    const isSignaled = this.hasSignal && startedAtMs >= this.signalAgainAtMs;
    const tables = this.countFree();
    if (tables === 0 || !(isDue || (isSignaled && this.hasConnections))) return 0;
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
          active: [...this.running.values()].map(({ accountId }) => accountId),
          exclusiveTypes: EXCLUSIVE_TYPES,
          leaseMs: LEASE_MS,
        })
      : [];
    for (const table of claimed) this.start(table);
    const nowMs = performance.now();
    this.signalAgainAtMs = nowMs + (nowMs - startedAtMs) * COST_FACTOR;
    this.claimAgainAtMs = Math.max(nowMs + PAUSE_MS, this.signalAgainAtMs);
    return claimed.length;
  }

  /**
   * Returns the number of tables that may be started. Those of slow destinations have places of their
   * own, so that they take none from others.
   */
  private countFree(): number {
    const { maxConcurrentSyncs: max } = this.config;
    const runs = [...this.running.values()];
    const slow = runs.filter(({ isSlow }) => isSlow).length;
    const free = Math.min(max - (runs.length - slow), max * (1 + SLOW_PER_PLACE) - runs.length);
    return Math.max(0, free);
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
    const place = new TableRun(accountId);
    const run = this.runs
      .run(table, place, () => this.countFree() > 0)
      .catch((err: unknown) => {
        this.logger.pino.warn({ err, accountId, connectionId, datagridId }, 'sync failed');
      })
      .finally(() => {
        this.running.delete(run);
        // A change after the last step has found the table claimed.
        this.hasSignal = true;
      });
    this.running.set(run, place);
  }
}
