import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Logger } from '../logging/logger';

/** Maximum time that a request waits for a response. */
export const LATE_MS = 50;
/**
 * After this time without a response Redis counts as unavailable. On a busy machine a response may
 * take a while.
 */
const AWAY_MS = 250;
/** Interval of the probes while Redis is unavailable. */
const PROBE_MS = 500;
/** Time without an expected response after which the connection is replaced. */
const SILENT_MS = 2_000;
const MAX_RECONNECT_MS = 500;

/**
 * Connection to Redis, which may be unavailable at any time. Commands are neither queued nor sent
 * twice. While Redis is unavailable only a probe is sent, which no request waits for.
 */
export class RedisLink implements OnModuleInit, OnApplicationShutdown {
  readonly client: Redis;
  private isResponding = false;
  /** Whether the log has reported that Redis is unavailable. */
  private isMissed = false;
  private isClosed = false;
  private probeTimer: NodeJS.Timeout | undefined;
  /**
   * Number of pending commands, and the time since which no response has arrived, in milliseconds
   * of `performance.now`.
   */
  private owed = 0;
  private owedSinceMs = 0;

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    this.client = new Redis(url, {
      lazyConnect: true,
      connectTimeout: SILENT_MS,
      socketTimeout: SILENT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_MS),
    });
    this.client.on('error', (error: Error) => {
      this.miss(error);
    });
    this.client.on('ready', () => void this.probe());
    this.client.on('close', () => {
      this.miss(new Error('The connection was closed.'));
    });
  }

  /** Whether Redis responded to the last command. */
  get isThere(): boolean {
    return this.isResponding;
  }

  /** Whether commands are pending and no response has arrived for more than 50 ms. */
  get isLate(): boolean {
    return this.owed > 0 && performance.now() - this.owedSinceMs > LATE_MS;
  }

  /** Starts to connect without waiting: the service also starts without Redis. */
  onModuleInit(): void {
    this.client.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.probeTimer);
    this.client.disconnect();
  }

  /**
   * Sends a command and returns the response.
   * @throws Error immediately if Redis is unavailable, or after 250 ms without a response. In the
   *   second case Redis may or may not have executed the command.
   */
  async ask<T>(send: () => Promise<T>): Promise<T> {
    if (!this.isResponding) throw new Error('Redis is unavailable.');
    return this.responseOf(send);
  }

  private async responseOf<T>(send: () => Promise<T>): Promise<T> {
    if (this.owed === 0) this.owedSinceMs = performance.now();
    this.owed += 1;
    let endWait = (): void => undefined;
    const isGone = new Promise<never>((_, reject) => {
      endWait = afterReading(AWAY_MS, () => {
        reject(new Error(`There was no response within ${String(AWAY_MS)} ms.`));
      });
    });
    try {
      return await Promise.race([send(), isGone]);
    } catch (error) {
      this.miss(error as Error);
      throw error;
    } finally {
      endWait();
      this.owed -= 1;
      this.owedSinceMs = performance.now();
    }
  }

  /**
   * Probes Redis with a write, because a Redis that is full or a read-only replica is of no use
   * either.
   */
  private async probe(): Promise<void> {
    clearTimeout(this.probeTimer);
    if (this.isClosed) return;
    try {
      await this.responseOf(() => this.client.set('datagrid:probe', '1', 'EX', 60));
      clearTimeout(this.probeTimer);
      this.isResponding = true;
      if (this.isMissed) this.logger.pino.info('redis available, using shared limits');
      this.isMissed = false;
    } catch {
      // `miss` has recorded the failure and schedules the next probe.
    }
  }

  private miss({ message }: Error): void {
    this.isResponding = false;
    if (this.isClosed) return;
    clearTimeout(this.probeTimer);
    this.probeTimer = setTimeout(() => {
      if (this.client.status === 'ready') void this.probe();
    }, PROBE_MS).unref();
    if (this.isMissed) return;
    this.isMissed = true;
    // Do not log the error itself: its properties may contain the password.
    this.logger.pino.warn({ reason: message }, 'redis unavailable, using per-instance limits');
  }
}

/**
 * Calls `work` after `waitMs` milliseconds, unless the returned function is called first. If this
 * process itself was delayed, it first reads the data that has arrived in the meantime.
 */
export function afterReading(waitMs: number, work: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(work);
  }, waitMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
