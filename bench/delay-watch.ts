import { existsSync, readFileSync } from 'node:fs';

/** The longest turns of the event loop. */
export interface LongestDelay {
  /** Longest time of one turn. */
  readonly delayMs: number;
  /** Longest CPU time of one turn. Less than `delayMs` if the process waited for a core. */
  readonly busyMs: number;
}

/** In Linux, the file with the CPU time of the main thread. */
const SCHEDSTAT_PATH = `/proc/self/task/${String(process.pid)}/schedstat`;

/** Measures the longest turns of the event loop. */
export class DelayWatch {
  private longest: LongestDelay = { delayMs: 0, busyMs: 0 };
  private lastMs = performance.now();
  private lastBusyMs = cpuTimeMs();

  constructor() {
    setInterval(() => {
      const [nowMs, nowBusyMs] = [performance.now(), cpuTimeMs()];
      this.longest = {
        delayMs: Math.max(this.longest.delayMs, nowMs - this.lastMs),
        busyMs: Math.max(this.longest.busyMs, nowBusyMs - this.lastBusyMs),
      };
      [this.lastMs, this.lastBusyMs] = [nowMs, nowBusyMs];
    }, 1);
  }

  /** Returns the longest delay since the last call. */
  take(): LongestDelay {
    const taken = this.longest;
    this.longest = { delayMs: 0, busyMs: 0 };
    return taken;
  }
}

/** Returns the CPU time of the main thread. Outside of Linux, returns the time of the clock. */
function cpuTimeMs(): number {
  if (!existsSync(SCHEDSTAT_PATH)) return performance.now();
  return Number(readFileSync(SCHEDSTAT_PATH, 'utf8').split(' ', 1)[0]) / 1e6;
}
