import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Where a caller stands after one more hit. */
export interface RateCount {
  readonly allowed: boolean;
  /** Hits left in this window. */
  readonly remaining: number;
  /** Whole seconds, at least 1, after which the window starts anew. */
  readonly resetSeconds: number;
}

/** Counts hits by name in fixed windows. Counts what this process sees. */
export class RateCounter {
  private readonly limiter: RateLimiterMemory;

  constructor(
    readonly limit: number,
    readonly windowSeconds: number,
  ) {
    this.limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  }

  /** Takes one hit back. */
  async forgive(name: string): Promise<void> {
    await this.limiter.reward(name, 1);
  }

  async hit(name: string): Promise<RateCount> {
    try {
      return count(true, await this.limiter.consume(name));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return count(false, refusal);
      throw refusal;
    }
  }
}

function count(allowed: boolean, state: RateLimiterRes): RateCount {
  return {
    allowed,
    remaining: Math.max(0, state.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  };
}
