import type { RedisLink } from '../redis/redis-link';
import { LocalRateCounter } from './local-rate-counter';
import type { RateCounter } from './rate-counter';
import { SharedRateCounter } from './shared-rate-counter';

/** Creates rate counters: shared by all instances if Redis is configured, otherwise per process. */
export class RateCounters {
  constructor(private readonly link: RedisLink | null) {}

  /** @param policy Name of the limit. Each limit has its own counts. */
  create(policy: string, limit: number, windowSeconds: number): RateCounter {
    if (!this.link) return new LocalRateCounter(limit, windowSeconds);
    return new SharedRateCounter(this.link, policy, limit, windowSeconds);
  }
}
