import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import type { AccountActivity } from '../fairness/account-activity';
import type { AccountSemaphore, Release } from '../fairness/account-semaphore';
import { semaphoreOf } from '../fairness/limit';
import { LIMITS } from '../fairness/limits';
import { currentTimings, type RequestTimings, waited } from '../time/request-timings';
import { isStatementTimeout } from './database-error';
import {
  poolConfig,
  type PoolLimits,
  poolState,
  type PoolState,
  ServicePool,
} from './service-pool';
import { localSettings, startupOptions, type SessionSettings } from './session-settings';
import { type SharedExchange, TextBatcher } from './text-batcher';
import { copyFrom, queryText, queryTexts, type TextResults, type TextRow } from './text-query';

/** Thrown when a query exceeds its timeout. */
export class QueryTimeoutError extends Error {}

/** Maximum number of cached statement texts, and uses of a text before it is prepared. */
const MAX_TEXTS = 100;
const USES_BEFORE_PREPARED = 3;

/**
 * After a query that took longer, all queries of its account count as scans for a while: an index
 * can match many rows, or large ones.
 */
const LONG_QUERY_MS = 500;
const LONG_QUERY_MEMORY_MS = 60_000;
/**
 * After a shared exchange that took longer, queries of its account have exchanges of their own for a
 * while: in a shared one, each waits for those before it.
 */
const LONG_EXCHANGE_MS = 100;
const LONG_EXCHANGE_MEMORY_MS = 10_000;
const MAX_SLOW_ACCOUNTS = 10_000;

/** Time that a snapshot may wait between two statements, in addition to the query timeout. */
const SNAPSHOT_WAIT_MS = 30_000;

/** Maximum age of a connection. Its prepared statements end with it. */
const CONNECTION_SECONDS = 600;

export interface QueryPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly limits: PoolLimits;
  /** Tracks which accounts are active. */
  readonly activity: AccountActivity;
  /** Whether sessions are shared between transactions. */
  readonly isPooled: boolean;
  /** Whether statements may be prepared by name. */
  readonly prepares: boolean;
}

/**
 * Plan of a query: by an index, or by a scan of the datagrid. Queries of public links count as scans,
 * whatever their plan, and do not make the account slow.
 */
export type QueryKind = 'indexed' | 'scan' | 'public';

/** Runs one of several scans. */
export type RunScan = <Row extends object>(
  text: string,
  values: readonly unknown[],
) => Promise<Row[]>;

/** A snapshot, in which all statements see the same rows. */
export interface DatabaseSnapshot {
  query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]>;
  /** Yields the output of a `COPY … TO STDOUT`. See `copyFrom`. */
  copy(statement: string): AsyncIterable<Buffer>;
}

/** A snapshot of a connection of the pool. */
export interface QuerySnapshot extends DatabaseSnapshot {
  /** Runs a statement for a single row, as `QueryPool.runForText`. */
  queryText(text: string, values: readonly unknown[]): Promise<TextRow | undefined>;
}

interface KnownText {
  readonly name: string;
  uses: number;
}

/**
 * Runs queries whose cost depends on the caller, each with a timeout, on a pool of their own, so
 * that they cannot starve other requests.
 *
 * One account gets up to half of the connections, and a fifth for scans, each of which keeps a CPU
 * core of PostgreSQL busy. While other accounts are active, it gets a fifth, and a tenth for scans,
 * with a cooldown after each long scan. For a minute after a slow query, all queries of the account
 * count as scans.
 *
 * Statements that are used often are prepared. PostgreSQL still plans for the values if that pays
 * off (`plan_cache_mode = auto`). Then queries by index of one account that arrive together share a
 * permit and a message exchange.
 */
export class QueryPool {
  private readonly pool: ServicePool;
  /** One permit per connection, so that no query waits in the pool itself. */
  private readonly permits: AccountSemaphore;
  /** Permits of scans. A scan acquires one of these before its permit for a connection. */
  private readonly scans: AccountSemaphore;
  private readonly activity: AccountActivity;
  /** Time until which each account counts as slow, in milliseconds of `performance.now`. */
  private readonly slowUntilMs = new LRUCache<string, number>({ max: MAX_SLOW_ACCOUNTS });
  /** Time until which each account's queries have exchanges of their own. */
  private readonly unsharedUntilMs = new LRUCache<string, number>({ max: MAX_SLOW_ACCOUNTS });
  private readonly batcher = new TextBatcher((calls) => this.exchange(calls));
  private readonly texts = new LRUCache<string, KnownText>({ max: MAX_TEXTS });

  private readonly prepares: boolean;
  private readonly timeoutMs: number;
  private isPlannedForValues = false;
  /** SQL that begins a query's transaction and sets its settings. Only behind a pooler. */
  private begin: string | undefined;
  private readonly settings: SessionSettings;

  constructor(options: QueryPoolOptions) {
    const settings: SessionSettings = {
      statement_timeout: String(options.timeoutMs),
      plan_cache_mode: 'auto',
      jit: 'off',
      // A query must not use more than one CPU core.
      max_parallel_workers_per_gather: '0',
    };
    this.settings = settings;
    this.prepares = options.prepares;
    this.timeoutMs = options.timeoutMs;
    this.begin = options.isPooled ? beginWith(settings) : undefined;
    const { limits, activity } = options;
    this.activity = activity;
    const values = {
      databasePoolSize: options.poolSize,
      databaseMaxWaiting: limits.maxWaiting,
      databaseAcquireTimeoutMs: limits.acquireTimeoutMs,
    };
    const isStuck = (): boolean => limits.watch?.isSilent === true;
    const context = { activity, isStuck, allowsLongHolds: true };
    this.permits = semaphoreOf(LIMITS.queries, values, context);
    this.scans = semaphoreOf(LIMITS.scans, values, context);
    this.pool = new ServicePool({
      ...poolConfig(options.url, options.limits),
      max: options.poolSize,
      maxLifetimeSeconds: CONNECTION_SECONDS,
      statementMs: options.timeoutMs,
      ...(!options.isPooled && { options: startupOptions(settings) }),
    });
  }

  /**
   * Plans each query for its values, as Citus needs, where queries do not gain from a shared exchange.
   * Call before the first query.
   */
  planForValues(): void {
    this.isPlannedForValues = true;
    const settings = { ...this.settings, plan_cache_mode: 'force_custom_plan' };
    if (this.begin !== undefined) this.begin = beginWith(settings);
    else Object.assign(this.pool.options, { options: startupOptions(settings) });
  }

  get poolState(): PoolState {
    const { waiting, ...state } = poolState(this.pool);
    return { ...state, waiting: waiting + this.permits.state.waiting + this.scans.state.waiting };
  }

  /**
   * Runs a query of an account. Waits for a permit up to the acquire timeout.
   * @throws QueryTimeoutError, or AppError `rate_limited` if the account has used its share and
   *   `unavailable` if all connections are in use.
   */
  async run<Row extends object>(
    accountId: string,
    text: string,
    values: readonly unknown[],
    kind: QueryKind = 'scan',
  ): Promise<Row[]> {
    return this.withPermit(accountId, kind, () =>
      this.onConnection((target) => this.runOn<Row>(target, text, values)),
    );
  }

  /**
   * Runs several scans, one after another, with one permit. Each has the query timeout.
   * @param work Runs the statements with the function that it receives.
   * @throws as `run`
   */
  async runScans<T>(accountId: string, work: (run: RunScan) => Promise<T>): Promise<T> {
    return this.withPermit(accountId, 'scan', () =>
      this.onConnection((target) => work((text, values) => this.runOn(target, text, values))),
    );
  }

  /**
   * Runs work in a snapshot, with one permit. Each statement has the query timeout.
   * @throws as `run`
   */
  async inSnapshot<T>(
    accountId: string,
    kind: QueryKind,
    work: (snapshot: QuerySnapshot) => Promise<T>,
  ): Promise<T> {
    const settings = {
      ...(this.begin !== undefined && this.settings),
      // Between two statements, the snapshot waits for others.
      idle_in_transaction_session_timeout: String(this.timeoutMs + SNAPSHOT_WAIT_MS),
    };
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${localSettings(settings)}`;
    return this.withPermit(accountId, kind, () =>
      this.inTransaction(begin, (client) =>
        work({
          query: (text, values) => this.runOn(client, text, values),
          queryText: (text, values) => queryText(client, { name: this.nameOf(text), text }, values),
          copy: (statement) => copyFrom(client, statement),
        }),
      ),
    );
  }

  private async runOn<Row extends object>(
    target: Pool | PoolClient,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const name = this.nameOf(text);
    const query = { ...(name !== '' && { name }), text, values: [...values] };
    return (await target.query<Row>(query)).rows;
  }

  /**
   * Runs a query for a single row, returned as PostgreSQL's text output in the order of its columns,
   * at less cost than `run`.
   * @param rows Number of table rows that the query reads. Only those with few share an exchange.
   * @returns `undefined` if there is no row.
   * @throws as `run`
   */
  async runForText(
    accountId: string,
    text: string,
    values: readonly unknown[],
    kind: QueryKind = 'scan',
    rows = Infinity,
  ): Promise<TextRow | undefined> {
    const statement = { name: this.nameOf(text), text };
    if (kind === 'indexed' && statement.name !== '' && this.sharesExchanges(accountId)) {
      return this.batcher.run(statement, values, { accountId, rows });
    }
    return this.withPermit(accountId, kind, () =>
      this.onConnection((target) => queryText(target, statement, values)),
    );
  }

  private sharesExchanges(accountId: string): boolean {
    if (this.isPlannedForValues || this.isSlow(accountId)) return false;
    return performance.now() >= (this.unsharedUntilMs.get(accountId) ?? 0);
  }

  /** Sends queries by index with one permit, in one message exchange. */
  private async exchange(calls: SharedExchange): Promise<TextResults> {
    const { accountId, statement, valuesOfEach } = calls;
    const isShared = valuesOfEach.length > 1;
    return this.withPermit(
      accountId,
      'indexed',
      async () => {
        const startedAtMs = performance.now();
        const { rows, error } = await this.onConnection((target) =>
          queryTexts(target, statement, valuesOfEach),
        );
        const endedAtMs = performance.now();
        if (isShared && endedAtMs - startedAtMs > LONG_EXCHANGE_MS) {
          this.unsharedUntilMs.set(accountId, endedAtMs + LONG_EXCHANGE_MEMORY_MS);
        }
        return { rows, error: error && toQueryError(error) };
      },
      calls.timings,
      valuesOfEach.length,
    );
  }

  /**
   * @param timings Timings of the requests that wait for the permit, if they are collected.
   * @param queries Number of queries that `work` runs.
   */
  private async withPermit<T>(
    accountId: string,
    kind: QueryKind,
    work: () => Promise<T>,
    timings = ownTimings(),
    queries = 1,
  ): Promise<T> {
    let pending = this.acquirePermit(accountId, this.isSlow(accountId) ? 'scan' : kind);
    for (const each of timings) pending = waited(each, pending);
    const release = await pending;
    const startedAtMs = performance.now();
    try {
      return await work();
    } catch (error) {
      throw toQueryError(error);
    } finally {
      release();
      const endedAtMs = performance.now();
      if (kind !== 'public' && endedAtMs - startedAtMs > LONG_QUERY_MS * queries) {
        this.slowUntilMs.set(accountId, endedAtMs + LONG_QUERY_MEMORY_MS);
      }
    }
  }

  /** Behind a pooler, opens a transaction, in which the settings apply. */
  private onConnection<T>(work: (target: Pool | PoolClient) => Promise<T>): Promise<T> {
    return this.begin === undefined ? work(this.pool) : this.inTransaction(this.begin, work);
  }

  private isSlow(accountId: string): boolean {
    return performance.now() < (this.slowUntilMs.get(accountId) ?? 0);
  }

  private async acquirePermit(accountId: string, kind: QueryKind): Promise<Release> {
    this.activity.recordCall(accountId);
    if (kind === 'indexed') return this.permits.acquire(accountId);
    const endScan = await this.scans.acquire(accountId);
    try {
      const release = await this.permits.acquire(accountId);
      const startedAtMs = performance.now();
      return () => {
        release();
        endScan(performance.now() - startedAtMs);
      };
    } catch (error) {
      // The scan did not run.
      endScan(0);
      throw error;
    }
  }

  private async inTransaction<T>(
    begin: string,
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await this.pool.connect();
    let isBroken = false;
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
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

  /** Returns the name of the prepared statement; empty if the text is not prepared. */
  private nameOf(text: string): string {
    if (!this.prepares) return '';
    const known = this.texts.get(text);
    if (!known) {
      this.texts.set(text, { name: `query-${hash('sha256', text, 'base64url')}`, uses: 1 });
      return '';
    }
    known.uses += 1;
    return known.uses > USES_BEFORE_PREPARED ? known.name : '';
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

function ownTimings(): readonly RequestTimings[] {
  const timings = currentTimings();
  return timings ? [timings] : [];
}

function toQueryError<E>(error: E): E | QueryTimeoutError {
  if (!isStatementTimeout(error)) return error;
  return new QueryTimeoutError('The query timed out.', { cause: error });
}

function beginWith(settings: SessionSettings): string {
  return `BEGIN READ ONLY; ${localSettings(settings)}`;
}
