import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { accountShare } from '../../platform/fairness/account-semaphore';
import { Logger } from '../../platform/logging/logger';
import { endsWithin } from '../../platform/time/ends-within';
import type { DestinationType } from '../connection.entity';
import { type ClaimedImport, ImportClaimRepository } from './import-claim.repository';
import { ScheduledImportMetrics } from './import-metrics';
import { ImportRun, ImportRuns, LEASE_MS } from './import-runs.service';

const PAUSE_MS = 1_000;
/** Pause between two looks whether expired entries can be deleted. */
const CLEANUP_PAUSE_MS = 10 * 60_000;
/** Places of runs without rows for each of MAX_CONCURRENT_SCHEDULED_IMPORTS. */
const SLOW_PER_PLACE = 3;
/** Time that runs in progress have when the service stops. */
const STOP_MS = 3_000;
/** Types of databases that only one process can have open at a time. */
const EXCLUSIVE_TYPES: readonly DestinationType[] = ['duckdb'];

/**
 * Finds scheduled imports that are due, and runs them. Runs in the background of every instance. An
 * import is claimed by one worker at a time, and each of its steps checks the claim.
 */
@Injectable()
export class ImportScheduleService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly running = new Map<Promise<void>, ImportRun>();
  private readonly poll: RepeatedTask;
  private readonly cleanup: RepeatedTask;
  private readonly shared: number;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: ImportClaimRepository,
    private readonly runs: ImportRuns,
    private readonly logger: Logger,
    metrics: ScheduledImportMetrics,
  ) {
    metrics.reportRunning((state) => {
      const all = [...this.running.values()];
      return all.filter(({ isSlow }) => isSlow === (state === 'slow')).length;
    });
    this.shared = accountShare(config.maxConcurrentScheduledImports);
    this.poll = new RepeatedTask(
      () => this.claim(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'scheduled import listing failed');
      },
    );
    this.cleanup = new RepeatedTask(
      () => this.deleteExpired(),
      CLEANUP_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'scheduled import cleanup failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.poll.start();
    this.cleanup.start();
  }

  /** Ends the runs in progress. Others continue them. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.poll.stop(), this.cleanup.stop()]);
    for (const run of this.running.values()) run.stop();
    await endsWithin(Promise.all(this.running.keys()), STOP_MS);
  }

  /** Claims imports now. @returns the number of runs that were started. */
  async runOnce(): Promise<number> {
    return this.poll.runOnce();
  }

  private async claim(): Promise<number> {
    const imports = this.countFree();
    if (imports === 0 || !(await this.repository.hasAny())) return 0;
    const claimed = await this.repository.claim({
      imports,
      perAccount: this.shared,
      active: [...this.running.values()].map(({ accountId }) => accountId),
      exclusiveTypes: EXCLUSIVE_TYPES,
      leaseMs: LEASE_MS,
    });
    for (const each of claimed) this.start(each);
    return claimed.length;
  }

  /**
   * Returns the number of imports that may be started. Those whose database sends no rows have places
   * of their own, so that they take none from others.
   */
  private countFree(): number {
    const { maxConcurrentScheduledImports: max } = this.config;
    const runs = [...this.running.values()];
    const slow = runs.filter(({ isSlow }) => isSlow).length;
    const free = Math.min(max - (runs.length - slow), max * (1 + SLOW_PER_PLACE) - runs.length);
    return Math.max(0, free);
  }

  private start(claimed: ClaimedImport): void {
    const { accountId, connectionId, id } = claimed;
    const place = new ImportRun(accountId);
    const run = this.runs
      .run(claimed, place)
      .catch((err: unknown) => {
        const fields = { err, accountId, connectionId, scheduledImportId: id };
        this.logger.pino.warn(fields, 'scheduled import failed');
      })
      .finally(() => {
        this.running.delete(run);
      });
    this.running.set(run, place);
  }

  private async deleteExpired(): Promise<number> {
    while (await this.repository.deleteExpiredRuns(this.config.connectionRunRetentionDays));
    while (await this.repository.deleteOrphans());
    return 0;
  }
}
