import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CallerService } from '../auth/caller.service';
import type { Caller } from '../common/caller/app-request';
import type { Permission } from '../common/permission/permission';
import { AppConfig } from '../platform/config/app-config';
import {
  AccountSemaphore,
  accountShare,
  type Release,
  type SemaphoreMessages,
} from '../platform/fairness/account-semaphore';
import { Metrics } from '../platform/metrics/metrics';

/** Time for which a check of a caller is valid, for all of their streams. */
const CHECK_TTL_MS = 3_000;

/** Streams of lines for each export that may read from PostgreSQL. Each reads one page at a time. */
const STREAMS_PER_EXPORT = 4;

/** What a reader does for its client. */
export interface LiveClient {
  /** Ends it. Called on shutdown. */
  end(): void;
}

/** A reader that waits for changes or receives them as a stream. */
export class LiveReader {
  private readonly checkKey: string;

  constructor(
    private readonly readers: LiveReaders,
    private readonly caller: Caller,
    private readonly permission: Permission,
    readonly client: LiveClient,
    private readonly releasePermit: Release,
  ) {
    const { workspaceId, datagridId } = caller.target ?? {};
    const target = datagridId ?? workspaceId ?? '';
    this.checkKey = `${permission} ${caller.keyId ?? caller.sessionId ?? ''} ${target}`;
  }

  /** Requires that the caller still has the permission. @throws AppError as `requireStill` */
  check(): Promise<void> {
    return this.readers.check(this.checkKey, this.caller, this.permission);
  }

  /** Ends the reader. Calling it again has no effect. */
  release(): void {
    this.readers.remove(this, this.checkKey);
    this.releasePermit();
  }
}

interface Check {
  readonly atMs: number;
  readonly result: Promise<void>;
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
  private readonly checks = new Map<string, Check>();
  private isStopping = false;

  constructor(
    { maxLiveReaders, maxConcurrentExports }: AppConfig,
    private readonly callers: CallerService,
    metrics: Metrics,
  ) {
    this.permits = semaphore(maxLiveReaders, {
      full: 'Too many clients are waiting for changes. Retry later.',
      accountFull: 'Too many clients of this account are waiting for changes. Retry later.',
    });
    this.streams = semaphore(maxConcurrentExports * STREAMS_PER_EXPORT, {
      full: 'Too many streams of changes are being read. Retry later.',
      accountFull: 'This account is reading too many streams of changes. Retry later.',
    });
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
    const releasePermit = permits.tryAcquire(caller.accountId);
    if (!releasePermit) throw permits.rejection(caller.accountId);
    const reader = new LiveReader(this, caller, permission, client, releasePermit);
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
  remove(reader: LiveReader, checkKey: string): void {
    if (this.waiting.delete(reader)) this.checks.delete(checkKey);
  }

  /** Checks a caller, at most once in CHECK_TTL_MS for all of their readers. */
  check(key: string, caller: Caller, permission: Permission): Promise<void> {
    const known = this.checks.get(key);
    const nowMs = performance.now();
    if (known && nowMs - known.atMs < CHECK_TTL_MS) return known.result;
    const result = this.callers.requireStill(caller, permission);
    this.checks.set(key, { atMs: nowMs, result });
    return result;
  }
}

function semaphore(total: number, messages: SemaphoreMessages): AccountSemaphore {
  const perAccount = accountShare(total);
  return new AccountSemaphore(
    { total, perAccount, maxWaiting: 0, maxWaitingPerAccount: 0 },
    messages,
  );
}
