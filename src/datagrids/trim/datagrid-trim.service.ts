import { BackgroundJobService } from '../../platform/background/background-service';
import type { Job, StepResult } from '../../platform/background/job-turns';
import type { Logger } from '../../platform/logging/logger';
import type { ExpiredDatagrid } from './expired-datagrids.repository';

const PAUSE_MS = 10 * 60_000;

/** Deletes expired data of datagrids in the background, in short steps. Accounts take turns. */
export abstract class DatagridTrimService extends BackgroundJobService {
  /** @param data Name of the data in the warnings `… cleanup failed` and `… listing failed`. */
  constructor(
    private readonly data: string,
    logger: Logger,
  ) {
    super({ name: data, pauseMs: PAUSE_MS, logger });
  }

  /** Lists datagrids with expired data, at most MAX_LISTED_JOBS of each account. */
  protected abstract listExpired(): Promise<ExpiredDatagrid[]>;

  /**
   * Deletes a batch of the expired data of a datagrid.
   * @returns the number of deleted records; 0 if there is nothing left to delete.
   */
  protected abstract trim(datagridId: string): Promise<number>;

  protected override async listJobs(): Promise<Job[]> {
    const expired = await this.listExpired();
    return expired.map(({ accountId, datagridId }) => ({
      kind: `${this.data} cleanup`,
      accountId,
      target: { datagridId },
      start: () => this.trimAll(datagridId),
    }));
  }

  private async *trimAll(datagridId: string): AsyncGenerator<StepResult, undefined> {
    while ((await this.trim(datagridId)) > 0) yield 'more';
  }
}
