import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { TrimTask } from '../trim/trim-task';
import { ChangeLogTrimRepository } from './change-log-trim.repository';

/** Number of entries of one step. An entry can name thousands of rows. */
const STEP_ENTRIES = 500;

/**
 * Deletes entries of the change log after CHANGE_RETENTION_DAYS, or after MAX_CHANGE_RETENTION_DAYS
 * if a stored reader has not read them yet. Runs in the background of every instance.
 */
@Injectable()
export class ChangeLogTrimService extends BackgroundService {
  protected override readonly task: TrimTask;

  constructor(
    { changeRetentionDays: days, maxChangeRetentionDays }: AppConfig,
    repository: ChangeLogTrimRepository,
    logger: Logger,
  ) {
    super();
    const retention = { days, maxDays: Math.max(days, maxChangeRetentionDays) };
    const data = {
      name: 'change log',
      list: () => repository.list(retention),
      trim: (datagridId: string) => repository.trim(datagridId, retention, STEP_ENTRIES),
    };
    this.task = new TrimTask(data, logger);
  }
}
