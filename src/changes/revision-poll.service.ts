import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../platform/background/repeated-task';
import { Logger } from '../platform/logging/logger';
import { ChangeWatch } from './change-watch';
import { RevisionRepository } from './revision.repository';
import { WorkspacePoll } from './workspace/workspace-poll';

const PAUSE_MS = 1_000;

/**
 * Finds changes that other processes have committed, for readers that wait in this one: by one query
 * per second for all of their datagrids, and one for their workspaces. It needs neither triggers nor
 * notifications in the transactions that write.
 */
@Injectable()
export class RevisionPoll implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly tasks: readonly RepeatedTask[];

  constructor(
    private readonly watch: ChangeWatch,
    private readonly revisions: RevisionRepository,
    workspaces: WorkspacePoll,
    logger: Logger,
  ) {
    const onFailure = (err: unknown): void => {
      logger.pino.warn({ err }, 'revision poll failed');
    };
    // Two tasks: large workspaces must not delay the readers of datagrids.
    this.tasks = [() => this.poll(), () => workspaces.poll()].map(
      (task) => new RepeatedTask(task, PAUSE_MS, onFailure),
    );
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private async poll(): Promise<number> {
    const { datagrids } = this.watch;
    const { ids } = datagrids;
    if (ids.length === 0) return 0;
    const revisions = await this.revisions.list(ids);
    for (const id of ids) datagrids.compare(id, revisions.get(id));
    return ids.length;
  }
}
