import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../../platform/metrics/metrics';
import type { StepOutcome } from '../apply/insert-step';

/** Shows the imports that this process carries out. */
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

  /** @param countRunning Tells how many are running. */
  watch(countRunning: () => number): void {
    this.metrics.gauge('imports_running', 'Imports that are being carried out.', countRunning);
  }

  end(state: 'completed' | 'failed' | 'cancelled'): void {
    this.ended.inc({ state });
  }

  /** A step is committed. */
  write({ created, updated, unchanged, refused }: StepOutcome): void {
    const counts = { created, updated, unchanged, rejected: refused.length };
    for (const [outcome, count] of Object.entries(counts)) this.rows.inc({ outcome }, count);
  }
}
