import type { Pool } from 'pg';
import { BudgetedQueries, type BudgetedOptions } from '../budgeted-queries';
import { ConnectionWatch } from '../connection-watch';
import { sessionSettings, type DatabaseOptions } from '../data-source-options';
import type { Database } from '../database';
import { poolConfig, ServicePool, type PoolLimits } from '../service-pool';
import { startupOptions } from '../session-settings';
import type { Statement } from '../statement';
import { PRIMARY_POSITION, REPLICA_POSITION } from './log-position-sql';
import { ReplicaFreshness, type LogPosition } from './replica-freshness';
import { StaleReads } from './stale-reads';

/** A streaming replica: connections to it, and the age of its data. */
export class Replica {
  readonly pool: Pool;
  readonly queries: BudgetedQueries;
  readonly reads: StaleReads;
  private readonly watch: ConnectionWatch;
  private readonly freshness: ReplicaFreshness;
  private primary: Database | undefined;

  constructor(url: string, options: DatabaseOptions, budgeted: BudgetedOptions) {
    this.watch = new ConnectionWatch(url);
    const limits: PoolLimits = { ...budgeted.limits, watch: this.watch };
    this.pool = new ServicePool({
      ...poolConfig(url, limits),
      max: options.poolSize,
      options: startupOptions(sessionSettings(options)),
    });
    this.queries = new BudgetedQueries({
      ...budgeted,
      url,
      limits,
      isPooled: false,
      prepares: true,
    });
    this.freshness = new ReplicaFreshness(
      async () => (await this.primary?.run<LogPosition>(PRIMARY_POSITION))?.[0],
      async () => (await this.run<LogPosition>(REPLICA_POSITION, []))[0],
    );
    this.reads = new StaleReads(this.freshness);
  }

  /** Maximum age of its data in milliseconds. `Infinity` if it is unknown. */
  get ageMs(): number {
    return this.freshness.ageMs;
  }

  async run<Row extends object>(
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>({ name, text, values: [...values] })).rows;
  }

  /** Starts to track how far the replica is behind the primary. */
  follow(primary: Database): void {
    this.primary = primary;
    this.freshness.start();
  }

  async close(): Promise<void> {
    this.freshness.stop();
    await this.queries.close();
    await this.pool.end();
    this.watch.stop();
  }
}
