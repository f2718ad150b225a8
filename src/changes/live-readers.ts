import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { AppError } from '../common/error/app-error';
import type { Permission } from '../common/permission/permission';
import { AppConfig } from '../platform/config/app-config';
import type { AccountSemaphore, Release } from '../platform/fairness/account-semaphore';
import { semaphoreOf } from '../platform/fairness/limit';
import { LIMITS } from '../platform/fairness/limits';
import { Metrics } from '../platform/metrics/metrics';
import { StreamWatch, type WatchedStream } from '../rows/stream/stream-watch';

/** What a reader does for its client. */
export interface LiveClient {
  /**
   * Ends it. Called on shutdown, and when its caller has lost the permission.
   * @param reason Error to respond with, if nothing was sent. Missing on shutdown.
   */
  end(reason?: AppError): void;
}

/** A reader that waits for changes or receives them as a stream. */
export class LiveReader {
  constructor(
    private readonly readers: LiveReaders,
    private readonly watched: WatchedStream,
    readonly client: LiveClient,
    private readonly releasePermit: Release,
  ) {}

  /** Requires that the caller still has the permission. @throws as `WatchedStream.check` */
  check(): Promise<void> {
    return this.watched.check();
  }

  /** Ends the reader. Calling it again has no effect. */
  release(): void {
    this.readers.remove(this);
    this.watched.stop();
    this.releasePermit();
  }
}

/**
 * Limits the readers that wait for changes, in total and per account. They are not counted as
 * requests in progress while they wait, and use no database connection.
 */
@Injectable()
export class LiveReaders implements OnModuleDestroy {
  private readonly permits: AccountSemaphore;
  private readonly streams: AccountSemaphore;
  private readonly waiting = new Set<LiveReader>();
  private isStopping = false;

  constructor(
    config: AppConfig,
    private readonly watch: StreamWatch,
    metrics: Metrics,
  ) {
    this.permits = semaphoreOf(LIMITS.changeReaders, config);
    this.streams = semaphoreOf(LIMITS.changeStreams, config);
    metrics.gauge('change_readers', 'Clients that wait for changes.', () => this.count);
  }

  /** Number of readers. */
  get count(): number {
    return this.waiting.size;
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    for (const { client } of this.waiting) client.end();
  }

  /**
   * Starts a reader.
   * @param permission Permission that the caller must keep.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if there are
   *   too many.
   */
  start(caller: Caller, permission: Permission, client: LiveClient): LiveReader {
    return this.startWith(this.permits, caller, permission, client);
  }

  /** Starts a reader of the whole log as one stream. It never waits. @throws as `start` */
  startStream(caller: Caller, permission: Permission, client: LiveClient): LiveReader {
    return this.startWith(this.streams, caller, permission, client);
  }

  private startWith(
    permits: AccountSemaphore,
    caller: Caller,
    permission: Permission,
    client: LiveClient,
  ): LiveReader {
    const releasePermit = permits.acquireNow(caller.accountId);
    const watched = this.watch.startWaiting({ caller, permission }, (reason) => {
      client.end(reason);
    });
    const reader = new LiveReader(this, watched, client, releasePermit);
    this.waiting.add(reader);
    if (this.isStopping) {
      // The client has not received its reader yet.
      queueMicrotask(() => {
        client.end();
      });
    }
    return reader;
  }

  /** Called by a reader that ends. */
  remove(reader: LiveReader): void {
    this.waiting.delete(reader);
  }
}
