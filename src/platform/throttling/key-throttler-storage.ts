import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateCounter } from './rate-counter';

type Increment = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Storage of the throttler guard whose cost does not grow with the hits in a window. */
export class KeyThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly counter: RateCounter) {}

  async increment(key: string): Promise<Increment> {
    const { allowed, remaining, resetSeconds } = await this.counter.hit(key);
    return {
      totalHits: this.counter.limit - remaining + (allowed ? 0 : 1),
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    };
  }
}
