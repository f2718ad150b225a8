const DAY_MS = 86_400_000;

/** Returns the day in UTC, such as `2026-11-21`. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Number of calls of one key on one day. */
export interface DayCount {
  readonly keyId: string;
  /** In UTC, such as `2026-11-21`. */
  readonly day: string;
  readonly calls: number;
  /** Calls with a response status from 400 to 499. */
  readonly refusals: number;
}

interface Count {
  calls: number;
  refusals: number;
}

/** Counts by key. */
type Counts = Map<string, Count>;

/** Adds up calls by key and day until they are written. */
export class UsageCount {
  private dayNumber = -1;
  private counts: Counts = new Map();
  private readonly days = new Map<string, Counts>();

  /** @param status Response status. A status from 400 to 499 counts as rejected. */
  add(keyId: string, status: number, nowMs = Date.now()): void {
    const dayNumber = Math.floor(nowMs / DAY_MS);
    if (dayNumber !== this.dayNumber) this.beginDay(dayNumber);
    let count = this.counts.get(keyId);
    if (!count) this.counts.set(keyId, (count = { calls: 0, refusals: 0 }));
    count.calls += 1;
    if (status >= 400 && status < 500) count.refusals += 1;
  }

  /** Returns and clears the counts since the last call. */
  take(): DayCount[] {
    const taken = [...this.days].flatMap(([day, counts]) =>
      [...counts].map(([keyId, count]) => ({ keyId, day, ...count })),
    );
    this.days.clear();
    this.dayNumber = -1;
    return taken;
  }

  /** Adds counts back that could not be written. */
  giveBack(taken: readonly DayCount[]): void {
    for (const { keyId, day, calls, refusals } of taken) {
      const counts = this.countsOf(day);
      const count = counts.get(keyId) ?? { calls: 0, refusals: 0 };
      counts.set(keyId, { calls: count.calls + calls, refusals: count.refusals + refusals });
    }
  }

  private beginDay(dayNumber: number): void {
    this.counts = this.countsOf(dayOf(dayNumber * DAY_MS));
    this.dayNumber = dayNumber;
  }

  private countsOf(day: string): Counts {
    const counts = this.days.get(day) ?? new Map<string, Count>();
    this.days.set(day, counts);
    return counts;
  }
}
