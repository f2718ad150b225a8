import { Inject, Injectable } from '@nestjs/common';
import { QueryPool } from '../database/query-pool';
import { CopyConnections } from '../database/copy-connections';
import { Database } from '../database/database';
import { DatabaseGate } from '../database/database-gate';
import { poolState, type PoolState } from '../database/service-pool';
import { Replica } from '../database/replica/replica';
import { Metrics, type Readings } from './metrics';

/** Metrics of the database connection pools. */
@Injectable()
export class PoolMetrics {
  constructor(
    metrics: Metrics,
    database: Database,
    queries: QueryPool,
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
    show('database_pool_connections', 'Open connections of the pool.', ({ size }) => size);
    show('database_pool_idle', 'Idle connections of the pool.', ({ idle }) => idle);
    show(
      'database_pool_waiting',
      'Requests and jobs that wait for a connection of the pool.',
      ({ waiting }) => waiting,
    );
    show('database_pool_limit', 'Maximum number of connections of the pool.', ({ limit }) => limit);
    showGate(metrics, gate);
    const help = 'Maximum age of data read from the replica. No value if unknown.';
    metrics.gauges('database_replica_age_seconds', help, [], () => ageOf(replica));
  }
}

function showGate(metrics: Metrics, { semaphore }: DatabaseGate): void {
  const held = 'Requests that may use the main database pool.';
  metrics.gauge('database_gate_held', held, () => semaphore.state.held);
  const waiting = 'Requests that wait to use the main database pool.';
  metrics.gauge('database_gate_waiting', waiting, () => semaphore.state.waiting);
  const help =
    'Requests rejected at the main database pool, by limit: of the account or of the process.';
  metrics.counters('database_gate_rejected_total', help, ['bound'], () =>
    Object.entries(semaphore.rejected).map(([bound, count]) => [{ bound }, count]),
  );
}

function ageOf(replica: Replica | null): Readings<never> {
  const ageSeconds = (replica?.ageMs ?? Infinity) / 1000;
  return ageSeconds < Infinity ? [[{}, ageSeconds]] : [];
}
