import type { Pool } from 'pg';
import { QueryPool, type QueryPoolOptions } from '../query-pool';
import { ConnectionWatch } from '../connection-watch';
import { sessionSettings, type DatabaseOptions } from '../data-source-options';
import type { Database } from '../database';
import { poolConfig, ServicePool, type PoolLimits } from '../service-pool';
import { startupOptions } from '../session-settings';
import type { Statement } from '../text-query';
import {
  type LogPosition,
  PRIMARY_POSITION,
  REPLICA_POSITION,
  ReplicaFreshness,
} from './replica-freshness';
import { StaleReads } from './stale-reads';

/** A streaming replica: connections to it, and the age of its data. */
export class Replica {
  readonly pool: Pool;
  readonly queries: QueryPool;
  readonly reads: StaleReads;
  private readonly watch: ConnectionWatch;
  private readonly freshness: ReplicaFreshness;
  private primary: Database | undefined;

  constructor(url: string, options: DatabaseOptions, queryPool: QueryPoolOptions) {
    this.watch = new ConnectionWatch(url);
    const limits: PoolLimits = { ...queryPool.limits, watch: this.watch };
    this.pool = new ServicePool({
      ...poolConfig(url, limits),
      max: options.poolSize,
      options: startupOptions(sessionSettings(options)),
    });
    this.queries = new QueryPool({
      ...queryPool,
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
