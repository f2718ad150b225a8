import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { currentTimings, type RequestTimings, waited } from '../time/request-timings';
import type { ConnectionWatch } from './connection-watch';
import { QueueFullError } from './database-error';
import { GuardedClient } from './guarded-client';
import { typeParsers } from './session-settings';

/** Limits of a connection pool. */
export interface PoolLimits {
  /** Time that a request waits for a connection. */
  readonly acquireTimeoutMs: number;
  /** Requests that may wait; further ones fail at once. */
  readonly maxWaiting: number;
  /** Omitted for commands. */
  readonly watch?: ConnectionWatch | undefined;
}

export interface ServicePoolConfig extends PoolConfig {
  readonly limits: PoolLimits;
  readonly connectMs: number;
  /** Statement timeout; without it there is none. */
  readonly statementMs?: number;
}

/** Shorter than requests wait, so that the next attempt after a failure comes soon. */
const CONNECT_MS = 4_000;
/** Idle time after which TCP probes the peer. */
const KEEP_ALIVE_MS = 10_000;

/** The configuration that all pools share. */
export function poolConfig(url: string, limits: PoolLimits): ServicePoolConfig {
  return {
    Client: GuardedClient,
    connectionString: url,
    connectionTimeoutMillis: limits.acquireTimeoutMs,
    connectMs: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: typeParsers,
    limits,
  };
}

type ConnectCallback = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** A pool with a limited queue, whose connections are watched. */
export class ServicePool extends Pool {
  private readonly maxWaiting: number;

  constructor(config: ServicePoolConfig) {
    super(config);
    const { maxWaiting, watch } = config.limits;
    const { statementMs } = config;
    this.maxWaiting = maxWaiting;
    this.on('connect', (client) => {
      watch?.add(client as unknown as GuardedClient, statementMs);
      // If the connection breaks inside a transaction, its next statement fails.
      client.on('error', () => undefined);
    });
    // An idle connection that breaks is replaced. Without listeners, both would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    if (this.waitingCount >= this.maxWaiting) return rejectFull(callback);
    // If a connection is idle, nothing waits.
    const timings = this.idleCount === 0 ? currentTimings() : undefined;
    if (!callback) return timings ? waited(timings, super.connect()) : super.connect();
    super.connect(timings ? waitedFor(timings, callback) : callback);
    return undefined;
  }
}

function waitedFor(timings: RequestTimings, callback: ConnectCallback): ConnectCallback {
  const startedAtMs = performance.now();
  return (...args) => {
    timings.connectionMs += performance.now() - startedAtMs;
    callback(...args);
  };
}

function rejectFull(callback?: ConnectCallback): Promise<PoolClient> | undefined {
  const error = new QueueFullError();
  if (!callback) return Promise.reject(error);
  callback(error, undefined, () => undefined);
  return undefined;
}

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
