import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { ExpiredLog } from '../../datagrids/change-log/change-log-trim.repository';
import { type Job, JobTurns, type StepResult } from '../../platform/background/job-turns';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { type VersionRetention, VersionTrimRepository } from './version-trim.repository';

const PAUSE_MS = 10 * 60_000;

/** Number of versions of one step. */
const STEP_VERSIONS = 1_000;

/**
 * Deletes versions of rows after HISTORY_RETENTION_DAYS, and the oldest ones of datagrids that have
 * more than MAX_HISTORY_VERSIONS. Runs in the background of every instance, in short steps, and
 * accounts take turns.
 */
@Injectable()
export class VersionTrimService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;
  private readonly retention: VersionRetention;

  constructor(
    { historyRetentionDays: days, maxHistoryVersions: maxVersions }: AppConfig,
    private readonly repository: VersionTrimRepository,
    logger: Logger,
  ) {
    this.retention = { days, maxVersions };
    const turns = new JobTurns({
      list: async () => (await repository.list(this.retention)).map(this.job),
      onFailure: ({ accountId, kind, target }, err) => {
        logger.pino.warn({ err, accountId, ...target }, `${kind} failed`);
      },
      isStopping: () => this.task.isStopping,
    });
    this.task = new RepeatedTask(
      () => turns.run(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'row history listing failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Deletes all expired versions. @returns the number of datagrids that had some. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private readonly job = ({ accountId, datagridId }: ExpiredLog): Job => {
    const start = (): AsyncGenerator<StepResult, undefined> => this.trim(datagridId);
    return { kind: 'row history cleanup', accountId, target: { datagridId }, start };
  };

  private async *trim(datagridId: string): AsyncGenerator<StepResult, undefined> {
    while ((await this.repository.trim(datagridId, this.retention, STEP_VERSIONS)) > 0)
      yield 'more';
  }
}
