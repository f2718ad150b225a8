import { LRUCache } from 'lru-cache';
import { clockMs, MOST_NAMES, rateCount, type RateCount, type RateCounter } from './rate-counter';

interface Window {
  count: number;
  endsAtMs: number;
}

/** Counts what this process sees. */
export class LocalRateCounter implements RateCounter {
  private readonly windows = new LRUCache<string, Window>({ max: MOST_NAMES });

  constructor(
    readonly limit: number,
    readonly windowSeconds: number,
  ) {}

  hit(name: string): RateCount {
    const nowMs = clockMs();
    const window = this.window(name, nowMs);
    window.count += 1;
    const remaining = this.limit - window.count;
    return rateCount(remaining >= 0, remaining, window.endsAtMs, nowMs);
  }

  forgive(name: string): void {
    this.window(name, clockMs()).count -= 1;
  }

  private window(name: string, nowMs: number): Window {
    const known = this.windows.get(name);
    if (known && known.endsAtMs > nowMs) return known;
    const window = { count: 0, endsAtMs: nowMs + this.windowSeconds * 1000 };
    this.windows.set(name, window);
    return window;
  }
}
