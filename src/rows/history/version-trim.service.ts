import { Injectable } from '@nestjs/common';
import { TrimTask } from '../../datagrids/trim/trim-task';
import { BackgroundService } from '../../platform/background/background-service';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { VersionTrimRepository } from './version-trim.repository';

/** Number of versions of one step. */
const STEP_VERSIONS = 1_000;

/**
 * Deletes versions of rows after HISTORY_RETENTION_DAYS, those of rows in the trash after
 * TRASH_RETENTION_DAYS, and the oldest ones of datagrids that have more than MAX_HISTORY_VERSIONS.
 * Runs in the background of every instance.
 */
@Injectable()
export class VersionTrimService extends BackgroundService {
  protected override readonly task: TrimTask;

  constructor(
    { historyRetentionDays: historyDays, trashRetentionDays, maxHistoryVersions }: AppConfig,
    repository: VersionTrimRepository,
    logger: Logger,
  ) {
    super();
    const retention = {
      historyDays,
      trashDays: trashRetentionDays,
      maxVersions: maxHistoryVersions,
    };
    const data = {
      name: 'row history',
      list: () => repository.list(retention),
      trim: (datagridId: string) => repository.trim(datagridId, retention, STEP_VERSIONS),
    };
    this.task = new TrimTask(data, logger);
  }
}
