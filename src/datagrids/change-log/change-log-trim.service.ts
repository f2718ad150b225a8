import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { DatagridTrimService } from '../trim/datagrid-trim.service';
import type { ExpiredDatagrid } from '../trim/expired-datagrids.repository';
import { ChangeLogTrimRepository, type LogRetention } from './change-log-trim.repository';

/** Number of entries of one step. An entry can name thousands of rows. */
const STEP_ENTRIES = 500;

/**
 * Deletes entries of the change log after CHANGE_RETENTION_DAYS, or after MAX_CHANGE_RETENTION_DAYS
 * if a stored reader has not read them yet. Runs in the background of every instance.
 */
@Injectable()
export class ChangeLogTrimService extends DatagridTrimService {
  private readonly retention: LogRetention;

  constructor(
    { changeRetentionDays: days, maxChangeRetentionDays }: AppConfig,
    private readonly repository: ChangeLogTrimRepository,
    logger: Logger,
  ) {
    super('change log', logger);
    this.retention = { days, maxDays: Math.max(days, maxChangeRetentionDays) };
  }

  protected listExpired(): Promise<ExpiredDatagrid[]> {
    return this.repository.list(this.retention);
  }

  protected trim(datagridId: string): Promise<number> {
    return this.repository.trim(datagridId, this.retention, STEP_ENTRIES);
  }
}
