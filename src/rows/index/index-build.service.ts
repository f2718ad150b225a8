import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { Logger } from '../../platform/logging/logger';
import { clearTables } from '../clearing/clear-tables';
import { IndexBuildRepository } from './index-build.repository';
import { RemainsRepository, type Remains } from './remains.repository';

const PAUSE_MS = 2_000;

/**
 * Clears away what columns have left of indexes and claims, and builds the indexes of columns that
 * had rows before they were marked: in the background and in short steps. Every replica does; they
 * take turns, or keep out of each other's way. What fails is tried again after a pause.
 */
@Injectable()
export class IndexBuildService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly remains: RemainsRepository,
    private readonly repository: IndexBuildRepository,
    private readonly logger: Logger,
  ) {
    this.task = new RepeatedTask(
      async () => {
        await this.clearAll();
        return this.buildAll();
      },
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'what there is to do for indexes could not be listed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Clears away what columns have left, then completes the indexes that are not.
   * @returns how many indexes there were to build.
   */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private async clearAll(): Promise<void> {
    for (const remains of await this.remains.list()) {
      try {
        await this.clear(remains);
      } catch (err) {
        this.logger.pino.warn({ err, ...remains }, 'what a column has left could not be cleared');
      }
    }
  }

  private async clear(remains: Remains): Promise<void> {
    const isCleared = await clearTables(
      this.remains.tablesOf(remains),
      (table, after) => this.remains.clear(remains, table, after),
      () => this.task.isStopping,
    );
    if (isCleared) await this.remains.finish(remains);
  }

  private async buildAll(): Promise<number> {
    const pending = await this.repository.listPending();
    for (const index of pending) {
      try {
        while (!this.task.isStopping && (await this.repository.step(index)));
      } catch (err) {
        this.logger.pino.warn({ err, ...index }, 'an index could not be built');
      }
    }
    return pending.length;
  }
}
