import { Injectable, Module } from '@nestjs/common';
import { NIL_ID } from '../common/text/id';
import { BackgroundService } from '../platform/background/background-service';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { EXPIRING_RECORDS, type ExpiringRecords } from './expiring-sql';
import { RetentionRepository } from './retention.repository';

const PAUSE_MS = 10 * 60_000;

/** Deletes records after their retention period, in the background of every instance. Commands do not. */
@Injectable()
export class RetentionService extends BackgroundService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: RetentionRepository,
    private readonly logger: Logger,
  ) {
    super({ name: 'cleanup of expired records', pauseMs: PAUSE_MS, logger });
  }

  /** A table whose records cannot be deleted does not keep those of others. */
  protected async run(): Promise<number> {
    for (const records of EXPIRING_RECORDS) {
      if (this.isStopping) break;
      await this.clear(records).catch((err: unknown) => {
        this.logger.pino.warn({ err, table: records.table }, 'cleanup of expired records failed');
      });
    }
    return 0;
  }

  private async clear(records: ExpiringRecords): Promise<void> {
    const { repository, config } = this;
    const { surplus } = records;
    const days = records.days?.(config);
    while (!this.isStopping && (await repository.deleteExpired(records, days)));
    if (!surplus) return;
    const kept = surplus.kept(config);
    let id = await repository.findNextGroup(records, surplus, NIL_ID);
    while (id !== null && !this.isStopping) {
      const last = await repository.findLastBeyond(records, surplus, id, kept);
      if (last !== null) while (await repository.deleteUpTo(records, surplus, id, last));
      id = await repository.findNextGroup(records, surplus, id);
    }
  }
}

@Module({ providers: [RetentionService, RetentionRepository] })
export class RetentionModule {}
