import { Pool, type PoolClient, type PoolConfig } from 'pg';
import type { ConnectionWatch } from './connection-watch';
import { QueueFullError } from './database-error';
import { GuardedClient } from './guarded-client';
import { currentTimings, waited, type RequestTimings } from '../time/request-timings';
import { typeParsers } from './type-parsers';

/** How a pool is shared out, and what happens where it does not suffice. */
export interface PoolLimits {
  /** How long one waits for a connection. */
  readonly waitMs: number;
  /** So many wait at most; whoever comes then is refused at once. */
  readonly queueLimit: number;
  /** Of a command none is needed: nothing else waits. */
  readonly watch?: ConnectionWatch | undefined;
}

export interface ServicePoolConfig extends PoolConfig {
  readonly limits: PoolLimits;
  readonly connectMs: number;
  /** How long PostgreSQL lets a statement run; where it is not given, as long as it likes. */
  readonly statementMs?: number;
}

/** Shorter than anybody waits: after a fault the next attempt is to come soon. */
const CONNECT_MS = 4_000;
/** After that PostgreSQL's machine is asked whether it is still there. */
const KEEP_ALIVE_MS = 10_000;

/** What all pools of the service have in common. */
export function poolConfig(url: string, limits: PoolLimits): ServicePoolConfig {
  return {
    Client: GuardedClient,
    connectionString: url,
    connectionTimeoutMillis: limits.waitMs,
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

/** A pool for which only so many wait, and of which no connection waits for ever. */
export class ServicePool extends Pool {
  private readonly queueLimit: number;

  constructor(config: ServicePoolConfig) {
    super(config);
    const { queueLimit, watch } = config.limits;
    const { statementMs } = config;
    this.queueLimit = queueLimit;
    this.on('connect', (client) => watch?.add(client as unknown as GuardedClient, statementMs));
    // An idle connection that breaks is replaced; without a listener it would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    if (this.waitingCount >= this.queueLimit) return refuse(callback);
    // Where a connection is idle nobody waits.
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

function refuse(callback?: ConnectCallback): Promise<PoolClient> | undefined {
  const error = new QueueFullError();
  if (!callback) return Promise.reject(error);
  callback(error, undefined, () => undefined);
  return undefined;
}
