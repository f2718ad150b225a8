import { LRUCache } from 'lru-cache';

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

/**
 * Maximum number of names. Beyond it, the least recently used name is removed, so that a client
 * with a million addresses does not exhaust the memory.
 */
const MAX_NAMES = 100_000;

/** State of each name in its window. It is removed after the window ends. */
export class Windows<T extends object> {
  /** With `max`, it would allocate arrays of this length, which takes longer than starting Nest. */
  private readonly known = new LRUCache<string, T>({
    maxSize: MAX_NAMES,
    sizeCalculation: () => 1,
  });
  private isForgetting = false;

  constructor(
    private readonly windowSeconds: number,
    private readonly isOver: (window: T, nowMs: number) => boolean,
  ) {}

  /** Number of stored names. */
  get size(): number {
    return this.known.size;
  }

  /**
   * Returns the state of a name. If it has none, or its window is over, `begin` creates a new one.
   */
  get(name: string, nowMs: number, begin: () => T): T {
    const known = this.known.get(name);
    if (known && !this.isOver(known, nowMs)) return known;
    const window = begin();
    this.known.set(name, window);
    this.forgetLater();
    return window;
  }

  private forgetLater(): void {
    if (this.isForgetting) return;
    this.isForgetting = true;
    const forget = (): void => {
      this.isForgetting = false;
      const nowMs = performance.now();
      for (const [name, window] of this.known.entries()) {
        if (this.isOver(window, nowMs)) this.known.delete(name);
      }
      if (this.known.size > 0) this.forgetLater();
    };
    setTimeout(forget, this.windowSeconds * 1000).unref();
  }
}
