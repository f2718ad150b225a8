import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, Pool, PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { isRetryable } from './database-error';
import type { Statement } from './statement';

const MOST_ATTEMPTS = 4;

interface Transaction {
  readonly manager: EntityManager;
  readonly client: PoolClient;
}

/**
 * The one way to PostgreSQL. Repositories ask it for TypeORM repositories and run statements
 * on it; inside `transaction` both go to the transaction's connection without being told.
 */
export class Database {
  private readonly current = new AsyncLocalStorage<Transaction>();

  constructor(readonly dataSource: DataSource) {}

  repository<T extends ObjectLiteral>(entity: EntityTarget<T>): Repository<T> {
    const manager = this.current.getStore()?.manager ?? this.dataSource.manager;
    return manager.getRepository(entity);
  }

  get isInTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Runs a prepared statement in one round trip and gives its rows, as objects by column. */
  async run<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const target = this.current.getStore()?.client ?? this.pool;
    const { name, text } = statement;
    try {
      const result: QueryResult<Row> = await target.query({ name, text, values: [...values] });
      return result.rows;
    } catch (error) {
      throw nameStatement(error, name);
    }
  }

  /** Runs a statement whose text is made for this call, and so is not kept prepared. */
  async runOnce<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const target = this.current.getStore()?.client ?? this.pool;
    return (await target.query<Row>(text, [...values])).rows;
  }

  /**
   * Runs `work` in one transaction; inside another one it joins that, as `savepoint` does.
   * Serialization failures and deadlocks are tried again, up to three times: there PostgreSQL has
   * rolled back. It is the outermost `work` that is run again. A COMMIT whose outcome is unknown
   * is never repeated.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.current.getStore()) return this.savepoint(work);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(work);
      } catch (error) {
        if (attempt >= MOST_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  /**
   * Runs `work` so that inside a transaction its failure undoes `work` alone, and the transaction
   * can go on. Outside of one it makes no difference.
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
      // The first failure is what matters; a broken connection cannot roll back anyway.
      await client.query('ROLLBACK TO SAVEPOINT work').catch(() => undefined);
      await client.query('RELEASE SAVEPOINT work').catch(() => undefined);
      throw error;
    }
  }

  private async once<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      await runner.startTransaction();
      try {
        const result = await this.current.run({ manager: runner.manager, client }, work);
        await runner.commitTransaction();
        return result;
      } catch (error) {
        // The first failure is what matters. What cannot roll back must not serve anybody else.
        if (runner.isTransactionActive) {
          await runner.rollbackTransaction().catch(() => void (client as unknown as Client).end());
        }
        throw error;
      }
    } finally {
      await runner.release();
    }
  }

  /** TypeORM's own pool: entities and prepared statements share its connections. */
  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

/** For the log, which shows no statement's text. */
function nameStatement(error: unknown, statement: string): unknown {
  return error instanceof Error ? Object.assign(error, { statement }) : error;
}
