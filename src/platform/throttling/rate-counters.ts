import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { Logger } from '../logging/logger';
import { RedisLink } from '../redis/redis-link';
import { clockMs, rateCount, type RateCount, type RateCounter, Windows } from './rate-counter';
import { RedisCounts } from './redis-counts';
import { SharedRateCounter } from './shared-rate-counter';

/** Creates rate counters. With Redis, all instances share them; without it, each counts by itself. */
export class RateCounters {
  constructor(private readonly link: RedisLink | null) {}

  /** @param policy Name of the limit. Each limit has its own counts. */
  create(policy: string, limit: number, windowSeconds: number): RateCounter {
    if (!this.link) return new LocalRateCounter(limit, windowSeconds);
    const counted = { policy, limit, windowSeconds };
    return new SharedRateCounter(new RedisCounts(this.link, counted), counted);
  }
}

interface Window {
  count: number;
  endsAtMs: number;
}

/** Counts the hits of this process only. */
export class LocalRateCounter implements RateCounter {
  private readonly windows: Windows<Window>;

  constructor(
    readonly limit: number,
    readonly windowSeconds: number,
  ) {
    this.windows = new Windows(windowSeconds, ({ endsAtMs }, nowMs) => endsAtMs <= nowMs);
  }

  hit(name: string): RateCount {
    const nowMs = clockMs();
    const window = this.window(name, nowMs);
    window.count += 1;
    const remaining = this.limit - window.count;
    return rateCount(remaining >= 0, remaining, window.endsAtMs, nowMs);
  }

  reserve(name: string): RateCount {
    const nowMs = clockMs();
    const { count, endsAtMs } = this.window(name, nowMs);
    return count < this.limit ? this.hit(name) : rateCount(false, 0, endsAtMs, nowMs);
  }

  forgive(name: string): void {
    const window = this.window(name, clockMs());
    // The hit may belong to the previous window.
    window.count = Math.max(0, window.count - 1);
  }

  private window(name: string, nowMs: number): Window {
    return this.windows.get(name, nowMs, () => ({
      count: 0,
      endsAtMs: nowMs + this.windowSeconds * 1000,
    }));
  }
}

/** Provides rate counters to all modules. */
@Global()
@Module({
  providers: [
    {
      provide: RedisLink,
      useFactory: ({ redisUrl }: AppConfig, logger: Logger) =>
        redisUrl === undefined ? null : new RedisLink(redisUrl, logger),
      inject: [AppConfig, Logger],
    },
    {
      provide: RateCounters,
      useFactory: (link: RedisLink | null) => new RateCounters(link),
      inject: [RedisLink],
    },
  ],
  exports: [RateCounters, RedisLink],
})
export class RateCounterModule {}
