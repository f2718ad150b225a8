import type { AccountActivity } from '../fairness/account-activity';
import { AccountSemaphore, accountShare, type Release } from '../fairness/account-semaphore';
import { currentTimings, waited } from '../time/request-timings';

/** The share of a pool that one account's requests may use at a time. */
const ACCOUNT_SHARE = 4 / 5;
/**
 * The same while other accounts are active: what one account's statements do to PostgreSQL's
 * processors and locks, the others feel in each of theirs.
 */
const ACTIVE_ACCOUNT_SHARE = 1 / 3;
/** From this size on a pool keeps a connection for callers that pass no gate. */
const MIN_RESERVING_SIZE = 4;

/** How many requests use the pool's connections, and how many wait for that. */
export interface GateBounds {
  readonly poolSize: number;
  /** Requests of all accounts that wait; one account has half of them. */
  readonly maxWaiting: number;
  /** How long a request waits. */
  readonly acquireTimeoutMs: number;
  /** Which accounts are active. */
  readonly activity: AccountActivity;
  /** Whether PostgreSQL does not respond. */
  readonly isSilent?: () => boolean;
}

/**
 * Bounds the requests that use the main pool of database connections, in all and for each account.
 *
 * A request that waits for a datagrid's lock keeps its connection, so without a bound one slow
 * write takes the whole pool from every account. A request passes the gate once, after its body has
 * been received and before its first statement, and leaves when its handler is done, also where
 * its client has gone. Requests that wait here hold no connection, and accounts take turns.
 *
 * Authentication, probes and background work pass no gate: what they run is short or runs one at a
 * time, and the gate leaves them a connection.
 */
export class DatabaseGate {
  private readonly places: AccountSemaphore;
  private readonly acquireTimeoutMs: number;
  private readonly activity: AccountActivity;

  constructor({ poolSize, maxWaiting, acquireTimeoutMs, activity, isSilent }: GateBounds) {
    this.activity = activity;
    const total = poolSize < MIN_RESERVING_SIZE ? poolSize : poolSize - 1;
    const share = Math.min(Math.floor(poolSize * ACCOUNT_SHARE), total - 1);
    this.acquireTimeoutMs = acquireTimeoutMs;
    this.places = new AccountSemaphore(
      {
        total,
        perAccount: Math.max(1, share),
        perActiveAccount: Math.max(1, Math.floor(poolSize * ACTIVE_ACCOUNT_SHARE)),
        maxWaiting,
        maxWaitingPerAccount: accountShare(maxWaiting),
      },
      {
        full: 'Too many requests are waiting for the database. Retry later.',
        accountFull: 'Too many requests of this account are using the database. Retry later.',
        stuck: 'The database does not respond. Retry later.',
      },
      { isStuck: isSilent, activity },
    );
  }

  get semaphore(): AccountSemaphore {
    return this.places;
  }

  /** A place now, or `undefined` if this account has to wait. */
  tryEnter(accountId: string): Release | undefined {
    this.activity.note(accountId);
    return this.places.tryAcquire(accountId);
  }

  /** @throws AppError `rate_limited` or `unavailable` if there is no place in time. */
  enter(accountId: string): Promise<Release> {
    const timings = currentTimings();
    const place = this.places.acquire(accountId, this.acquireTimeoutMs);
    return timings ? waited(timings, place) : place;
  }

  /** Runs `work` in a place. Must not be called by whoever has one. @throws as `enter` */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const release = this.tryEnter(accountId) ?? (await this.enter(accountId));
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * The same for work that is bounded elsewhere, such as the steps of an import: it waits for as
   * long as it takes, and is never rejected.
   */
  async runWhenFree<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const release = this.tryEnter(accountId) ?? (await this.places.acquireWhenFree(accountId));
    try {
      return await work();
    } finally {
      release();
    }
  }
}
