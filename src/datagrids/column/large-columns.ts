import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { AccountActivity } from '../../platform/fairness/account-activity';
import type { AccountSemaphore, Release } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';

/** Columns up to this length are read at once, which is the usual case. */
const INLINE_BYTES = 64 * 1024;
/** Columns above this length are read by one caller at a time. */
const HUGE_BYTES = 2 * 1024 * 1024;

/** Result of a read of columns up to a maximum length. */
export interface SizedRead<T> {
  /** `null` if the columns are longer. */
  readonly value: T | null;
  /** Upper estimate of the length of the columns as JSON text. */
  readonly columnsBytes: number;
}

/** Limits the number of concurrent reads of large column sets, and so their memory. */
@Injectable()
export class LargeColumns {
  private readonly large: AccountSemaphore;
  private readonly huge: AccountSemaphore;

  constructor(
    config: AppConfig,
    private readonly database: Database,
    activity: AccountActivity,
  ) {
    this.large = semaphoreOf(LIMITS.largeColumnReads, config, { activity });
    this.huge = semaphoreOf(LIMITS.hugeColumnReads, config);
  }

  /**
   * Reads short columns at once. If the columns are long, acquires a permit and reads again.
   * @param read Reads columns up to `maxBytes`; returns `null` if there is no such datagrid.
   * @param reject Throws if the columns are too long.
   * @throws AppError `rate_limited` or `unavailable` if no permit becomes free in time; errors of
   *   `reject`.
   */
  async read<T>(
    accountId: string,
    read: (maxBytes: number) => Promise<SizedRead<T> | null>,
    reject: (bytes: number) => void = () => undefined,
  ): Promise<T | null> {
    const found = await read(INLINE_BYTES);
    if (!found) return null;
    if (found.value !== null) return found.value;
    reject(found.columnsBytes);
    const release = await this.acquire(accountId, found.columnsBytes);
    try {
      return (await read(Number.MAX_SAFE_INTEGER))?.value ?? null;
    } finally {
      release?.();
    }
  }

  /**
   * Inside a transaction, does not wait: the holders of the permits may be waiting for a connection.
   */
  private async acquire(accountId: string, bytes: number): Promise<Release | undefined> {
    const semaphore = bytes > HUGE_BYTES ? this.huge : this.large;
    if (!this.database.isInTransaction) return semaphore.acquire(accountId);
    // The number of connections already limits large reads inside transactions.
    if (semaphore === this.large) return undefined;
    return semaphore.acquireNow(accountId);
  }
}
