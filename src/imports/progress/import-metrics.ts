import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics';
import type { StepOutcome } from '../job/import.repository';

/** Metrics of the imports that this process runs. */
@Injectable()
export class ImportMetrics {
  private readonly ended: Counter<'state'>;
  private readonly rows: Counter<'outcome'>;

  constructor(private readonly metrics: Metrics) {
    this.ended = metrics.counter('imports_total', 'Finished imports, by state.', ['state']);
    const help = 'Rows of imports: created, updated, unchanged, or rejected when written.';
    this.rows = metrics.counter('import_rows_total', help, ['outcome']);
  }

  /** @param countRunning Returns the number of running imports. */
  watch(countRunning: () => number): void {
    this.metrics.gauge('imports_running', 'Imports in progress.', countRunning);
  }

  end(state: 'completed' | 'failed' | 'cancelled'): void {
    this.ended.inc({ state });
  }

  /** Counts the rows of a committed step. */
  write({ created, updated, unchanged, rejected }: StepOutcome): void {
    const counts = { created, updated, unchanged, rejected: rejected.length };
    for (const [outcome, count] of Object.entries(counts)) this.rows.inc({ outcome }, count);
  }
}
