import { Injectable } from '@nestjs/common';
import { BackgroundJobService } from '../../platform/background/background-service';
import { type Job, type StepResult, type JobSteps } from '../../platform/background/job-turns';
import { StepSize } from '../../platform/background/step-size';
import { Logger } from '../../platform/logging/logger';
import { cleanupSteps } from '../cleanup/cleanup-sql';
import { IndexBuildRepository, type ListedIndex } from './index-build.repository';
import { LeftoverRepository, type Leftovers } from './leftover.repository';

const PAUSE_MS = 2_000;

/**
 * Builds the indexes of columns that were marked when the datagrid already had rows, and deletes
 * the orphans of columns: index entries and claims on unique values. It runs in the background of
 * every instance, in short steps, and accounts take turns. A step that fails or is locked is
 * retried.
 */
@Injectable()
export class IndexBuildService extends BackgroundJobService {
  constructor(
    private readonly leftovers: LeftoverRepository,
    private readonly repository: IndexBuildRepository,
    logger: Logger,
  ) {
    super({ name: 'index job', pauseMs: PAUSE_MS, logger });
  }

  protected override async listJobs(): Promise<Job[]> {
    const indexes = await this.repository.listPending();
    const orphans = await this.leftovers.list();
    return [
      ...indexes.map((index) => this.buildJob(index)),
      ...orphans.map((leftovers) => this.cleanupJob(leftovers)),
    ];
  }

  private buildJob(index: ListedIndex): Job {
    const { accountId, datagridId, columnId } = index;
    const target = { datagridId, columnId };
    return { kind: 'index build', accountId, target, start: () => this.build(index) };
  }

  private async *build(index: ListedIndex): AsyncGenerator<StepResult, undefined> {
    const size = new StepSize();
    for (;;) {
      const result = await this.repository.step(index, size);
      if (result === 'completed') return;
      yield result;
    }
  }

  private cleanupJob(leftovers: Leftovers): Job {
    const { accountId, ...target } = leftovers;
    const start = (): JobSteps =>
      cleanupSteps(
        this.leftovers.tablesOf(leftovers),
        (...position) => this.leftovers.clear(leftovers, ...position),
        () => this.leftovers.finish(leftovers),
      );
    return { kind: 'column cleanup', accountId, target, start };
  }
}
