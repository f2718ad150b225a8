import { Inject, Injectable } from '@nestjs/common';
import { BudgetedQueries } from '../database/budgeted-queries';
import { CopyConnections } from '../database/copy-connections';
import { Database } from '../database/database';
import { DatabaseGate } from '../database/database-gate';
import { poolState, type PoolState } from '../database/pool-state';
import { Replica } from '../database/replica/replica';
import { Metrics, type Readings } from './metrics';

/** Metrics of the database connection pools. */
@Injectable()
export class PoolMetrics {
  constructor(
    metrics: Metrics,
    database: Database,
    queries: BudgetedQueries,
    copies: CopyConnections,
    gate: DatabaseGate,
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
    showGate(metrics, gate);
    const help =
      'How old what a replica gives is at most. Without a value where that is not known.';
    metrics.gauges('database_replica_age_seconds', help, [], () => ageOf(replica));
  }
}

function showGate(metrics: Metrics, { semaphore }: DatabaseGate): void {
  const held = 'Requests that have a place at the main pool of database connections.';
  metrics.gauge('database_gate_held', held, () => semaphore.state.held);
  const waiting = 'Requests that wait for a place at the main pool of database connections.';
  metrics.gauge('database_gate_waiting', waiting, () => semaphore.state.waiting);
  const help =
    'Requests rejected at the main pool, by the bound reached: of their account, or of the process.';
  metrics.counters('database_gate_rejected_total', help, ['bound'], () =>
    Object.entries(semaphore.rejected).map(([bound, count]) => [{ bound }, count]),
  );
}

function ageOf(replica: Replica | null): Readings<never> {
  const ageSeconds = (replica?.ageMs ?? Infinity) / 1000;
  return ageSeconds < Infinity ? [[{}, ageSeconds]] : [];
}
