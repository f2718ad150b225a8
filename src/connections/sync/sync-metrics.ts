import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { Metrics } from '../../platform/metrics/metrics';
import { DESTINATION_TYPES, type DestinationType } from '../../destinations/destination';
import type { FailureKind } from '../../destinations/destination';
import { RUN_POOLS, type RunPool } from '../run-slots';
import { SyncTotalsRepository, TABLE_HEALTHS, type TableTotals } from './sync-totals.repository';

/** Pause between two reads of the totals, which read all tables. */
const READ_PAUSE_MS = 30_000;

/** How a run ended: with success, or why not. */
export type RunOutcome = 'succeeded' | FailureKind;
const OUTCOMES: readonly RunOutcome[] = [
  'succeeded',
  'unavailable',
  'configuration',
  'inconsistent',
];

/**
 * Metrics of the syncs of connections. Totals of all instances are read only if metrics are on. No
 * label names an account.
 */
@Injectable()
export class SyncMetrics implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly runs: Counter<'type' | 'outcome'>;
  private readonly rows: Counter<'type'>;
  private readonly bytes: Counter<'type'>;
  private readonly task: RepeatedTask;
  private tables: readonly TableTotals[] | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    private readonly repository: SyncTotalsRepository,
    logger: Logger,
  ) {
    const runs = `Runs of syncs, by outcome: ${OUTCOMES.join(', ')}.`;
    this.runs = metrics.counter('sync_runs_total', runs, ['type', 'outcome']);
    const rows = 'Rows that syncs have loaded, changed or deleted in destinations.';
    this.rows = metrics.counter('sync_rows_total', rows, ['type']);
    this.bytes = metrics.counter('sync_bytes_total', 'Bytes sent to destinations.', ['type']);
    const tables = 'Tables of enabled connections, by what their destinations have.';
    metrics.gauges('sync_tables', tables, ['type', 'state'], () =>
      this.ofTypes((found, type) =>
        TABLE_HEALTHS.map((state) => {
          const count = found.find((each) => each.state === state)?.tables ?? 0;
          return [{ type, state }, count];
        }),
      ),
    );
    const lag = 'Maximum age of a change that a destination that does not fail lacks.';
    metrics.gauges('sync_lag_seconds', lag, ['type'], () =>
      this.ofTypes((found, type) => [
        [{ type }, Math.max(...found.map(({ lagSeconds }) => lagSeconds))],
      ]),
    );
    this.task = new RepeatedTask(
      () => this.readTotals(),
      READ_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'sync metrics failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort !== undefined) this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Registers a gauge of runs in progress. @param count Returns the number of those in a pool. */
  reportRunning(count: (pool: RunPool) => number): void {
    const help = 'Syncs in progress, by whether their destination is slow.';
    this.metrics.gauges('syncs_running', help, ['state'], () =>
      RUN_POOLS.map((pool) => [{ state: pool }, count(pool)]),
    );
  }

  /** Counts a run that has ended. */
  recordRun(
    type: DestinationType,
    outcome: RunOutcome,
    { rows, bytes }: { readonly rows: number; readonly bytes: number },
  ): void {
    this.runs.inc({ type, outcome });
    this.rows.inc({ type }, rows);
    this.bytes.inc({ type }, bytes);
  }

  /** Reads the totals of all instances. */
  async readTotals(): Promise<number> {
    this.tables = await this.repository.countTables();
    return 0;
  }

  /** Returns what `read` returns for each type of which there are tables. */
  private ofTypes<Reading>(
    read: (found: readonly TableTotals[], type: DestinationType) => Reading[],
  ): Reading[] {
    return DESTINATION_TYPES.flatMap((type) => {
      const found = (this.tables ?? []).filter((each) => each.type === type);
      return found.length === 0 ? [] : read(found, type);
    });
  }
}
