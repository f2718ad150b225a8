/** Where a caller stands after one more hit. */
export interface RateCount {
  readonly allowed: boolean;
  /** Hits left in this window. */
  readonly remaining: number;
  /** Whole seconds, at least 1, after which the window starts anew. */
  readonly resetSeconds: number;
}

/** Counts hits by name in fixed windows, each of which begins with its first hit. */
export interface RateCounter {
  /** Hits of one name that are allowed in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Never fails, and waits for nobody for longer than some tens of milliseconds. */
  hit(name: string): RateCount | Promise<RateCount>;
  /**
   * As `hit`, but one that is not allowed leaves no trace: for attempts of which only those that
   * fail are to count. Those that do not fail are forgiven.
   */
  reserve(name: string): RateCount | Promise<RateCount>;
  /** Takes one hit back. */
  forgive(name: string): void;
}

/** Counters' clock, which never goes back: whole milliseconds, so that sums of them are exact. */
export const clockMs = (): number => Math.trunc(performance.now());

/** @param endsAtMs When the window is over, on `clockMs`. */
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
