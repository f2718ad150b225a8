import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { Logger } from '../../platform/logging/logger';
import { KeyUsageRepository, type UsageDay } from './key-usage.repository';
import { UsageCount } from './usage-count';

const WRITE_EVERY_MS = 5_000;

/** Days that are kept. */
export const MAX_USAGE_DAYS = 90;

/**
 * Counts the calls of each key by day. They are added up here and written every few seconds, so
 * that a request pays for an increment; what a kill can lose are the last seconds of a statistic.
 */
@Injectable()
export class KeyUsageService
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly count = new UsageCount();
  private readonly task: RepeatedTask;

  constructor(
    private readonly repository: KeyUsageRepository,
    private readonly logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.write(),
      WRITE_EVERY_MS,
      (error) => {
        this.report(error);
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Once the last request is answered, and before the database is let go of. */
  async onApplicationShutdown(): Promise<void> {
    await this.write().catch((error: unknown) => {
      this.report(error);
    });
  }

  /** Counts a call of a key. @param status Of its answer; one from 400 to 499 is a refusal. */
  add(keyId: string, status: number): void {
    this.count.add(keyId, status);
  }

  /** The last `days` days in UTC, today's last, those without a call too. */
  async list(keyId: string, days: number): Promise<UsageDay[]> {
    return this.repository.list(keyId, days);
  }

  /** Writes what was added up. @returns the number of keys and days. */
  async runOnce(): Promise<number> {
    return this.task.runOnce();
  }

  /** Deletes the usage of keys that are deleted. */
  async forget(keyIds: readonly string[]): Promise<void> {
    if (keyIds.length > 0) await this.repository.delete(keyIds);
  }

  /** Forgets what is too old. */
  async clear(): Promise<void> {
    await this.repository.clear(MAX_USAGE_DAYS);
  }

  private report(err: unknown): void {
    this.logger.pino.warn({ err }, 'key usage write failed');
  }

  private async write(): Promise<number> {
    const counts = this.count.take();
    if (counts.length === 0) return 0;
    try {
      await this.repository.add(counts);
    } catch (error) {
      this.count.giveBack(counts);
      throw error;
    }
    return counts.length;
  }
}
