import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../background/repeated-task';
import { AppConfig } from '../config/app-config';
import { type DatabaseState, DatabaseStateRepository } from '../database/database-state.repository';
import { Logger } from '../logging/logger';
import { Metrics } from './metrics';

/** Pause between two reads of the state. */
const READ_PAUSE_MS = 30_000;

/** Metrics of the PostgreSQL server. Its state is read only if metrics are on. */
@Injectable()
export class DatabaseMetrics implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;
  private state: DatabaseState | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: DatabaseStateRepository,
    metrics: Metrics,
    logger: Logger,
  ) {
    const show = (name: string, help: string, read: (state: DatabaseState) => number): void => {
      metrics.gauges(name, help, [], () => (this.state ? [[{}, read(this.state)]] : []));
    };
    const size = 'Size of the database on disk, without the write-ahead log.';
    show('database_size_bytes', size, ({ sizeBytes }) => sizeBytes);
    const sessions = 'Sessions of the PostgreSQL server, of all databases and programs.';
    show('database_sessions', sessions, (state) => state.sessions);
    const limit = 'Sessions that roles other than superusers may open.';
    show('database_sessions_limit', limit, ({ maxSessions }) => maxSessions);
    const age = 'Age of the oldest transaction id that is not frozen.';
    show('database_transaction_age', age, ({ transactionAge }) => transactionAge);
    const slots = 'Write-ahead log kept for the replication slot that is furthest behind.';
    show('database_slot_wal_bytes', slots, ({ slotBytes }) => slotBytes);
    const archive = '1 if the last attempt to archive the write-ahead log failed, otherwise 0.';
    show('database_archive_failing', archive, ({ isArchiveFailing }) => Number(isArchiveFailing));
    this.task = new RepeatedTask(
      () => this.read(),
      READ_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'database metrics failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort !== undefined) this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  private async read(): Promise<number> {
    this.state = await this.repository.findState();
    return 0;
  }
}
