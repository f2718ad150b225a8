import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Job, JobTurns, type StepResult } from '../../platform/background/job-turns';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { ChangeLogTrimRepository, type ExpiredLog } from './change-log-trim.repository';

const PAUSE_MS = 10 * 60_000;

/** Number of entries of one step. An entry can name thousands of rows. */
const STEP_ENTRIES = 500;

/**
 * Deletes entries of the change log after CHANGE_RETENTION_DAYS. Runs in the background of every
 * instance, in short steps, and accounts take turns.
 */
@Injectable()
export class ChangeLogTrimService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: ChangeLogTrimRepository,
    logger: Logger,
  ) {
    const turns = new JobTurns({
      list: async () => (await repository.list(config.changeRetentionDays)).map(this.job),
      onFailure: ({ accountId, kind, target }, err) => {
        logger.pino.warn({ err, accountId, ...target }, `${kind} failed`);
      },
      isStopping: () => this.task.isStopping,
    });
    this.task = new RepeatedTask(
      () => turns.run(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'change log listing failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Deletes all expired entries. @returns the number of datagrids that had some. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private readonly job = ({ accountId, datagridId }: ExpiredLog): Job => {
    const start = (): AsyncGenerator<StepResult, undefined> => this.trim(datagridId);
    return { kind: 'change log cleanup', accountId, target: { datagridId }, start };
  };

  private async *trim(datagridId: string): AsyncGenerator<StepResult, undefined> {
    const days = this.config.changeRetentionDays;
    while ((await this.repository.trim(datagridId, days, STEP_ENTRIES)) > 0) yield 'more';
  }
}
