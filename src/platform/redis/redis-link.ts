import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Logger } from '../logging/logger';

/** Nobody waits longer for an answer. */
export const LATE_MS = 50;
/** Without an answer for so long Redis counts as away; on a busy machine it may take some time. */
const AWAY_MS = 250;
/** While it is away it is asked that often whether it still is. */
const PROBE_MS = 500;
/** A connection on which nothing comes for so long, though it should, is given up for a new one. */
const SILENT_MS = 2_000;
const MAX_RECONNECT_MS = 500;

/**
 * The connection to Redis, which may be away at any time: nothing queues for it, nothing is sent
 * twice, and while it is away nothing is sent at all, but for a probe that nobody waits for.
 */
export class RedisLink implements OnModuleInit, OnApplicationShutdown {
  readonly client: Redis;
  private isAnswering = false;
  /** Whether the log has it that Redis is unavailable. */
  private isMissed = false;
  private isClosed = false;
  private probeTimer: NodeJS.Timeout | undefined;
  /** What was asked and is not answered yet, and since when there was no answer at all. */
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

  /** Whether Redis answered when it was asked last. */
  get isThere(): boolean {
    return this.isAnswering;
  }

  /** Whether it owes an answer for longer than anybody waits. */
  get isLate(): boolean {
    return this.owed > 0 && performance.now() - this.owedSinceMs > LATE_MS;
  }

  /** Waits for nothing: the service starts without Redis, too. */
  onModuleInit(): void {
    this.client.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.probeTimer);
    this.client.disconnect();
  }

  /**
   * What Redis answers.
   * @throws Error at once where it is away, and else after 250 ms without an answer; then it may or
   *   may not have done what it was asked.
   */
  async ask<T>(send: () => Promise<T>): Promise<T> {
    if (!this.isAnswering) throw new Error('Redis is unavailable.');
    return this.answerOf(send);
  }

  private async answerOf<T>(send: () => Promise<T>): Promise<T> {
    if (this.owed === 0) this.owedSinceMs = performance.now();
    this.owed += 1;
    let endWait = (): void => undefined;
    const isGone = new Promise<never>((_, reject) => {
      endWait = afterReading(AWAY_MS, () => {
        reject(new Error(`There was no answer within ${String(AWAY_MS)} ms.`));
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

  /** A write: a Redis that is full, or a copy of another, is of no use either. */
  private async probe(): Promise<void> {
    clearTimeout(this.probeTimer);
    if (this.isClosed) return;
    try {
      await this.answerOf(() => this.client.set('datagrid:probe', '1', 'EX', 60));
      clearTimeout(this.probeTimer);
      this.isAnswering = true;
      if (this.isMissed) this.logger.pino.info('redis available, using shared limits');
      this.isMissed = false;
    } catch {
      // `miss` has taken note, and asks again.
    }
  }

  private miss({ message }: Error): void {
    this.isAnswering = false;
    if (this.isClosed) return;
    clearTimeout(this.probeTimer);
    this.probeTimer = setTimeout(() => {
      if (this.client.status === 'ready') void this.probe();
    }, PROBE_MS).unref();
    if (this.isMissed) return;
    this.isMissed = true;
    // Not the error itself: what is attached to it may hold the password.
    this.logger.pino.warn({ reason: message }, 'redis unavailable, using per-instance limits');
  }
}

/**
 * Calls `work` after a time, unless the function that it gives is called before. Where it is this
 * process that was late, what has come meanwhile is read first.
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
