import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { AccountActivity } from '../../platform/fairness/account-activity';
import {
  accountShare,
  AccountSemaphore,
  type Release,
  type SemaphoreMessages,
} from '../../platform/fairness/account-semaphore';

/** Columns up to this length are read at once, as almost all are. */
const INLINE_BYTES = 64 * 1024;
/** Columns beyond this length are read by one caller at a time. */
const HUGE_BYTES = 2 * 1024 * 1024;

const MAX_LARGE_READS = 8;
/** Large reads of one account while other accounts are active. */
const MAX_ACTIVE_ACCOUNT_READS = 1;
const MAX_WAITING = 64;
const MESSAGES: SemaphoreMessages = {
  full: 'Too many large datagrids are being read. Retry later.',
  accountFull: 'This account is reading too many large datagrids at a time. Retry later.',
};

/** What a statement gives that reads columns up to some length. */
export interface SizedRead<T> {
  /** `null` where the columns are longer. */
  readonly value: T | null;
  /** About how long they are as JSON text; never less. */
  readonly columnsBytes: number;
}

/** Bounds how many large sets of columns are read, and so are in memory, at a time. */
@Injectable()
export class LargeColumns {
  private readonly large: AccountSemaphore;
  private readonly huge: AccountSemaphore;
  private readonly timeoutMs: number;

  constructor(
    config: AppConfig,
    private readonly database: Database,
    activity: AccountActivity,
  ) {
    this.large = semaphore(MAX_LARGE_READS, activity);
    this.huge = semaphore(1, activity);
    this.timeoutMs = config.databaseAcquireTimeoutMs;
  }

  /**
   * Reads, and where the columns are long once more, with a place for that.
   * @param read Gives columns up to `maxBytes`; `null` where there is no such datagrid.
   * @throws AppError `rate_limited` or `unavailable` where there is no place in time; and whatever
   *   `refuse` throws of columns so long.
   */
  async read<T>(
    accountId: string,
    read: (maxBytes: number) => Promise<SizedRead<T> | null>,
    refuse: (bytes: number) => void = () => undefined,
  ): Promise<T | null> {
    const found = await read(INLINE_BYTES);
    if (!found) return null;
    if (found.value !== null) return found.value;
    refuse(found.columnsBytes);
    const release = await this.acquire(accountId, found.columnsBytes);
    try {
      return (await read(Number.MAX_SAFE_INTEGER))?.value ?? null;
    } finally {
      release?.();
    }
  }

  /** Inside a transaction nobody waits: the places may be held by those who wait for a connection. */
  private async acquire(accountId: string, bytes: number): Promise<Release | undefined> {
    const places = bytes > HUGE_BYTES ? this.huge : this.large;
    if (!this.database.isInTransaction) return places.acquire(accountId, this.timeoutMs);
    // As many transactions as there are connections bound what is large.
    if (places === this.large) return undefined;
    const release = places.tryAcquire(accountId);
    if (!release) throw places.rejection(accountId);
    return release;
  }
}

function semaphore(total: number, activity: AccountActivity): AccountSemaphore {
  const bounds = {
    total,
    perAccount: accountShare(total),
    perActiveAccount: MAX_ACTIVE_ACCOUNT_READS,
    maxWaiting: MAX_WAITING,
    maxWaitingPerAccount: accountShare(MAX_WAITING),
  };
  return new AccountSemaphore(bounds, MESSAGES, { activity });
}
