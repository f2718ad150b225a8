import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { CopyIn } from './copy-in';
import { poolState, type PoolState } from './pool-state';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';
import { startupOptions, UNHURRIED } from './session-settings';

/**
 * Connections for `COPY … FROM STDIN`. They are none of the pool's, since one is kept for as long
 * as a slow client takes to send what is copied.
 */
export class CopyConnections {
  private readonly pool: ServicePool;

  constructor(options: { url: string; poolSize: number; limits: PoolLimits }) {
    const { url, poolSize, limits } = options;
    this.pool = new ServicePool({
      ...poolConfig(url, limits),
      max: poolSize,
      options: startupOptions(UNHURRIED),
    });
  }

  get poolState(): PoolState {
    return poolState(this.pool);
  }

  /** Waits for a free one, for some seconds at most. */
  async take(): Promise<CopyConnection> {
    return new CopyConnection(await this.pool.connect());
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** A connection for oneself, until it is released. */
export class CopyConnection {
  constructor(private readonly client: PoolClient) {
    // What is in progress fails by itself; without a listener the fault would end the process.
    client.on('error', () => undefined);
  }

  async run(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.client.query(text, [...values]);
  }

  /** Starts a COPY; nothing else can be run before it is over. */
  copyIn(statement: string): CopyIn {
    return new CopyIn(this.client.query(from(statement)));
  }

  /** Closes the connection: what its session holds is let go of, and a COPY in progress is undone. */
  release(): void {
    this.client.release(true);
  }
}
