import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { QueryConfig } from 'pg';
import type { AccountActivity } from '../fairness/account-activity';
import { accountShare, AccountSemaphore, type Release } from '../fairness/account-semaphore';
import { currentTimings, waited } from '../time/request-timings';
import { isStatementTimeout } from './database-error';
import { poolState, type PoolState } from './pool-state';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';
import { localSettings, startupOptions, type SessionSettings } from './session-settings';

/** Thrown when a query exceeds its timeout. */
export class BudgetExceededError extends Error {}

/** Texts that are remembered, and uses of one before it is prepared. */
const MAX_TEXTS = 100;
const USES_BEFORE_PREPARED = 3;

/** Of the connections so many may run one account's scans, each of which loads a processor. */
const SCAN_SHARE = 1 / 5;
/** The same while other accounts are active, for scans and for all queries. */
const ACTIVE_ACCOUNT_SCAN_SHARE = 1 / 10;
const ACTIVE_ACCOUNT_SHARE = 1 / 3;

/**
 * For some time after a query that took longer, all queries of its account have the share of scans:
 * an index may lead to many rows, or to large ones.
 */
const LONG_QUERY_MS = 500;
const LONG_QUERY_MEMORY_MS = 60_000;
const MAX_SLOW_ACCOUNTS = 10_000;

/** A connection is given up after that time, and with it what was prepared on it. */
const CONNECTION_SECONDS = 600;

export interface BudgetedOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly limits: PoolLimits;
  /** Which accounts are active. */
  readonly activity: AccountActivity;
  /** Whether sessions are shared between transactions. */
  readonly isPooled: boolean;
  /** Whether statements may be prepared by name. */
  readonly prepares: boolean;
}

/** Whether an index leads to a query's rows, or PostgreSQL scans the datagrid. */
export type QueryKind = 'indexed' | 'scan';

interface KnownText {
  readonly name: string;
  uses: number;
}

const MESSAGES = {
  full: 'Too many queries are running. Retry later.',
  accountFull: 'Too many queries of this account are running. Retry later.',
};

/**
 * Runs queries whose cost depends on the caller, each with a timeout, on a pool of their own, so
 * that they cannot starve other requests.
 *
 * One account gets half of the connections at most, and a fifth for scans, which keep a processor
 * of PostgreSQL busy for as long as they run. While other accounts are active it gets a third, and
 * a tenth for scans. For a minute after a query that took long, all its queries count as scans.
 *
 * Texts that come again and again are prepared; PostgreSQL still plans for the values where that is
 * worth it.
 */
export class BudgetedQueries {
  private readonly pool: ServicePool;
  /** A place for each connection: nobody waits at the pool itself. */
  private readonly places: AccountSemaphore;
  /** A scan takes one of these first. */
  private readonly scans: AccountSemaphore;
  private readonly acquireTimeoutMs: number;
  private readonly activity: AccountActivity;
  /** Until when each counts as slow, in milliseconds of `performance.now`. */
  private readonly slowUntilMs = new LRUCache<string, number>({ max: MAX_SLOW_ACCOUNTS });
  private readonly texts = new LRUCache<string, KnownText>({ max: MAX_TEXTS });

  private readonly prepares: boolean;
  /** Where a pooler shares sessions, each query's own: what its transaction begins with. */
  private readonly begin: string | undefined;

  constructor(options: BudgetedOptions) {
    const settings: SessionSettings = {
      statement_timeout: String(options.timeoutMs),
      plan_cache_mode: 'auto',
      jit: 'off',
      // A query is to keep one processor busy, not several.
      max_parallel_workers_per_gather: '0',
    };
    this.prepares = options.prepares;
    this.begin = options.isPooled ? `BEGIN READ ONLY; ${localSettings(settings)}` : undefined;
    const { acquireTimeoutMs, maxWaiting } = options.limits;
    const { poolSize, activity } = options;
    this.activity = activity;
    this.acquireTimeoutMs = acquireTimeoutMs;
    const queue = { maxWaiting, maxWaitingPerAccount: accountShare(maxWaiting) };
    const places = (perAccount: number, perActiveAccount: number): AccountSemaphore => {
      const bounds = { total: poolSize, perAccount, perActiveAccount, ...queue };
      return new AccountSemaphore(bounds, MESSAGES, { activity });
    };
    const part = (share: number): number => Math.max(1, Math.floor(poolSize * share));
    this.places = places(accountShare(poolSize), part(ACTIVE_ACCOUNT_SHARE));
    this.scans = places(part(SCAN_SHARE), part(ACTIVE_ACCOUNT_SCAN_SHARE));
    this.pool = new ServicePool({
      ...poolConfig(options.url, options.limits),
      max: options.poolSize,
      maxLifetimeSeconds: CONNECTION_SECONDS,
      statementMs: options.timeoutMs,
      ...(!options.isPooled && { options: startupOptions(settings) }),
    });
  }

  get poolState(): PoolState {
    const { waiting, ...state } = poolState(this.pool);
    return { ...state, waiting: waiting + this.places.state.waiting + this.scans.state.waiting };
  }

  /**
   * Runs a query of an account once the account has a place, for which it waits some seconds at most.
   * @throws BudgetExceededError, or AppError `rate_limited` if the account has used its share and
   *   `unavailable` if all connections are in use.
   */
  async run<Row extends object>(
    accountId: string,
    text: string,
    values: readonly unknown[],
    kind: QueryKind = 'scan',
  ): Promise<Row[]> {
    const place = this.place(accountId, this.isSlow(accountId) ? 'scan' : kind);
    const timings = currentTimings();
    const release = await (timings ? waited(timings, place) : place);
    const startedAtMs = performance.now();
    try {
      const query = { ...this.nameOf(text), text, values: [...values] };
      if (this.begin !== undefined) return await this.runInTransaction<Row>(this.begin, query);
      return (await this.pool.query<Row>(query)).rows;
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      throw new BudgetExceededError('The query timed out.', { cause: error });
    } finally {
      release();
      const endedAtMs = performance.now();
      if (endedAtMs - startedAtMs > LONG_QUERY_MS) {
        this.slowUntilMs.set(accountId, endedAtMs + LONG_QUERY_MEMORY_MS);
      }
    }
  }

  private isSlow(accountId: string): boolean {
    return performance.now() < (this.slowUntilMs.get(accountId) ?? 0);
  }

  private async place(accountId: string, kind: QueryKind): Promise<Release> {
    this.activity.note(accountId);
    if (kind === 'indexed') return this.places.acquire(accountId, this.acquireTimeoutMs);
    const endScan = await this.scans.acquire(accountId, this.acquireTimeoutMs);
    try {
      const release = await this.places.acquire(accountId, this.acquireTimeoutMs);
      return () => {
        release();
        endScan();
      };
    } catch (error) {
      endScan();
      throw error;
    }
  }

  private async runInTransaction<Row extends object>(
    begin: string,
    query: QueryConfig,
  ): Promise<Row[]> {
    const client = await this.pool.connect();
    let isBroken = false;
    try {
      await client.query(begin);
      const { rows } = await client.query<Row>(query);
      await client.query('COMMIT');
      return rows;
    } catch (error) {
      isBroken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  private nameOf(text: string): { name?: string } {
    if (!this.prepares) return {};
    const known = this.texts.get(text);
    if (!known) {
      const hash = createHash('sha256').update(text).digest('base64url');
      this.texts.set(text, { name: `budgeted-${hash}`, uses: 1 });
      return {};
    }
    known.uses += 1;
    return known.uses > USES_BEFORE_PREPARED ? { name: known.name } : {};
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
