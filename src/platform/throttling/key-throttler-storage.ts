import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { AppConfig } from '../config/app-config';
import { RateCounter } from './rate-counter';

type Increment = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Counts for the throttler guard, at a cost that does not grow with the hits in a window. */
@Injectable()
export class KeyThrottlerStorage implements ThrottlerStorage {
  private readonly counter: RateCounter;

  constructor(config: AppConfig) {
    this.counter = new RateCounter(config.rateLimitRequests, config.rateLimitWindowSeconds);
  }

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
