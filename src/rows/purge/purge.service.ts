import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { Logger } from '../../platform/logging/logger';
import { TrashService } from '../../trash/trash.service';
import { clearTables } from '../clearing/clear-tables';
import { PurgeRepository } from './purge.repository';
import { PURGED_TABLES } from './purged-table';

const PAUSE_MS = 10_000;

/**
 * Purges what has been in the trash for its time, and clears away what purged datagrids have
 * left, in the background and in small steps. Every replica does; they keep out of each other's
 * way. What fails is tried again after a pause.
 */
@Injectable()
export class PurgeService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly trash: TrashService,
    private readonly repository: PurgeRepository,
    private readonly logger: Logger,
  ) {
    this.task = new RepeatedTask(
      async () => {
        await this.purgeExpired();
        return this.clearAll();
      },
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'what is to be purged could not be listed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the step under way, and for no other. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Clears every datagrid that was purged, or whose time in the trash was over, before the call,
   * but for those that fail or that another replica is at. Runs never overlap: it waits for the
   * one under way first.
   * @returns how many were cleared to the end.
   * @throws where not even the list of them can be had.
   */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private async purgeExpired(): Promise<void> {
    for (const item of await this.trash.listExpired()) {
      if (this.task.isStopping) return;
      try {
        await this.trash.purgeExpired(item);
      } catch (err) {
        this.logger.pino.warn({ err, ...item }, 'the trash could not be purged of an item');
      }
    }
  }

  private async clearAll(): Promise<number> {
    let cleared = 0;
    for (const datagridId of this.task.isStopping ? [] : await this.repository.list()) {
      if (await this.tryClear(datagridId)) cleared += 1;
    }
    return cleared;
  }

  private async tryClear(datagridId: string): Promise<boolean> {
    try {
      return await this.clear(datagridId);
    } catch (err) {
      this.logger.pino.warn({ err, datagridId }, 'a deleted datagrid could not be cleared away');
      return false;
    }
  }

  /** @returns whether nothing is left; not where it had to stop or another replica is at it. */
  private async clear(datagridId: string): Promise<boolean> {
    const isCleared = await clearTables(
      PURGED_TABLES,
      (table, after) => this.repository.clear(datagridId, table, after),
      () => this.task.isStopping,
    );
    if (isCleared) await this.repository.finish(datagridId);
    return isCleared;
  }
}
