import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import {
  poolConfig,
  type PoolLimits,
  poolState,
  type PoolState,
  ServicePool,
} from './service-pool';
import { startupOptions, NO_TIMEOUTS } from './session-settings';

/**
 * Connections for `COPY … FROM STDIN`. They are not in the main pool, because a slow client may
 * hold one for as long as it takes to send its data.
 */
export class CopyConnections {
  private readonly pool: ServicePool;

  constructor(options: { url: string; poolSize: number; limits: PoolLimits }) {
    const { url, poolSize, limits } = options;
    this.pool = new ServicePool({
      ...poolConfig(url, limits),
      max: poolSize,
      options: startupOptions(NO_TIMEOUTS),
    });
  }

  get poolState(): PoolState {
    return poolState(this.pool);
  }

  /** Takes a free connection. Waits up to `acquireTimeoutMs` for one. */
  async take(): Promise<CopyConnection> {
    return new CopyConnection(await this.pool.connect());
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** A connection for exclusive use until it is released. */
export class CopyConnection {
  constructor(private readonly client: PoolClient) {
    // A statement in progress fails on its own. Without a listener, the error would end the
    // process.
    client.on('error', () => undefined);
  }

  async run(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.client.query(text, [...values]);
  }

  /** Starts a COPY. No other statement can run until it ends. */
  copyIn(statement: string): CopyIn {
    return new CopyIn(this.client.query(from(statement)));
  }

  /**
   * Closes the connection. This releases everything that its session holds, and rolls back a COPY
   * in progress.
   */
  release(): void {
    this.client.release(true);
  }
}

const FLUSH_LENGTH = 64 * 1024;

/** Buffers lines of COPY's text format, and sends them no faster than PostgreSQL accepts them. */
export class CopyIn {
  private buffer = '';
  private fault: Error | undefined;

  constructor(private readonly stream: Writable) {
    stream.on('error', (error: Error) => (this.fault = error));
  }

  /**
   * Buffers a line, which must include its line ending.
   * @returns whether to call `flush` now.
   */
  add(line: string): boolean {
    this.buffer += line;
    return this.buffer.length >= FLUSH_LENGTH;
  }

  /** Sends the buffered lines. If PostgreSQL has fallen behind, waits until it catches up. */
  async flush(): Promise<void> {
    const bytes = Buffer.from(this.buffer);
    this.buffer = '';
    this.throwIfFailed();
    if (bytes.length > 0 && !this.stream.write(bytes)) await once(this.stream, 'drain');
  }

  /** Ends the COPY, which commits the lines that were sent. */
  async end(): Promise<void> {
    await this.flush();
    const over = finished(this.stream);
    this.stream.end();
    await over;
  }

  private throwIfFailed(): void {
    if (this.fault) throw this.fault;
  }
}
