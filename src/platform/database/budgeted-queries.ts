import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';

/** PostgreSQL's word for a statement that ran out of time. */
const QUERY_CANCELED = '57014';

/** A query was not done within its time. */
export class BudgetExceededError extends Error {}

/** Texts that are remembered, and how often one comes before it is worth preparing. */
const MOST_TEXTS = 100;
const USES_BEFORE_PREPARED = 3;

/** PostgreSQL ends a query by itself, and has so much time to say so. */
const AFTER_BUDGET_MS = 2_000;

/** A connection is given up after that time, and with it what was prepared on it. */
const CONNECTION_SECONDS = 600;

interface KnownText {
  readonly name: string;
  uses: number;
}

/**
 * Runs queries whose cost depends on what a caller asks, each within a time budget that the
 * database keeps, on connections of their own: they cannot starve the hot way. Texts that come
 * again and again are prepared; PostgreSQL still plans for the values where that is worth it.
 */
export class BudgetedQueries {
  private readonly pool: ServicePool;
  private readonly texts = new LRUCache<string, KnownText>({ max: MOST_TEXTS });

  constructor(options: { url: string; poolSize: number; budgetMs: number; limits: PoolLimits }) {
    this.pool = new ServicePool({
      ...poolConfig(options.url, options.limits),
      max: options.poolSize,
      maxLifetimeSeconds: CONNECTION_SECONDS,
      mostSilentMs: options.budgetMs + AFTER_BUDGET_MS,
      options: `-c statement_timeout=${String(options.budgetMs)} -c jit=off`,
    });
  }

  /** @throws BudgetExceededError */
  async run<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      const query = { ...this.nameOf(text), text, values: [...values] };
      return (await this.pool.query<Row>(query)).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
      throw new BudgetExceededError('The query ran out of time.', { cause: error });
    }
  }

  private nameOf(text: string): { name?: string } {
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
