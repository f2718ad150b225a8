import { accountShare } from '../platform/fairness/account-semaphore';
import { endsWithin } from '../platform/time/ends-within';

/** Pools of runs: short ones, and slow ones, which take longer than a run with a fast database. */
export const RUN_POOLS = ['working', 'slow'] as const;
export type RunPool = (typeof RUN_POOLS)[number];

/** Size of the pool of slow runs, as a multiple of the number of slots. */
const SLOW_PER_SLOT = 3;
/** Time that runs in progress have when the service stops. */
const STOP_MS = 3_000;
/** Maximum number of accounts whose last turns are known. */
const MAX_TURNS = 100_000;

/** A target table or a scheduled import that is due. */
export interface DueRun {
  readonly connectionId: string;
  readonly id: string;
  readonly accountId: string;
  /** Whether only one run of its connection can be in progress. */
  readonly isExclusive: boolean;
}

/** A run in progress. */
export interface SlottedRun {
  readonly accountId: string;
  /** Whether it is slow, so that others must not wait for it. */
  readonly isSlow: boolean;
  /** Whether it was told to end. */
  readonly isEnding: boolean;
}

/**
 * The runs of an instance, each in a slot. A run that becomes slow moves to a pool of its own and frees
 * its slot, so that slow databases do not delay others until that pool is full. Accounts take turns.
 */
export class RunSlots<Run extends SlottedRun> {
  /** Maximum number of runs of one account, in both pools. */
  readonly perAccount: number;
  /** Maximum number of runs, in both pools. */
  private readonly total: number;
  /** The runs, the oldest first. */
  private readonly running = new Map<Promise<void>, Run>();
  /** Accounts in the order of their last turns, the last one at the end. */
  private readonly turns = new Map<string, number>();
  private turn = 0;

  /** @param slots Number of runs that are not slow. */
  constructor(private readonly slots: number) {
    this.perAccount = accountShare(slots);
    this.total = slots * (1 + SLOW_PER_SLOT);
  }

  get runs(): readonly Run[] {
    return [...this.running.values()];
  }

  /** Whether both pools are full. */
  get isFull(): boolean {
    return this.running.size >= this.total;
  }

  /** Returns the number of runs in a pool. */
  count(pool: RunPool): number {
    return this.runs.filter(({ isSlow }) => isSlow === (pool === 'slow')).length;
  }

  /** Returns the number of runs that may be started. */
  countFree(): number {
    const free = Math.min(this.slots - this.count('working'), this.total - this.running.size);
    return Math.max(0, free);
  }

  /**
   * Chooses runs for the free slots. An account with fewer runs comes first, and then the one that has
   * waited the longest since its last turn: otherwise one with many older tables would delay all others.
   * @param due In the order of their time.
   */
  choose(due: readonly DueRun[]): DueRun[] {
    const counts = this.countByAccount();
    const countOf = ({ accountId }: DueRun): number => counts.get(accountId) ?? 0;
    const turnOf = ({ accountId }: DueRun): number => this.turns.get(accountId) ?? 0;
    const left = new Set(due);
    const chosen: DueRun[] = [];
    for (let free = this.countFree(); free > 0; free -= 1) {
      let next: DueRun | undefined;
      for (const each of left) {
        if (countOf(each) >= this.perAccount) continue;
        const order = next && (countOf(each) - countOf(next) || turnOf(each) - turnOf(next));
        if (order === undefined || order < 0) next = each;
      }
      if (!next) break;
      left.delete(next);
      chosen.push(next);
      counts.set(next.accountId, countOf(next) + 1);
    }
    return chosen;
  }

  /**
   * Returns slow runs that must end so that accounts without a run get the free slots; none if that
   * would not help. Accounts with more runs come first, and then the oldest runs.
   * @param due As for `choose`.
   * @param hasHadTurn Whether a run has had the time that is due to it.
   */
  listReplaced(due: readonly DueRun[], hasHadTurn: (run: Run) => boolean): Run[] {
    if (!this.isFull) return [];
    const free = this.slots - this.count('working');
    const counts = this.countByAccount();
    const countOf = ({ accountId }: SlottedRun): number => counts.get(accountId) ?? 0;
    const accounts = new Set(due.map(({ accountId }) => accountId));
    const waiting = [...accounts].filter((accountId) => !counts.has(accountId)).length;
    const ending = this.runs.filter(({ isEnding }) => isEnding).length;
    const left = new Set(this.runs.filter((run) => !run.isEnding && run.isSlow && hasHadTurn(run)));
    const replaced: Run[] = [];
    for (let missing = Math.min(waiting, free) - ending; missing > 0; missing -= 1) {
      let next: Run | undefined;
      for (const each of left) if (!next || countOf(each) > countOf(next)) next = each;
      if (!next) break;
      left.delete(next);
      replaced.push(next);
      counts.set(next.accountId, countOf(next) - 1);
    }
    return replaced;
  }

  /** Gives a run a slot until its work has ended. @param work Never rejects. */
  start(run: Run, work: Promise<void>): void {
    const ended = work.finally(() => {
      this.running.delete(ended);
    });
    this.running.set(ended, run);
    this.turn += 1;
    this.turns.delete(run.accountId);
    this.turns.set(run.accountId, this.turn);
    const [oldest] = this.turns.keys();
    if (this.turns.size > MAX_TURNS && oldest !== undefined) this.turns.delete(oldest);
  }

  /** Waits until all runs have ended, or for 3 seconds. Use when the service stops. */
  async ended(): Promise<void> {
    await endsWithin(Promise.all(this.running.keys()), STOP_MS);
  }

  private countByAccount(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { accountId } of this.runs) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    return counts;
  }
}
