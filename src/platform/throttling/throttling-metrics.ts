import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../metrics/metrics';
import { RedisLink } from '../redis/redis-link';

/**
 * Limits by name: requests of a key, of a console user and of an account; failed authentication,
 * requests without a caller and public files, each per client address; sign-in attempts; registrations of
 * applications, and refreshes of their tokens; and reads of public links.
 */
export type LimitName =
  | 'key'
  | 'user'
  | 'account'
  | 'auth-failures'
  | 'public'
  | 'public-files'
  | 'sign-in'
  | 'client-registration'
  | 'token-refresh'
  | 'view-link';

/** Metrics of rejected requests per limit, and of whether limits are shared across instances. */
@Injectable()
export class ThrottlingMetrics {
  private readonly counter: Counter<'limit'>;

  constructor(metrics: Metrics, @Inject(RedisLink) link: RedisLink | null) {
    const help = 'Requests rejected with 429, by the limit that was exceeded.';
    this.counter = metrics.counter('throttled_requests_total', help, ['limit']);
    const shared = '1 if Redis responds, so that limits apply across instances; otherwise 0.';
    metrics.gauges('redis_up', shared, [], () => (link ? [[{}, Number(link.isThere)]] : []));
  }

  rejected(limit: LimitName): void {
    this.counter.inc({ limit });
  }
}
