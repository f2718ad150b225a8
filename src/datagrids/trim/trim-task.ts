import { type Job, JobTurns, type StepResult } from '../../platform/background/job-turns';
import { RepeatedTask } from '../../platform/background/repeated-task';
import type { Logger } from '../../platform/logging/logger';
import type { ExpiredDatagrid } from './expired-datagrids.repository';

const PAUSE_MS = 10 * 60_000;

/** Data of datagrids that expires. */
export interface TrimmedData {
  /** Name of the data in logs, such as `change log`. */
  readonly name: string;
  /** Lists datagrids with expired data, at most MAX_LISTED_JOBS of each account. */
  list(): Promise<ExpiredDatagrid[]>;
  /**
   * Deletes a step of the expired data of a datagrid.
   * @returns the number of deleted records; 0 if there is nothing left to delete.
   */
  trim(datagridId: string): Promise<number>;
}

/** Deletes expired data of datagrids in the background, in short steps. Accounts take turns. */
export class TrimTask {
  private readonly task: RepeatedTask;

  constructor(
    private readonly data: TrimmedData,
    logger: Logger,
  ) {
    const turns = new JobTurns({
      list: async () => (await data.list()).map((datagrid) => this.job(datagrid)),
      onFailure: ({ accountId, kind, target }, err) => {
        logger.pino.warn({ err, accountId, ...target }, `${kind} failed`);
      },
      isStopping: () => this.task.isStopping,
    });
    this.task = new RepeatedTask(
      () => turns.run(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, `${data.name} listing failed`);
      },
    );
  }

  start(): void {
    this.task.start();
  }

  /** Stops the task and waits for the step in progress. */
  async stop(): Promise<void> {
    await this.task.stop();
  }

  /** Deletes all expired data now. @returns the number of datagrids that had some. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private job({ accountId, datagridId }: ExpiredDatagrid): Job {
    const start = (): AsyncGenerator<StepResult, undefined> => this.trim(datagridId);
    return { kind: `${this.data.name} cleanup`, accountId, target: { datagridId }, start };
  }

  private async *trim(datagridId: string): AsyncGenerator<StepResult, undefined> {
    while ((await this.data.trim(datagridId)) > 0) yield 'more';
  }
}
