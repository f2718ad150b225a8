import type { RedisLink } from '../redis/redis-link';
import { LocalRateCounter } from './local-rate-counter';
import type { RateCounter } from './rate-counter';
import { SharedRateCounter } from './shared-rate-counter';

/** Makes counters: shared by all replicas where there is a Redis, else of this process alone. */
export class RateCounters {
  constructor(private readonly link: RedisLink | null) {}

  /** @param policy What is counted; each has its own. */
  create(policy: string, limit: number, windowSeconds: number): RateCounter {
    if (!this.link) return new LocalRateCounter(limit, windowSeconds);
    return new SharedRateCounter(this.link, policy, limit, windowSeconds);
  }
}
