import { accountShare } from '../platform/fairness/account-semaphore';
import { endsWithin } from '../platform/time/ends-within';

/** Pools of runs: those whose database works, and those that wait for a slow one. */
export const RUN_POOLS = ['working', 'slow'] as const;
export type RunPool = (typeof RUN_POOLS)[number];

/** Size of the pool of slow runs, as a multiple of the number of slots. */
const SLOW_PER_SLOT = 3;
/** Time that runs in progress have when the service stops. */
const STOP_MS = 3_000;

/** A run in progress. */
export interface SlottedRun {
  readonly accountId: string;
  /** Whether its database is slow, so that others must not wait for this run. */
  readonly isSlow: boolean;
}

/**
 * The runs of an instance, each in a slot. A run that becomes slow moves to a pool of its own and frees
 * its slot, so that slow databases do not delay others until that pool is full.
 */
export class RunSlots<Run extends SlottedRun> {
  /** Number of slots that one account may use. */
  readonly perAccount: number;
  private readonly running = new Map<Promise<void>, Run>();

  /** @param slots Number of runs that are not slow. */
  constructor(private readonly slots: number) {
    this.perAccount = accountShare(slots);
  }

  get runs(): readonly Run[] {
    return [...this.running.values()];
  }

  /** Accounts of the runs in progress, one element for each run. */
  get accounts(): string[] {
    return this.runs.map(({ accountId }) => accountId);
  }

  /** Returns the number of runs in a pool. */
  count(pool: RunPool): number {
    return this.runs.filter(({ isSlow }) => isSlow === (pool === 'slow')).length;
  }

  /** Returns the number of runs that may be started. */
  countFree(): number {
    const { size } = this.running;
    const free = Math.min(
      this.slots - this.count('working'),
      this.slots * (1 + SLOW_PER_SLOT) - size,
    );
    return Math.max(0, free);
  }

  /** Gives a run a slot until its work has ended. @param work Never rejects. */
  start(run: Run, work: Promise<void>): void {
    const ended = work.finally(() => {
      this.running.delete(ended);
    });
    this.running.set(ended, run);
  }

  /** Waits until all runs have ended, or for 3 seconds. Use when the service stops. */
  async ended(): Promise<void> {
    await endsWithin(Promise.all(this.running.keys()), STOP_MS);
  }
}
