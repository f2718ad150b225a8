import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { Logger } from '../../platform/logging/logger';
import { KeyUsageRepository, UsageCount, type UsageDay } from './key-usage.repository';

const WRITE_EVERY_MS = 5_000;

/** Number of days for which usage is kept. */
export const MAX_USAGE_DAYS = 90;

/**
 * Counts the requests with each key by day. Counts are buffered in memory and written every few seconds,
 * so that a request costs one increment. If the process is killed, the last seconds of the
 * statistics are lost.
 */
@Injectable()
export class KeyUsageService extends BackgroundService implements OnApplicationShutdown {
  private readonly count = new UsageCount();

  constructor(
    private readonly repository: KeyUsageRepository,
    logger: Logger,
  ) {
    super({ name: 'key usage write', pauseMs: WRITE_EVERY_MS, logger });
  }

  /**
   * Writes the remaining counts after the last response and before the database connections close.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.run().catch(this.reportFailure);
  }

  /**
   * Counts a request with a key.
   * @param status Response status. A status from 400 to 499 counts as rejected.
   */
  add(keyId: string, status: number): void {
    this.count.add(keyId, status);
  }

  /**
   * Returns the last `days` days in UTC including today, oldest first. Days without requests are
   * included.
   */
  async list(keyId: string, days: number): Promise<UsageDay[]> {
    return this.repository.list(keyId, days);
  }

  /** Deletes the usage of deleted keys. */
  async forget(keyIds: readonly string[]): Promise<void> {
    if (keyIds.length > 0) await this.repository.delete(keyIds);
  }

  /** Writes the buffered counts. @returns the number of written rows (one per key and day). */
  protected override async run(): Promise<number> {
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
