import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Job, JobTurns, type StepResult } from '../../platform/background/job-turns';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import {
  ChangeLogTrimRepository,
  type ExpiredLog,
  type LogRetention,
} from './change-log-trim.repository';

const PAUSE_MS = 10 * 60_000;

/** Number of entries of one step. An entry can name thousands of rows. */
const STEP_ENTRIES = 500;

/**
 * Deletes entries of the change log after CHANGE_RETENTION_DAYS, or after MAX_CHANGE_RETENTION_DAYS
 * if a stored reader has not read them yet. Runs in the background of every instance, in short
 * steps, and accounts take turns.
 */
@Injectable()
export class ChangeLogTrimService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;
  private readonly retention: LogRetention;

  constructor(
    { changeRetentionDays: days, maxChangeRetentionDays }: AppConfig,
    private readonly repository: ChangeLogTrimRepository,
    logger: Logger,
  ) {
    this.retention = { days, maxDays: Math.max(days, maxChangeRetentionDays) };
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
    while ((await this.repository.trim(datagridId, this.retention, STEP_ENTRIES)) > 0) yield 'more';
  }
}
