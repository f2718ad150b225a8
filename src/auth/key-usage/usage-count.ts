const DAY_MS = 86_400_000;

/** A day in UTC, such as `2026-11-21`. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** How often one key was used on one day. */
export interface DayCount {
  readonly keyId: string;
  /** In UTC, such as `2026-11-21`. */
  readonly day: string;
  readonly calls: number;
  /** Of the calls, those that were answered from 400 to 499. */
  readonly refusals: number;
}

interface Count {
  calls: number;
  refusals: number;
}

/** By key. */
type Counts = Map<string, Count>;

/** Adds calls up by key and day, until they are taken to be written. */
export class UsageCount {
  private dayNumber = -1;
  private counts: Counts = new Map();
  private readonly days = new Map<string, Counts>();

  /** @param status Of the answer; one from 400 to 499 is a refusal. */
  add(keyId: string, status: number, nowMs = Date.now()): void {
    const dayNumber = Math.floor(nowMs / DAY_MS);
    if (dayNumber !== this.dayNumber) this.beginDay(dayNumber);
    let count = this.counts.get(keyId);
    if (!count) this.counts.set(keyId, (count = { calls: 0, refusals: 0 }));
    count.calls += 1;
    if (status >= 400 && status < 500) count.refusals += 1;
  }

  /** All that was added since the last time. */
  take(): DayCount[] {
    const taken = [...this.days].flatMap(([day, counts]) =>
      [...counts].map(([keyId, count]) => ({ keyId, day, ...count })),
    );
    this.days.clear();
    this.dayNumber = -1;
    return taken;
  }

  /** Adds what was taken, and could not be written. */
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
