import type { Pool } from 'pg';

/** How a pool of connections stands at a moment. */
export interface PoolState {
  /** Connections that are open. */
  readonly size: number;
  /** Those of them that nobody uses. */
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
  /** The most connections that it opens. */
  readonly limit: number;
}

export function poolState(pool: Pool): PoolState {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { size: totalCount, idle: idleCount, waiting: waitingCount, limit: options.max };
}
