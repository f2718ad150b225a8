import { Injectable } from '@nestjs/common';
import { BackgroundJobService } from '../../platform/background/background-service';
import { type Job, type StepResult, type JobSteps } from '../../platform/background/job-turns';
import { Logger } from '../../platform/logging/logger';
import type { ExpiredItem } from '../../trash/trash.repository';
import { TrashService } from '../../trash/trash.service';
import { cleanupSteps } from '../cleanup/cleanup-sql';
import { PURGED_TABLES, type PurgedDatagrid, PurgeRepository } from './purge.repository';

const PAUSE_MS = 10_000;

/**
 * Purges expired items from the trash, and deletes the remaining data of purged datagrids. It runs
 * in the background of every instance, in short steps, and accounts take turns. A step that fails
 * or is locked is retried.
 */
@Injectable()
export class PurgeService extends BackgroundJobService {
  constructor(
    private readonly trash: TrashService,
    private readonly repository: PurgeRepository,
    logger: Logger,
  ) {
    super({ name: 'purge job', pauseMs: PAUSE_MS, logger });
  }

  protected override async listJobs(): Promise<Job[]> {
    const expired = await this.trash.listExpired();
    const purged = await this.repository.list();
    return [
      ...expired.map((item) => this.trashJob(item)),
      ...purged.map((datagrid) => this.cleanupJob(datagrid)),
    ];
  }

  private trashJob(item: ExpiredItem): Job {
    const { accountId, kind, id } = item;
    const start = (): JobSteps => ({ next: () => this.purge(item) });
    return { kind: 'trash purge', accountId, target: { kind, id }, start };
  }

  /** Purges an item, in the only step of its job. */
  private async purge(item: ExpiredItem): Promise<IteratorResult<StepResult, undefined>> {
    const isPurged = await this.trash.purgeExpired(item);
    return isPurged ? { done: true, value: undefined } : { done: false, value: 'locked' };
  }

  private cleanupJob({ accountId, datagridId }: PurgedDatagrid): Job {
    const start = (): JobSteps =>
      cleanupSteps(
        PURGED_TABLES,
        (...position) => this.repository.clear(datagridId, ...position),
        async () => {
          await this.repository.finish(datagridId);
          return 'completed';
        },
      );
    return { kind: 'datagrid cleanup', accountId, target: { datagridId }, start };
  }
}
