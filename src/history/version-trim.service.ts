import { Injectable } from '@nestjs/common';
import { DatagridTrimService } from '../datagrids/trim/datagrid-trim.service';
import type { ExpiredDatagrid } from '../datagrids/trim/expired-datagrids.repository';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { VersionTrimRepository, type VersionRetention } from './version-trim.repository';

/** Number of versions of one step. */
const STEP_VERSIONS = 1_000;

/**
 * Deletes versions of rows after HISTORY_RETENTION_DAYS, those of rows in the trash after
 * TRASH_RETENTION_DAYS, and the oldest ones of datagrids that have more than MAX_HISTORY_VERSIONS.
 * Runs in the background of every instance.
 */
@Injectable()
export class VersionTrimService extends DatagridTrimService {
  private readonly retention: VersionRetention;

  constructor(
    { historyRetentionDays: historyDays, trashRetentionDays, maxHistoryVersions }: AppConfig,
    private readonly repository: VersionTrimRepository,
    logger: Logger,
  ) {
    super('row history', logger);
    this.retention = {
      historyDays,
      trashDays: trashRetentionDays,
      maxVersions: maxHistoryVersions,
    };
  }

  protected listExpired(): Promise<ExpiredDatagrid[]> {
    return this.repository.list(this.retention);
  }

  protected trim(datagridId: string): Promise<number> {
    return this.repository.trim(datagridId, this.retention, STEP_VERSIONS);
  }
}
