import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { Logger } from '../logging/logger';
import { RedisLink } from '../redis/redis-link';
import { Supervisor } from '../workers/supervisor';
import { clockMs, rateCount, type RateCount, type RateCounter, Windows } from './rate-counter';
import { type CountedLimit, RedisCounts, type SharedCounts } from './shared-counts';
import { SharedRateCounter } from './shared-rate-counter';
import { CountSender, SupervisorCounts, WorkerCounts } from './worker-counts';

/**
 * Creates rate counters: shared by all instances if Redis is configured, by the workers of an instance if
 * there are several, and otherwise of this process.
 */
export class RateCounters {
  private readonly sender: CountSender | null;

  /** @param workers Number of workers of this instance. */
  constructor(
    private readonly link: RedisLink | null,
    supervisor: Supervisor | null = null,
    private readonly workers = 1,
  ) {
    this.sender = supervisor && new CountSender(supervisor);
  }

  /** @param policy Name of the limit. Each limit has its own counts. */
  create(policy: string, limit: number, windowSeconds: number): RateCounter {
    const counted = { policy, limit, windowSeconds };
    const counts = this.countsOf(counted);
    if (!counts) return new LocalRateCounter(limit, windowSeconds);
    return new SharedRateCounter(counts, counted, this.workers);
  }

  private countsOf(limit: CountedLimit): SharedCounts | null {
    const redis = this.link && new RedisCounts(this.link, limit);
    if (!this.sender) return redis;
    if (!redis) return new SupervisorCounts(this.sender, limit);
    return new WorkerCounts(redis, this.sender, limit);
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
      useFactory: (link: RedisLink | null, supervisor: Supervisor | null, config: AppConfig) =>
        new RateCounters(link, supervisor, config.workers),
      inject: [RedisLink, Supervisor, AppConfig],
    },
  ],
  exports: [RateCounters, RedisLink],
})
export class RateCounterModule {}
