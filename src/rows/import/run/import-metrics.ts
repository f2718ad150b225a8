import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../../platform/metrics/metrics';
import type { StepOutcome } from '../apply/insert-step';

/** Metrics of the imports that this process runs. */
@Injectable()
export class ImportMetrics {
  private readonly ended: Counter<'state'>;
  private readonly rows: Counter<'outcome'>;

  constructor(private readonly metrics: Metrics) {
    this.ended = metrics.counter('imports_total', 'Imports that are over, by how they ended.', [
      'state',
    ]);
    const help = 'Rows that imports have written, left as they were, or rejected in writing.';
    this.rows = metrics.counter('import_rows_total', help, ['outcome']);
  }

  /** @param countRunning Returns the number of running imports. */
  watch(countRunning: () => number): void {
    this.metrics.gauge('imports_running', 'Imports that are being carried out.', countRunning);
  }

  end(state: 'completed' | 'failed' | 'cancelled'): void {
    this.ended.inc({ state });
  }

  /** Counts the rows of a committed step. */
  write({ created, updated, unchanged, refused }: StepOutcome): void {
    const counts = { created, updated, unchanged, rejected: refused.length };
    for (const [outcome, count] of Object.entries(counts)) this.rows.inc({ outcome }, count);
  }
}
