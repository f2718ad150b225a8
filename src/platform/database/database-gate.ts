import type { AccountActivity } from '../fairness/account-activity';
import {
  AccountSemaphore,
  accountShare,
  type Cooldown,
  type Release,
} from '../fairness/account-semaphore';
import { currentTimings, waited } from '../time/request-timings';

/** Share of the pool that one account may use. */
const ACCOUNT_SHARE = 4 / 5;
/**
 * Share of the pool that one account may use while other accounts are active. Its load on
 * PostgreSQL's processors and locks slows down the statements of all other accounts.
 */
const ACTIVE_ACCOUNT_SHARE = 1 / 5;
/** One slow request must not block all other requests of its account. */
const MIN_ACTIVE_PERMITS = 2;
/**
 * While other accounts are active, a permit that was held for more than 50 ms stays in the share of its
 * account for a while, unless it was the only one of the account.
 */
const COOLDOWN: Cooldown = { thresholdMs: 50, maxMs: 1_000, appliesToLastPermit: false };
/** Minimum pool size at which one connection is reserved for work that needs no permit. */
const MIN_RESERVING_SIZE = 4;

/** Limits on the requests that use the pool's connections, and on those that wait. */
export interface GateBounds {
  readonly poolSize: number;
  /** Maximum number of waiting requests of all accounts. One account may have half of them. */
  readonly maxWaiting: number;
  /** Time that a request waits. */
  readonly acquireTimeoutMs: number;
  /** Tracks which accounts are active. */
  readonly activity: AccountActivity;
  /** Returns whether PostgreSQL does not respond. */
  readonly isStuck?: () => boolean;
}

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
  private readonly permits: AccountSemaphore;
  private readonly acquireTimeoutMs: number;
  private readonly activity: AccountActivity;

  constructor(bounds: GateBounds) {
    const { poolSize, maxWaiting, acquireTimeoutMs, activity, isStuck } = bounds;
    this.activity = activity;
    const total = poolSize < MIN_RESERVING_SIZE ? poolSize : poolSize - 1;
    const share = Math.min(Math.floor(poolSize * ACCOUNT_SHARE), total - 1);
    this.acquireTimeoutMs = acquireTimeoutMs;
    this.permits = new AccountSemaphore(
      {
        total,
        perAccount: Math.max(1, share),
        perActiveAccount: Math.max(
          1,
          Math.min(MIN_ACTIVE_PERMITS, total - 1),
          Math.floor(poolSize * ACTIVE_ACCOUNT_SHARE),
        ),
        cooldown: COOLDOWN,
        maxWaiting,
        maxWaitingPerAccount: accountShare(maxWaiting),
      },
      {
        full: 'Too many requests are waiting for the database. Retry later.',
        accountFull: 'Too many requests of this account are using the database. Retry later.',
        stuck: 'The database does not respond. Retry later.',
      },
      { isStuck, activity },
    );
  }

  get semaphore(): AccountSemaphore {
    return this.permits;
  }

  /**
   * Enters without waiting.
   * @returns `undefined` if this account has to wait.
   */
  tryEnter(accountId: string): Release | undefined {
    this.activity.recordCall(accountId);
    return this.permits.tryAcquire(accountId);
  }

  /**
   * Waits until the request may enter.
   * @throws AppError `rate_limited` or `unavailable` if the wait exceeds `acquireTimeoutMs` or too
   *   many requests wait.
   */
  enter(accountId: string): Promise<Release> {
    const timings = currentTimings();
    const pending = this.permits.acquire(accountId, this.acquireTimeoutMs);
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
    const release = this.tryEnter(accountId) ?? (await this.permits.acquireWhenFree(accountId));
    try {
      return await work();
    } finally {
      release();
    }
  }
}
