import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Logger } from '../logging/logger';

/** What an answer may take: with a longer one Redis counts as away. */
const MOST_ANSWER_MS = 50;
/** While it is away it is asked that often whether it still is. */
const PROBE_MS = 500;
/** A connection on which nothing comes for so long, though it should, is given up for a new one. */
const SILENT_MS = 2_000;
const MOST_RECONNECT_MS = 500;

/**
 * The connection to Redis, which may be away at any time: nothing queues for it, nothing is sent
 * twice, and while it is away nothing is sent at all, but for a probe that nobody waits for.
 */
export class RedisLink implements OnModuleInit, OnApplicationShutdown {
  readonly client: Redis;
  private isAnswering = false;
  /** Whether the log has it that Redis is away. */
  private isMissed = false;
  private isClosed = false;
  private probeTimer: NodeJS.Timeout | undefined;

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
      retryStrategy: (times) => Math.min(times * 50, MOST_RECONNECT_MS),
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
   * @throws Error at once where it is away, and else after 50 ms without an answer; then it may or
   *   may not have done what it was asked.
   */
  async ask<T>(send: () => Promise<T>): Promise<T> {
    if (!this.isAnswering) throw new Error('Redis is away.');
    return this.answerOf(send);
  }

  private async answerOf<T>(send: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // Where it is this process that was late, the answer has come by now and is read first.
        setImmediate(reject, new Error(`There was no answer within ${String(MOST_ANSWER_MS)} ms.`));
      }, MOST_ANSWER_MS);
    });
    try {
      return await Promise.race([send(), isLate]);
    } catch (error) {
      this.miss(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
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
      if (this.isMissed) this.logger.pino.info('Redis is back: limits hold across replicas');
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
    this.logger.pino.warn({ reason: message }, 'Redis is away: limits go on per replica');
  }
}
