import { Injectable } from '@nestjs/common';
import { BudgetedQueries } from '../database/budgeted-queries';
import { CopyConnections } from '../database/copy-connections';
import { Database } from '../database/database';
import type { PoolState } from '../database/pool-state';
import { Metrics } from './metrics';

interface HasPool {
  readonly poolState: PoolState;
}

/** Shows how the pools of database connections stand. */
@Injectable()
export class PoolMetrics {
  constructor(
    metrics: Metrics,
    database: Database,
    queries: BudgetedQueries,
    copies: CopyConnections,
  ) {
    const pools: Readonly<Record<string, HasPool>> = {
      main: database,
      queries,
      imports: copies,
    };
    const show = (name: string, help: string, read: (state: PoolState) => number): void => {
      metrics.gauges(name, help, ['pool'], () =>
        Object.entries(pools).map(([pool, { poolState }]) => [{ pool }, read(poolState)]),
      );
    };
    show('database_pool_connections', 'Open connections of a pool.', ({ size }) => size);
    show('database_pool_idle', 'Connections of a pool that nobody uses.', ({ idle }) => idle);
    show('database_pool_waiting', 'Who waits for a connection.', ({ waiting }) => waiting);
    show('database_pool_limit', 'Connections that a pool opens at most.', ({ limit }) => limit);
  }
}
