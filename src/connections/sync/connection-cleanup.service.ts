import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { SyncRepository } from './sync.repository';

const PAUSE_MS = 10 * 60_000;

/**
 * Deletes runs after CONNECTION_RUN_RETENTION_DAYS, and the tables of purged datagrids. The tables in
 * the destinations stay. Runs in the background of every instance.
 */
@Injectable()
export class ConnectionCleanup extends BackgroundService {
  protected override readonly task: RepeatedTask;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: SyncRepository,
    logger: Logger,
  ) {
    super();
    this.task = new RepeatedTask(
      () => this.cleanUp(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'connection cleanup failed');
      },
    );
  }

  private async cleanUp(): Promise<number> {
    const { connectionRunRetentionDays } = this.config;
    while (await this.repository.deleteExpiredRuns(connectionRunRetentionDays));
    while (await this.repository.deleteOrphans());
    return 0;
  }
}
