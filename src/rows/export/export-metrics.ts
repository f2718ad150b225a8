import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics';

/** Metrics of the exports that this process runs. */
@Injectable()
export class ExportMetrics {
  private readonly ended: Counter<'outcome'>;
  private readonly rows: Counter;

  constructor(private readonly metrics: Metrics) {
    const help = 'Exports that are over: all that was read, or broken off before.';
    this.ended = metrics.counter('exports_total', help, ['outcome']);
    this.rows = metrics.counter('export_rows_total', 'Rows of exports that are complete.');
  }

  /** Registers a gauge of running exports. @param countRunning Returns their number. */
  watch(countRunning: () => number): void {
    this.metrics.gauge('exports_running', 'Exports that are being carried out.', countRunning);
  }

  /** Counts an export that ended. @param rows Number of rows; `null` if it was aborted. */
  end(rows: number | null): void {
    this.ended.inc({ outcome: rows === null ? 'broken_off' : 'complete' });
    if (rows !== null) this.rows.inc(rows);
  }
}
