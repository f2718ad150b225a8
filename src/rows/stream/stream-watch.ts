import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type CallerChange, changesOf } from '../../auth/api-key/caller-cache';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { AppError, type ErrorCode, notFound, unavailable } from '../../common/error/app-error';
import type { Permission } from '../../common/permission/permission';
import { ChangeListener } from '../../platform/database/change-listener';
import { RowVersionRepository } from '../storage/row-version.repository';

/** Interval of the checks of streams that are in progress, and time for which a check is valid. */
const CHECK_INTERVAL_MS = 3_000;
/** Time that a stream continues while the database does not respond. */
const MAX_UNKNOWN_MS = 30_000;
/** Checks at a time after a change: if anything may have changed, there are as many as streams. */
const MAX_CONCURRENT_CHECKS = 8;
/** Time for which a change is remembered: longer than a request waits between its guards and its stream. */
const REMEMBER_MS = 10_000;
const MAX_REMEMBERED = 10_000;

/**
 * Errors that mean that the caller has lost the permission. Any other error says nothing about it:
 * the database may be unavailable.
 */
const LOSSES: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'account_suspended',
  'forbidden',
  'not_found',
]);

type StreamEnd = (reason: AppError) => void;

/** Authorization of a stream: the caller and the permission. */
export interface StreamClaim {
  readonly caller: Caller;
  readonly permission: Permission;
  /** Datagrid that must still exist. Feeds have none: they find out when they read. */
  readonly datagridId?: string;
}

/**
 * Checks the authorization of streams again. A request is authorized once, when it starts, but a
 * stream may last for an hour, in which the key or session ends, the user or account is suspended,
 * the role no longer allows the stream, or the datagrid is deleted.
 *
 * A notification of PostgreSQL says that a key, a session, a user or an account has changed. Its streams are then
 * checked at once. As no notification tells of an expiry or a deleted datagrid, and as none arrives while the
 * connection is broken, a stream that transfers data all the time, such as an import or an export, is also checked
 * every 3 seconds, and a stream that waits, such as a feed, before it sends something. Streams with the same claim
 * share their checks.
 */
@Injectable()
export class StreamWatch {
  private readonly claims = new Map<string, WatchedClaim>();
  /** Changes of which a stream that starts now may not know, because its caller was found before. */
  private readonly recent = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS });

  constructor(
    private readonly callers: CallerService,
    private readonly versions: RowVersionRepository,
  ) {}

  /**
   * Starts to watch a stream that transfers data all the time.
   * @param end Called once, with the error to respond with, when the permission is lost or could
   *   not be checked for MAX_UNKNOWN_MS.
   */
  start(claim: StreamClaim, end: StreamEnd): WatchedStream {
    return this.add(claim, end, true);
  }

  /**
   * Starts to watch a stream that waits. It calls `check` before it sends something.
   * @param end Called at most once, with the error to respond with, if a change has taken the permission.
   */
  startWaiting(claim: StreamClaim, end: StreamEnd): WatchedStream {
    return this.add(claim, end, false);
  }

  private add(claim: StreamClaim, end: StreamEnd, isTransfer: boolean): WatchedStream {
    this.callers.onChange(this.handleChange);
    const key = keyOf(claim);
    let watched = this.claims.get(key);
    if (!watched) {
      watched = new WatchedClaim(
        changesOf(claim.caller),
        () => this.requireStill(claim),
        () => (this.callers.hearsChanges ? CHECK_INTERVAL_MS : ChangeListener.timing.maxAgeMs),
        () => this.claims.delete(key),
      );
      this.claims.set(key, watched);
    }
    const stream = new WatchedStream(watched, end, isTransfer);
    watched.add(stream);
    if (watched.changes.some((change = '') => this.recent.has(change))) {
      watched.forgetCheck();
      void watched.endLost();
    }
    return stream;
  }

  private readonly handleChange = (change: CallerChange): void => {
    this.recent.set(change ?? '', true);
    const claims = [...this.claims.values()].filter(({ changes }) => changes.includes(change));
    // From now on, nobody relies on an earlier check.
    for (const claim of claims) claim.forgetCheck();
    void endLost(claims);
  };

  private async requireStill({ caller, permission, datagridId }: StreamClaim): Promise<void> {
    await this.callers.requireStill(caller, permission);
    if (datagridId === undefined) return;
    if (!(await this.versions.find(caller.accountId, datagridId))) throw notFound();
  }
}

async function endLost(claims: readonly WatchedClaim[]): Promise<void> {
  for (let at = 0; at < claims.length; at += MAX_CONCURRENT_CHECKS) {
    await Promise.all(claims.slice(at, at + MAX_CONCURRENT_CHECKS).map((claim) => claim.endLost()));
  }
}

/** Returns a key that two claims have in common only if one check is enough for both. */
function keyOf({ caller, permission, datagridId = '' }: StreamClaim): string {
  const { keyId, sessionId, target } = caller;
  const place = `${target?.workspaceId ?? ''} ${target?.datagridId ?? ''}`;
  return `${permission} ${keyId ?? sessionId ?? ''} ${place} ${datagridId}`;
}

/** A stream whose authorization is checked again. */
export class WatchedStream {
  constructor(
    private readonly claim: WatchedClaim,
    readonly end: StreamEnd,
    readonly isTransfer: boolean,
  ) {}

  /**
   * Requires that the caller still has the permission. Uses an earlier check if it is valid,
   * also of another stream with the same claim.
   * @throws AppError as `CallerService.requireStill`, and `not_found` if the datagrid is deleted.
   */
  check(): Promise<void> {
    return this.claim.check();
  }

  /** Stops the watch. Calling it again has no effect. */
  stop(): void {
    this.claim.remove(this);
  }
}

/** Checks a claim for all streams that have it. */
class WatchedClaim {
  /** Streams with the times at which they were authorized. */
  private readonly streams = new Map<WatchedStream, number>();
  private checkedAtMs = -Infinity;
  private result = Promise.resolve();
  /** Time of the last successful check. */
  private authorizedAtMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param changes Changes that may take the permission.
   * @param requireStill Throws if the caller has lost the permission.
   * @param validMs Returns the time for which a check is valid.
   * @param forget Called when no stream has the claim any more.
   */
  constructor(
    readonly changes: readonly CallerChange[],
    private readonly requireStill: () => Promise<void>,
    private readonly validMs: () => number,
    private readonly forget: () => void,
  ) {}

  add(stream: WatchedStream): void {
    this.streams.set(stream, performance.now());
    if (stream.isTransfer) this.timer ??= this.schedule();
  }

  /** @returns whether the stream had the claim. */
  remove(stream: WatchedStream): boolean {
    if (!this.streams.delete(stream)) return false;
    if (this.streams.size === 0) {
      clearTimeout(this.timer);
      this.forget();
    }
    return true;
  }

  check(): Promise<void> {
    return performance.now() - this.checkedAtMs < this.validMs() ? this.result : this.checkNow();
  }

  /** Lets the next stream check again. */
  forgetCheck(): void {
    this.checkedAtMs = -Infinity;
  }

  private checkNow(): Promise<void> {
    this.checkedAtMs = performance.now();
    this.result = this.requireStill();
    this.result.catch((error: unknown) => {
      // Another failure says nothing about the permission: the next stream checks again.
      if (!isLoss(error)) this.forgetCheck();
    });
    return this.result;
  }

  private schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.poll(), CHECK_INTERVAL_MS).unref();
  }

  private async poll(): Promise<void> {
    await this.endLost();
    const isPolled = [...this.streams.keys()].some(({ isTransfer }) => isTransfer);
    this.timer = isPolled ? this.schedule() : undefined;
  }

  /** Checks the claim, and ends its streams if it is lost. */
  async endLost(): Promise<void> {
    const streams = [...this.streams];
    const error = streams.length === 0 ? null : await this.findError();
    for (const [stream, startedAtMs] of error === null ? [] : streams) {
      const unknownMs = performance.now() - Math.max(startedAtMs, this.authorizedAtMs);
      const isOverdue = stream.isTransfer && unknownMs > MAX_UNKNOWN_MS;
      if (!isLoss(error) && !isOverdue) continue;
      if (this.remove(stream)) stream.end(isLoss(error) ? error : permissionUnknown(error));
    }
  }

  /** @returns why a check failed; `null` if the caller still has the permission. */
  private async findError(): Promise<unknown> {
    try {
      await this.checkNow();
      this.authorizedAtMs = performance.now();
      return null;
    } catch (error) {
      return error;
    }
  }
}

function isLoss(error: unknown): error is AppError {
  return error instanceof AppError && LOSSES.has(error.code);
}

function permissionUnknown(cause: unknown): AppError {
  return unavailable('The permission for this request could not be checked. Retry later.', cause);
}
