import type { AccountActivity } from '../fairness/account-activity';
import type { AccountSemaphore, Release } from '../fairness/account-semaphore';
import { type LimitSettings, semaphoreOf } from '../fairness/limit';
import { LIMITS } from '../fairness/limits';
import { currentTimings, waited } from '../time/request-timings';

type GateSettings = LimitSettings<
  'databasePoolSize' | 'databaseMaxWaiting' | 'databaseAcquireTimeoutMs'
>;

/**
 * Limits the requests that use the main pool of database connections, in total and per account.
 *
 * A request that waits for a datagrid's lock keeps its connection, so without a limit one slow
 * write could take the whole pool from every account. A request enters the gate once: it acquires a
 * permit after its body has been received and before its first statement. It releases the permit
 * when its handler is done, even if its client has disconnected. Requests that wait for a permit
 * hold no connection, and accounts take turns.
 *
 * Authentication, probes and background work need no permit. Their statements are short or run one
 * at a time, and the gate leaves them a connection, unless the
 * pool is very small.
 */
export class DatabaseGate {
  readonly semaphore: AccountSemaphore;

  /**
   * @param activity Tracks which accounts are active.
   * @param isStuck Returns whether PostgreSQL does not respond.
   */
  constructor(
    settings: GateSettings,
    private readonly activity: AccountActivity,
    isStuck?: () => boolean,
  ) {
    this.semaphore = semaphoreOf(LIMITS.mainPool, settings, { isStuck, activity });
  }

  /**
   * Enters without waiting.
   * @returns `undefined` if this account has to wait.
   */
  tryEnter(accountId: string): Release | undefined {
    this.activity.recordCall(accountId);
    return this.semaphore.tryAcquire(accountId);
  }

  /**
   * Waits until the request may enter.
   * @throws AppError `rate_limited` or `unavailable` if the wait is too long or too many requests
   *   wait.
   */
  enter(accountId: string): Promise<Release> {
    const timings = currentTimings();
    const pending = this.semaphore.acquire(accountId);
    return timings ? waited(timings, pending) : pending;
  }

  /**
   * Runs `work` with a permit. A request that already holds one must not call this.
   * @throws AppError as `enter` does.
   */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const release = this.tryEnter(accountId) ?? (await this.enter(accountId));
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Like `run`, for work that is limited elsewhere, such as the batches of an import. It waits
   * without a time limit and is never rejected.
   */
  async runWhenFree<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const release = this.tryEnter(accountId) ?? (await this.semaphore.acquireWhenFree(accountId));
    try {
      return await work();
    } finally {
      release();
    }
  }
}
