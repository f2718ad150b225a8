import { Inject, Injectable } from '@nestjs/common';
import { BudgetedQueries } from '../database/budgeted-queries';
import { CopyConnections } from '../database/copy-connections';
import { Database } from '../database/database';
import { poolState, type PoolState } from '../database/pool-state';
import { Replica } from '../database/replica/replica';
import { Metrics, type Readings } from './metrics';

/** Shows how the pools of database connections stand. */
@Injectable()
export class PoolMetrics {
  constructor(
    metrics: Metrics,
    database: Database,
    queries: BudgetedQueries,
    copies: CopyConnections,
    @Inject(Replica) replica: Replica | null,
  ) {
    const pools: Readonly<Record<string, () => PoolState>> = {
      main: () => database.poolState,
      queries: () => queries.poolState,
      imports: () => copies.poolState,
      ...(replica && {
        replica: () => poolState(replica.pool),
        'replica-queries': () => replica.queries.poolState,
      }),
    };
    const show = (name: string, help: string, read: (state: PoolState) => number): void => {
      metrics.gauges(name, help, ['pool'], () =>
        Object.entries(pools).map(([pool, state]) => [{ pool }, read(state())]),
      );
    };
    show('database_pool_connections', 'Open connections of a pool.', ({ size }) => size);
    show('database_pool_idle', 'Connections of a pool that nobody uses.', ({ idle }) => idle);
    show('database_pool_waiting', 'Who waits for a connection.', ({ waiting }) => waiting);
    show('database_pool_limit', 'Connections that a pool opens at most.', ({ limit }) => limit);
    const help =
      'How old what a replica gives is at most. Without a value where that is not known.';
    metrics.gauges('database_replica_age_seconds', help, [], () => ageOf(replica));
  }
}

function ageOf(replica: Replica | null): Readings<never> {
  const ageSeconds = (replica?.ageMs ?? Infinity) / 1000;
  return ageSeconds < Infinity ? [[{}, ageSeconds]] : [];
}
