import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ChangeLogReaders, type LogReader } from '../../datagrids/change-log/change-log-readers';
import { BackgroundService } from '../../platform/background/background-service';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { SyncRepository } from './sync.repository';

const PAUSE_MS = 10 * 60_000;

/**
 * Keeps what connections need, and deletes the rest. As a reader of the change log, it keeps entries
 * that a connection has not read. In the background of every instance, it deletes runs after
 * CONNECTION_RUN_RETENTION_DAYS, and forgets the tables of purged datagrids. The tables in the
 * destinations stay.
 */
@Injectable()
export class ConnectionRetention extends BackgroundService implements OnModuleInit, LogReader {
  protected override readonly task: RepeatedTask;

  constructor(
    private readonly config: AppConfig,
    private readonly readers: ChangeLogReaders,
    private readonly repository: SyncRepository,
    logger: Logger,
  ) {
    super();
    this.task = new RepeatedTask(
      () => this.deleteExpired(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'connection cleanup failed');
      },
    );
  }

  onModuleInit(): void {
    this.readers.register(this);
  }

  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const tables = await this.repository.listReadRevisions(datagridIds);
    return new Map(tables.map(({ datagridId, revision }) => [datagridId, revision]));
  }

  /** The table of a purged datagrid is forgotten later. */
  endLog(): Promise<void> {
    return Promise.resolve();
  }

  private async deleteExpired(): Promise<number> {
    const { connectionRunRetentionDays } = this.config;
    while (await this.repository.deleteExpiredRuns(connectionRunRetentionDays));
    while (await this.repository.deleteOrphans());
    return 0;
  }
}
