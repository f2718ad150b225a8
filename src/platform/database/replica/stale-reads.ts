import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../../common/error/app-error';
import { QueryTimeoutError } from '../query-pool';
import type { ReplicaFreshness } from './replica-freshness';

interface ReplicaUse {
  isOnReplica: boolean;
  hasRead: boolean;
}

export interface Read<T> {
  readonly result: T;
  /** Maximum age in milliseconds of the data read from the replica; `null` if none was. */
  readonly ageMs: number | null;
}

/** Decides which reads use the replica: those that accept data of its known age. */
export class StaleReads {
  private readonly current = new AsyncLocalStorage<ReplicaUse>();
  private inProgress = 0;

  constructor(private readonly freshness: ReplicaFreshness) {}

  /** Runs `work`, whose reads may be up to `maxAgeMs` milliseconds old. */
  async allow<T>(maxAgeMs: number, work: () => Promise<T>): Promise<Read<T>> {
    const { ageMs } = this.freshness;
    // An unknown age is infinite, and `maxAgeMs` may be infinite too.
    if (!(ageMs <= maxAgeMs && ageMs < Infinity)) return { result: await work(), ageMs: null };
    const read = { isOnReplica: true, hasRead: false };
    this.inProgress += 1;
    try {
      const result = await this.current.run(read, work);
      return { result, ageMs: read.hasRead ? ageMs : null };
    } finally {
      this.inProgress -= 1;
      // On Node 20 and 22, an active AsyncLocalStorage tracks every promise of the process.
      if (this.inProgress === 0) this.current.disable();
    }
  }

  /**
   * Runs one read on the replica if `allow` permits it, or else on the primary. If the replica
   * fails, the primary serves this read and all later reads of the request. Other requests use the
   * primary until the next successful comparison.
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
      if (error instanceof QueryTimeoutError) throw error;
      // The account has no second share on the primary.
      if (error instanceof AppError && error.code === 'rate_limited') throw error;
      read.isOnReplica = false;
      this.freshness.resetAge();
      return onPrimary();
    }
  }
}
