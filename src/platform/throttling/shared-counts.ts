import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisLink } from '../redis/redis-link';

/** State of a name in its window: hits of all processes, and when the window ends. */
export interface SharedCount {
  readonly count: number;
  readonly endsInMs: number;
}

/** Hits of one process that have not been counted for all processes yet. */
export interface NewHits {
  readonly name: string;
  /** Number of hits, minus those that were undone. */
  readonly net: number;
}

/** A limit, as the place that counts needs to know it. */
export interface CountedLimit {
  /** Name of the limit. Each limit has its own counts. */
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Counts the hits of one limit for several processes. */
export interface SharedCounts {
  /** Whether hits can be counted. If not, nobody waits. */
  readonly isThere: boolean;
  /** Whether a response is late, so that nobody should wait for the next one. */
  readonly isLate: boolean;
  /**
   * Counts hits.
   * @returns the state with them.
   * @throws Error if they may not have been counted.
   */
  add(hits: NewHits): Promise<SharedCount>;
}

/** Counts in Redis, for all instances. */
export class RedisCounts implements SharedCounts {
  private readonly limiter: RateLimiterRedis;

  constructor(
    private readonly link: RedisLink,
    { policy, limit, windowSeconds }: CountedLimit,
  ) {
    this.limiter = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix: `datagrid:${policy}`,
      points: limit,
      duration: windowSeconds,
    });
  }

  get isThere(): boolean {
    return this.link.isThere;
  }

  get isLate(): boolean {
    return this.link.isLate;
  }

  async add({ name, net }: NewHits): Promise<SharedCount> {
    const { consumedPoints, msBeforeNext } = await this.link.ask(() =>
      this.limiter.penalty(name, net),
    );
    return { count: consumedPoints, endsInMs: msBeforeNext };
  }
}
