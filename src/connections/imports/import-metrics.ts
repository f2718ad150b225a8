import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics';
import type { DestinationType } from '../connection.entity';
import type { FailureKind } from '../destination/destination';
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

/** Whether runs have a place of their own, because no rows arrive. */
const PLACE_STATES = ['working', 'slow'] as const;

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

  /** Registers a gauge of runs in progress. @param count Returns the number of those in a state. */
  reportRunning(count: (state: (typeof PLACE_STATES)[number]) => number): void {
    const help = 'Scheduled imports in progress, by whether their database sends no rows.';
    this.metrics.gauges('scheduled_imports_running', help, ['state'], () =>
      PLACE_STATES.map((state) => [{ state }, count(state)]),
    );
  }

  /** Counts a run that has ended. */
  recordRun(type: DestinationType, outcome: ImportRunOutcome, run: EndedRun): void {
    this.runs.inc({ type, outcome });
    for (const each of ROW_OUTCOMES) this.rows.inc({ type, outcome: each }, run[each]);
  }
}
