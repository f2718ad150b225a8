import type { Pool } from 'pg';

/** Snapshot of a connection pool. */
export interface PoolState {
  /** Open connections. */
  readonly size: number;
  /** Open connections that are not in use. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Maximum number of connections. */
  readonly limit: number;
}

export function poolState(pool: Pool): PoolState {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { size: totalCount, idle: idleCount, waiting: waitingCount, limit: options.max };
}
