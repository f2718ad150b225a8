import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, Pool, PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { isReadOnly, isRetryable } from './database-error';
import { poolState, type PoolState } from './service-pool';
import { localSettings } from './session-settings';
import { type Sharing, TextBatcher } from './text-batcher';
import { queryText, queryTexts, type Statement, type TextRow } from './text-query';

const MAX_ATTEMPTS = 4;

interface Transaction {
  readonly manager: EntityManager;
  readonly client: PoolClient;
  /** Callbacks to run after the commit. */
  readonly onCommit: (() => void)[];
}

/**
 * Access to PostgreSQL for our repositories. It runs their statements and returns the TypeORM
 * repositories of entities. Inside `transaction`, both use the transaction's connection automatically.
 */
export class Database {
  private readonly current = new AsyncLocalStorage<Transaction>();
  /** Transactions in progress, including those that wait for a connection. */
  private inProgress = 0;
  private isDistributed = false;
  /** SQL at the start of each transaction. Only on Citus. */
  private begin: string | undefined;
  private readonly batcher = new TextBatcher(({ statement, valuesOfEach }) =>
    queryTexts(this.pool, statement, valuesOfEach),
  );

  /** @param prepares Whether statements are prepared by name. */
  constructor(
    readonly dataSource: DataSource,
    private readonly prepares = true,
  ) {}

  /**
   * From now on, statements run in their form for Citus, and the workers limit lock waits, too. They do
   * not have the settings of the session.
   */
  useCitus(lockTimeoutMs: number): void {
    this.isDistributed = true;
    this.begin = localSettings({
      'citus.propagate_set_commands': 'local',
      lock_timeout: String(lockTimeoutMs),
    });
  }

  repository<T extends ObjectLiteral>(entity: EntityTarget<T>): Repository<T> {
    const manager = this.current.getStore()?.manager ?? this.dataSource.manager;
    return manager.getRepository(entity);
  }

  get poolState(): PoolState {
    return poolState(this.pool);
  }

  get isInTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /**
   * Runs a prepared statement in one round trip.
   * @returns its rows, as objects keyed by column.
   */
  async run<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const target = this.current.getStore()?.client ?? this.pool;
    const { name } = statement;
    const text = (this.isDistributed ? statement.distributedText : undefined) ?? statement.text;
    try {
      const result: QueryResult<Row> = await target.query({
        name: this.prepares ? name : undefined,
        text,
        values: [...values],
      });
      return result.rows;
    } catch (error) {
      throw nameStatement(error, name);
    }
  }

  /**
   * Runs a prepared statement for a single row, returned as PostgreSQL's text output. This is the
   * cheapest way to read a row. Concurrent calls of an account may share a message exchange.
   * @returns `undefined` if there is no row.
   */
  async runForText(
    statement: Statement,
    values: readonly (string | number | null)[],
    sharing: Sharing,
  ): Promise<TextRow | undefined> {
    const client = this.current.getStore()?.client;
    try {
      const prepared = this.prepares ? statement : { name: '', text: statement.text };
      if (client) return await queryText(client, prepared, values);
      // Citus gains nothing from it.
      if (this.isDistributed) return await queryText(this.pool, prepared, values);
      return await this.batcher.run(prepared, values, sharing);
    } catch (error) {
      throw nameStatement(error, statement.name);
    }
  }

  /** Runs a statement whose text is generated for this call, and therefore not prepared. */
  async runOnce<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const target = this.current.getStore()?.client ?? this.pool;
    return (await target.query<Row>(text, [...values])).rows;
  }

  /**
   * Runs `work` in one transaction. Inside another transaction it joins that one, as `savepoint`
   * does. Serialization failures and deadlocks are retried up to three times, because PostgreSQL
   * has rolled back the transaction. Only the outermost `work` is retried. A COMMIT with an unknown
   * outcome is never repeated.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.current.getStore()) return this.savepoint(work);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(work);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  /**
   * Runs `work` in a savepoint: if it fails inside a transaction, only `work` is rolled back and
   * the transaction can continue. Outside a transaction it only runs `work`.
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const client = this.current.getStore()?.client;
    if (!client) return work();
    await client.query('SAVEPOINT work');
    try {
      const result = await work();
      await client.query('RELEASE SAVEPOINT work');
      return result;
    } catch (error) {
      // Report the first failure. If the connection is broken, the rollback fails too.
      await client.query('ROLLBACK TO SAVEPOINT work').catch(() => undefined);
      await client.query('RELEASE SAVEPOINT work').catch(() => undefined);
      throw error;
    }
  }

  /** Calls `work` after the current transaction commits, or at once outside a transaction. */
  onCommit(work: () => void): void {
    const transaction = this.current.getStore();
    if (transaction) transaction.onCommit.push(work);
    else work();
  }

  private async once<T>(work: () => Promise<T>): Promise<T> {
    this.inProgress += 1;
    try {
      return await this.onOwnConnection(work);
    } finally {
      this.inProgress -= 1;
      // On Node 20 and 22, an active AsyncLocalStorage tracks every promise of the process.
      if (this.inProgress === 0) this.current.disable();
    }
  }

  private async onOwnConnection<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      await runner.startTransaction();
      try {
        if (this.begin !== undefined) await client.query(this.begin);
        const onCommit: (() => void)[] = [];
        const result = await this.current.run({ manager: runner.manager, client, onCommit }, work);
        await runner.commitTransaction();
        for (const each of onCommit) each();
        return result;
      } catch (error) {
        const discardConnection = (): void => void (client as unknown as Client).end();
        // Report the first failure. A connection that cannot roll back must not be reused.
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(discardConnection);
        if (isReadOnly(error)) discardConnection();
        throw error;
      }
    } finally {
      await runner.release();
    }
  }

  /** TypeORM's own pool. Entities and prepared statements share its connections. */
  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

/** Adds the statement's name to the error for the log, which never contains SQL text. */
function nameStatement(error: unknown, statement: string): unknown {
  return error instanceof Error ? Object.assign(error, { statement }) : error;
}

/** Maximum delay of a timer in milliseconds. Timers with a longer delay fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Time that PostgreSQL may spend on a response of any length: a fixed part, plus a part for each
 * megabyte of output. Time spent by the reader of the response does not count.
 */
export class OutputTimeBudget {
  private leftMs: number;

  /**
   * @param firstMs Total time allowed if there is no output.
   * @param msPerMegabyte Time added for each megabyte of output.
   */
  constructor(
    firstMs: number,
    private readonly msPerMegabyte = 1_000,
  ) {
    this.leftMs = firstMs;
  }

  /**
   * Waits for the next part.
   * @param onTimeout Called when the time runs out. It must make the wait fail.
   */
  async next(
    parts: AsyncIterator<Buffer, unknown>,
    onTimeout: () => void,
  ): Promise<IteratorResult<Buffer, unknown>> {
    const start = performance.now();
    const timer = setTimeout(onTimeout, Math.min(this.leftMs, MAX_TIMER_MS));
    try {
      const part = await parts.next();
      const bytes = part.done === true ? 0 : part.value.length;
      this.leftMs += (bytes / 1_000_000) * this.msPerMegabyte - (performance.now() - start);
      return part;
    } finally {
      clearTimeout(timer);
    }
  }
}
