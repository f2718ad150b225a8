import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../platform/background/repeated-task';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { RunSlots } from '../connections/run-slots';
import { type ClaimedImport, ImportClaimRepository } from './import-claim.repository';
import { ScheduledImportMetrics } from './import-metrics';
import { ImportRun, ImportRuns } from './import-runs.service';

const PAUSE_MS = 1_000;

/**
 * Finds scheduled imports that are due, and runs them. Runs in the background of every instance. An
 * import is claimed by one worker at a time, and each of its steps checks the claim.
 */
@Injectable()
export class ImportScheduleService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly slots: RunSlots<ImportRun>;
  private readonly poll: RepeatedTask;

  constructor(
    config: AppConfig,
    private readonly repository: ImportClaimRepository,
    private readonly runs: ImportRuns,
    private readonly logger: Logger,
    metrics: ScheduledImportMetrics,
  ) {
    this.slots = new RunSlots(config.maxConcurrentScheduledImports);
    metrics.reportRunning((pool) => this.slots.count(pool));
    this.poll = new RepeatedTask(
      () => this.claim(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'scheduled import listing failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.poll.start();
  }

  /** Ends the runs in progress. Others continue them. */
  async onModuleDestroy(): Promise<void> {
    await this.poll.stop();
    for (const run of this.slots.runs) run.stop();
    await this.slots.ended();
  }

  /** Claims imports now. @returns the number of runs that were started. */
  async runOnce(): Promise<number> {
    return this.poll.runOnce();
  }

  private async claim(): Promise<number> {
    const { slots } = this;
    if (slots.countFree() === 0 || !(await this.repository.hasAny())) return 0;
    const due = await this.repository.claims.listDue(slots.perAccount);
    const claimed = await this.repository.claims.claim(slots.choose(due));
    for (const each of claimed) this.start(each);
    return claimed.length;
  }

  private start(claimed: ClaimedImport): void {
    const { accountId, connectionId, id } = claimed;
    const run = new ImportRun(accountId);
    const work = this.runs.run(claimed, run).catch((err: unknown) => {
      const fields = { err, accountId, connectionId, scheduledImportId: id };
      this.logger.pino.warn(fields, 'scheduled import failed');
    });
    this.slots.start(run, work);
  }
}
