/** Result of counting one hit. */
export interface RateCount {
  readonly allowed: boolean;
  /** Hits left in this window. */
  readonly remaining: number;
  /** Whole seconds until the next window begins, at least 1. */
  readonly resetSeconds: number;
}

/** Counts hits by name in fixed windows. Each window begins with its first hit. */
export interface RateCounter {
  /** Hits of one name that are allowed in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Counts one hit. Never fails, and waits some tens of milliseconds at most. */
  hit(name: string): RateCount | Promise<RateCount>;
  /**
   * Like `hit`, but does not count a hit that is not allowed. For attempts of which only failures
   * count: the caller takes back a successful attempt with `forgive`.
   */
  reserve(name: string): RateCount | Promise<RateCount>;
  /** Takes one hit back. */
  forgive(name: string): void;
}

/**
 * Returns the time of the counters' monotonic clock, in whole milliseconds so that sums are exact.
 */
export const clockMs = (): number => Math.trunc(performance.now());

/**
 * Returns the result of a hit.
 * @param endsAtMs End of the window, on the clock of `clockMs`.
 */
export function rateCount(
  allowed: boolean,
  remaining: number,
  endsAtMs: number,
  nowMs: number,
): RateCount {
  return {
    allowed,
    remaining: Math.max(0, remaining),
    resetSeconds: Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000)),
  };
}
