import { clockMs, rateCount, type RateCount, type RateCounter } from './rate-counter';
import { Windows } from './windows';

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
