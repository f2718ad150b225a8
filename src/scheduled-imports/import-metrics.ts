import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../platform/metrics/metrics';
import type { DestinationType } from '../destinations/destination';
import type { FailureKind } from '../destinations/destination';
import { RUN_POOLS, type RunPool } from '../connections/run-slots';
import type { EndedRun } from './import-claim.repository';

/** How a run ended: with success, or why not. */
type ImportRunOutcome = 'succeeded' | FailureKind;
const OUTCOMES: readonly ImportRunOutcome[] = [
  'succeeded',
  'unavailable',
  'configuration',
  'inconsistent',
];

/** What happens to rows of a result. */
const ROW_OUTCOMES = ['created', 'updated', 'unchanged', 'deleted', 'rejected'] as const;

/** Metrics of the scheduled imports that this process runs. No label names an account. */
@Injectable()
export class ScheduledImportMetrics {
  private readonly runs: Counter<'type' | 'outcome'>;
  private readonly rows: Counter<'type' | 'outcome'>;

  constructor(private readonly metrics: Metrics) {
    const runs = `Runs of scheduled imports, by outcome: ${OUTCOMES.join(', ')}.`;
    this.runs = metrics.counter('scheduled_import_runs_total', runs, ['type', 'outcome']);
    const rows = `Rows of scheduled imports, by outcome: ${ROW_OUTCOMES.join(', ')}.`;
    this.rows = metrics.counter('scheduled_import_rows_total', rows, ['type', 'outcome']);
  }

  /** Registers a gauge of runs in progress. @param count Returns the number of those in a pool. */
  reportRunning(count: (pool: RunPool) => number): void {
    const help = 'Scheduled imports in progress, by whether they are slow.';
    this.metrics.gauges('scheduled_imports_running', help, ['state'], () =>
      RUN_POOLS.map((pool) => [{ state: pool }, count(pool)]),
    );
  }

  /** Counts a run that has ended. */
  recordRun(type: DestinationType, outcome: ImportRunOutcome, run: EndedRun): void {
    this.runs.inc({ type, outcome });
    for (const each of ROW_OUTCOMES) this.rows.inc({ type, outcome: each }, run[each]);
  }
}
