import { Pool } from 'pg';
import { GuardedClient } from './guarded-client';
import { typeParsers } from './type-parsers';

/** PostgreSQL's word for a statement that ran out of time. */
const QUERY_CANCELED = '57014';

/** A query was not done within its time. */
export class BudgetExceededError extends Error {}

/**
 * Runs queries whose cost depends on what a caller asks, each within a time budget that the
 * database keeps, on connections of their own: they cannot starve the hot way. Their statements
 * are planned for the values they come with.
 */
export class BudgetedQueries {
  private readonly pool: Pool;

  constructor(options: { url: string; poolSize: number; budgetMs: number }) {
    this.pool = new Pool({
      Client: GuardedClient,
      connectionString: options.url,
      max: options.poolSize,
      connectionTimeoutMillis: 5_000,
      types: typeParsers,
      options: `-c statement_timeout=${String(options.budgetMs)} -c jit=off`,
    });
    // An idle connection that breaks is replaced; without a listener it would end the process.
    this.pool.on('error', () => undefined);
  }

  /** @throws BudgetExceededError */
  async run<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(text, [...values])).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
      throw new BudgetExceededError('The query ran out of time.', { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
