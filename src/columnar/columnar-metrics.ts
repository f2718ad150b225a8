import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../platform/metrics/metrics';
import type { ColumnarCopy } from './columnar-copy';

/**
 * Outcome of a query of a datagrid that has a copy. `served`: by the copy. `unable`: the copy cannot return
 * the exact result. `behind`: the copy lacks too many changes, must be loaded again, or was busy for over a
 * second. `failed`: DuckDB failed, the result is too long, or PostgreSQL does not support the statement.
 */
export type CopyOutcome = 'served' | 'unable' | 'behind' | 'failed';
const OUTCOMES: readonly CopyOutcome[] = ['served', 'unable', 'behind', 'failed'];

/** Metrics of the columnar copies of this instance. No label names an account. */
@Injectable()
export class ColumnarMetrics {
  private readonly queries: Counter<'outcome'>;
  private readonly loads: Counter<'outcome'>;

  constructor(private readonly metrics: Metrics) {
    const queries = `Queries for which there is a columnar copy, by outcome: ${OUTCOMES.join(', ')}.`;
    this.queries = metrics.counter('columnar_queries_total', queries, ['outcome']);
    const loads = 'Loads of columnar copies, by outcome: loaded, unneeded, failed.';
    this.loads = metrics.counter('columnar_loads_total', loads, ['outcome']);
  }

  /** Shows copies. @param list Returns those that can be read. */
  watch(list: () => readonly ColumnarCopy[]): void {
    const copies = 'Columnar copies of datagrids that the instance has.';
    this.metrics.gauges('columnar_copies', copies, [], () => [[{}, list().length]]);
    const bytes = 'Size of the columnar copies when they were loaded.';
    this.metrics.gauges('columnar_bytes', bytes, [], () => [
      [{}, list().reduce((sum, copy) => sum + copy.bytes, 0)],
    ]);
  }

  noteQuery(outcome: CopyOutcome): void {
    this.queries.inc({ outcome });
  }

  noteLoad(outcome: 'loaded' | 'unneeded' | 'failed'): void {
    this.loads.inc({ outcome });
  }
}
