import { existsSync, readFileSync } from 'node:fs';

/** The longest time for which the event loop did not turn, in milliseconds. */
export interface LongestDelay {
  readonly delay: number;
  /**
   * Longest time for which one turn used a core. Less than `delay` where the process waited while others
   * had the cores.
   */
  readonly busy: number;
}

/** Nanoseconds for which the main thread has run on a core, in Linux. */
const SCHEDULED = `/proc/self/task/${String(process.pid)}/schedstat`;

/** Looks at the event loop once in each turn. */
export class DelayWatch {
  private longest: LongestDelay = { delay: 0, busy: 0 };
  private lastMs = performance.now();
  private lastBusyMs = busyMs();

  constructor() {
    setInterval(() => {
      const [nowMs, nowBusyMs] = [performance.now(), busyMs()];
      const delay = Math.max(this.longest.delay, nowMs - this.lastMs);
      const busy = Math.max(this.longest.busy, nowBusyMs - this.lastBusyMs);
      this.longest = { delay, busy };
      [this.lastMs, this.lastBusyMs] = [nowMs, nowBusyMs];
    }, 1);
  }

  /** Returns the longest delay since the last call. */
  take(): LongestDelay {
    const taken = this.longest;
    this.longest = { delay: 0, busy: 0 };
    return taken;
  }
}

/** Where the time on a core is not known, every turn counts as busy for all of its time. */
function busyMs(): number {
  if (!existsSync(SCHEDULED)) return performance.now();
  return Number(readFileSync(SCHEDULED, 'utf8').split(' ', 1)[0]) / 1e6;
}
