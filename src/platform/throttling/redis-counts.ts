import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisLink } from '../redis/redis-link';

/** State of a name in its window: hits of all processes, and when the window ends. */
export interface SharedCount {
  readonly count: number;
  readonly endsInMs: number;
}

/** Hits of one process that have not been counted for all processes yet. */
interface NewHits {
  readonly name: string;
  /** Number of hits, minus those that were undone. */
  readonly net: number;
}

/** A limit, as Redis needs to know it. */
export interface CountedLimit {
  /** Name of the limit. Each limit has its own counts. */
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Counts the hits of one limit in Redis, for all instances. */
export class RedisCounts {
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

  /** Whether hits can be counted. If not, nobody waits. */
  get isThere(): boolean {
    return this.link.isThere;
  }

  /** Whether a response is late, so that nobody should wait for the next one. */
  get isLate(): boolean {
    return this.link.isLate;
  }

  /**
   * Counts hits.
   * @returns the state with them.
   * @throws Error if they may not have been counted.
   */
  async add({ name, net }: NewHits): Promise<SharedCount> {
    const { consumedPoints, msBeforeNext } = await this.link.ask(() =>
      this.limiter.penalty(name, net),
    );
    return { count: consumedPoints, endsInMs: msBeforeNext };
  }
}
