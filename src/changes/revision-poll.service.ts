import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../platform/background/repeated-task';
import { Logger } from '../platform/logging/logger';
import { ChangeWatch } from './change-watch';
import { RevisionRepository } from './revision.repository';

const PAUSE_MS = 1_000;

/**
 * Finds changes that other processes have committed, for readers that wait in this one: by one query
 * per second for all of their datagrids. It needs neither triggers nor notifications in the
 * transactions that write.
 */
@Injectable()
export class RevisionPoll implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly watch: ChangeWatch,
    private readonly revisions: RevisionRepository,
    logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.poll(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'revision poll failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  private async poll(): Promise<number> {
    const ids = this.watch.datagridIds;
    if (ids.length === 0) return 0;
    const revisions = await this.revisions.list(ids);
    for (const id of ids) this.watch.compare(id, revisions.get(id));
    return ids.length;
  }
}
