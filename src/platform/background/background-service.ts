import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '../logging/logger';
import { type Job, JobTurns } from './job-turns';
import { RepeatedTask } from './repeated-task';

export interface BackgroundServiceOptions {
  /** Subject of the warning `… failed`, such as `key usage write`. */
  readonly name: string;
  /** Pause between two runs. */
  readonly pauseMs: number;
  readonly logger: Logger;
}

/** A service with a task that runs in the background of every instance. Commands do not start it. */
export abstract class BackgroundService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;
  /** Logs that a run failed. */
  protected readonly reportFailure: (error: unknown) => void;

  constructor({ name, pauseMs, logger }: BackgroundServiceOptions) {
    this.reportFailure = (err) => {
      logger.pino.warn({ err }, `${name} failed`);
    };
    this.task = new RepeatedTask(() => this.run(), pauseMs, this.reportFailure);
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the step in progress only. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Runs the task now. If a run is in progress, first waits for it.
   * @returns the result of the task: the number of records, jobs or steps.
   * @throws what the task throws.
   */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  /** Whether a run in progress should end after its step. */
  protected get isStopping(): boolean {
    return this.task.isStopping;
  }

  /** Runs the task once. @returns the number of records, jobs or steps. */
  protected abstract run(): Promise<number>;
}

/**
 * A background service whose work consists of jobs, for which accounts take turns. If the jobs cannot be
 * listed, it logs the warning `<name> listing failed`, and if one fails, `<kind of the job> failed`.
 */
export abstract class BackgroundJobService extends BackgroundService {
  private readonly turns: JobTurns;

  constructor({ name, pauseMs, logger }: BackgroundServiceOptions) {
    super({ name: `${name} listing`, pauseMs, logger });
    this.turns = new JobTurns({
      list: () => this.listJobs(),
      onFailure: ({ accountId, kind, target }, err) => {
        logger.pino.warn({ err, accountId, ...target }, `${kind} failed`);
      },
      isStopping: () => this.isStopping,
    });
  }

  /** Returns the pending jobs, at most `MAX_LISTED_JOBS` per account and kind, oldest first. */
  protected abstract listJobs(): Promise<readonly Job[]>;

  protected run(): Promise<number> {
    return this.turns.run();
  }
}
