import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../../common/error/app-error';
import { BudgetExceededError } from '../budgeted-queries';
import type { ReplicaFreshness } from './replica-freshness';

interface StaleRead {
  isOnReplica: boolean;
  hasRead: boolean;
}

export interface Read<T> {
  readonly result: T;
  /** How old what was read of the replica was at most; null where nothing was. */
  readonly ageMs: number | null;
}

/** Decides what is read of the replica: what is allowed to be as old as the replica is known to be. */
export class StaleReads {
  private readonly current = new AsyncLocalStorage<StaleRead>();
  private inProgress = 0;

  constructor(private readonly freshness: ReplicaFreshness) {}

  /** Does `work`, whose reads may be as old as that. */
  async allow<T>(maxAgeMs: number, work: () => Promise<T>): Promise<Read<T>> {
    const { ageMs } = this.freshness;
    // Where nothing is known it is infinite, and so is what some allow.
    if (!(ageMs <= maxAgeMs && ageMs < Infinity)) return { result: await work(), ageMs: null };
    const read = { isOnReplica: true, hasRead: false };
    this.inProgress += 1;
    try {
      const result = await this.current.run(read, work);
      return { result, ageMs: read.hasRead ? ageMs : null };
    } finally {
      this.inProgress -= 1;
      // On Node 20 and 22 an AsyncLocalStorage in use follows every promise of the process.
      if (this.inProgress === 0) this.current.disable();
    }
  }

  /**
   * Reads one thing where the work at hand may have it from. A replica that fails is given up for
   * this work, and for all until it is heard of again: the primary answers.
   */
  async read<T>(onReplica: () => Promise<T>, onPrimary: () => Promise<T>): Promise<T> {
    const read = this.current.getStore();
    if (read?.isOnReplica !== true) return onPrimary();
    try {
      const result = await onReplica();
      read.hasRead = true;
      return result;
    } catch (error) {
      // The primary would not be faster.
      if (error instanceof BudgetExceededError) throw error;
      // The account has no second share on the primary.
      if (error instanceof AppError && error.code === 'rate_limited') throw error;
      read.isOnReplica = false;
      this.freshness.forget();
      return onPrimary();
    }
  }
}
