import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../background/repeated-task';
import { Logger } from '../logging/logger';
import { IdempotencyRepository } from './idempotency.repository';

const PAUSE_MS = 60_000;

/**
 * Deletes expired idempotency keys in the background, in small steps. Every instance does this;
 * they skip rows that another instance has locked. A failed run is repeated after a pause.
 */
@Injectable()
export class OldKeysService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly repository: IdempotencyRepository,
    logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.clearAll(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'idempotency key cleanup failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the step in progress only. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Deletes all expired keys. Runs never overlap: if one is in progress, it waits for that run.
   * @returns the number of steps.
   */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  private async clearAll(): Promise<number> {
    for (let steps = 1; ; steps += 1) {
      const hasMore = await this.repository.clear();
      if (!hasMore || this.task.isStopping) return steps;
    }
  }
}
