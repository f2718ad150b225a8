import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../metrics/metrics';

/** What is limited: the requests of a key, or of a user of the console; failures by address. */
export type LimitName = 'key' | 'user' | 'auth-failures' | 'sign-in';

/** Counts what limits refuse. */
@Injectable()
export class ThrottlingMetrics {
  private readonly counter: Counter<'limit'>;

  constructor(metrics: Metrics) {
    const help = 'Requests answered by 429, by the limit that was used up.';
    this.counter = metrics.counter('throttled_requests_total', help, ['limit']);
  }

  refused(limit: LimitName): void {
    this.counter.inc({ limit });
  }
}
