import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { Logger } from '../../platform/logging/logger';
import { IndexBuildRepository } from './index-build.repository';

const PAUSE_MS = 2_000;

/**
 * Builds the indexes of columns that had rows before they were marked, in the background and in
 * short steps. Every replica does; the datagrid's lock makes them take turns.
 */
@Injectable()
export class IndexBuildService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly repository: IndexBuildRepository,
    logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.buildAll(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'an index could not be built');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Completes the indexes that are not. @returns how many there were. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private async buildAll(): Promise<number> {
    const pending = await this.repository.listPending();
    for (const index of pending) {
      while (!this.task.isStopping && (await this.repository.step(index)));
    }
    return pending.length;
  }
}
