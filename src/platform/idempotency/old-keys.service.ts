import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../background/repeated-task';
import { Logger } from '../logging/logger';
import { IdempotencyRepository } from './idempotency.repository';

const PAUSE_MS = 60_000;

/**
 * Forgets keys that are too old, in the background and in small steps. Every replica does; they
 * keep out of each other's way. What fails is tried again after a pause.
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

  /** Waits for the step in progress, and for no other. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Forgets every key that is too old. Runs never overlap: it waits for the one in progress.
   * @returns in how many steps.
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
