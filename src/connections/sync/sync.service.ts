import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ChangeLogReaders, type LogReader } from '../../datagrids/change-log/change-log-readers';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { RunSlots } from '../run-slots';
import { TableSetRepository } from '../table-set.repository';
import { SyncMetrics } from './sync-metrics';
import { type ClaimedTable, SyncRepository } from './sync.repository';
import { TableRun, TableRuns, tooSlow } from './table-runs.service';

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

/**
 * Finds target tables with something to sync, and runs their syncs. Runs in the background of every
 * instance. A table is claimed by one worker at a time. The destination rejects a worker that has lost
 * its claim. Registers as a reader of the change log, which then keeps the entries that a connection has not
 * read.
 */
@Injectable()
export class SyncService implements OnApplicationBootstrap, OnModuleDestroy, LogReader {
  private readonly slots: RunSlots<TableRun>;
  private readonly poll: RepeatedTask;
  private claimAgainAtMs = 0;
  private signalAgainAtMs = 0;
  private addAgainAtMs = 0;
  private hasSignal = false;
  private hasConnections = false;

  constructor(
    private readonly repository: SyncRepository,
    private readonly tables: TableSetRepository,
    private readonly runs: TableRuns,
    private readonly logger: Logger,
    private readonly config: AppConfig,
    metrics: SyncMetrics,
    signal: ChangeSignal,
    readers: ChangeLogReaders,
  ) {
    this.slots = new RunSlots(config.maxConcurrentSyncs);
    metrics.reportRunning((pool) => this.slots.count(pool));
    this.poll = new RepeatedTask(
      () => this.claim(),
      SIGNAL_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'connection listing failed');
      },
    );
    readers.register(this);
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
    await this.slots.ended();
  }

  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const tables = await this.repository.listReadRevisions(datagridIds);
    return new Map(tables.map(({ datagridId, revision }) => [datagridId, revision]));
  }

  /** Does nothing: RetentionService deletes the table of a purged datagrid. */
  endLog(): Promise<void> {
    return Promise.resolve();
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
    const isFree = this.slots.countFree() > 0 || (isDue && this.slots.isFull);
    if (!isFree || !(isDue || (isSignaled && this.hasConnections))) return 0;
    this.hasSignal = false;
    if (isDue) this.hasConnections = await this.repository.hasAny();
    if (isDue && this.hasConnections && startedAtMs >= this.addAgainAtMs) {
      await this.addMissing();
      const durationMs = performance.now() - startedAtMs;
      this.addAgainAtMs = startedAtMs + Math.max(ADD_PAUSE_MS, durationMs * ADD_COST_FACTOR);
    }
    const claimed = this.hasConnections ? await this.claimDue() : [];
    for (const table of claimed) this.start(table);
    const nowMs = performance.now();
    this.signalAgainAtMs = nowMs + (nowMs - startedAtMs) * COST_FACTOR;
    this.claimAgainAtMs = Math.max(nowMs + PAUSE_MS, this.signalAgainAtMs);
    return claimed.length;
  }

  /** Claims tables for the free slots. If both pools are full, ends slow runs for accounts that wait. */
  private async claimDue(): Promise<ClaimedTable[]> {
    const { slots } = this;
    const due = await this.repository.claims.listDue(slots.perAccount);
    const { slowSyncTurnSeconds: seconds } = this.config;
    const replaced = slots.listReplaced(due, ({ ageMs }) => ageMs > seconds * 1_000);
    for (const run of replaced) run.stop(tooSlow(seconds));
    return this.repository.claims.claim(slots.choose(due));
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
    const run = new TableRun(accountId);
    const work = this.runs
      .run(table, run, () => this.slots.countFree() > 0)
      .catch((err: unknown) => {
        this.logger.pino.warn({ err, accountId, connectionId, datagridId }, 'sync failed');
      })
      .finally(() => {
        // A change after the last step has found the table claimed.
        this.hasSignal = true;
      });
    this.slots.start(run, work);
  }
}
