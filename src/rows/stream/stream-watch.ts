import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { AppError, type ErrorCode, notFound, unavailable } from '../../common/error/app-error';
import type { Permission } from '../../common/permission/permission';
import { RowVersionRepository } from '../storage/row-version.repository';

/** Interval of the checks of streams that are in progress, and time for which a check is valid. */
const CHECK_INTERVAL_MS = 3_000;
/** Time that a stream continues while the database does not respond. */
const MAX_UNKNOWN_MS = 30_000;

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
 * A stream that transfers data all the time, such as an import or an export, is checked every 3
 * seconds. A stream that waits, such as a feed, is checked before it sends something. Streams with
 * the same claim share their checks.
 */
@Injectable()
export class StreamWatch {
  private readonly claims = new Map<string, WatchedClaim>();

  constructor(
    private readonly callers: CallerService,
    private readonly versions: RowVersionRepository,
  ) {}

  /**
   * Starts to watch a stream.
   * @param end Called once, with the error to respond with, when the permission is lost or could
   *   not be checked for MAX_UNKNOWN_MS. If missing, only `check` checks the stream.
   */
  start(claim: StreamClaim, end?: (reason: AppError) => void): WatchedStream {
    const key = keyOf(claim);
    let watched = this.claims.get(key);
    if (!watched) {
      watched = new WatchedClaim(
        () => this.requireStill(claim),
        () => this.claims.delete(key),
      );
      this.claims.set(key, watched);
    }
    const stream = new WatchedStream(watched, end);
    watched.add(stream);
    return stream;
  }

  private async requireStill({ caller, permission, datagridId }: StreamClaim): Promise<void> {
    await this.callers.requireStill(caller, permission);
    if (datagridId === undefined) return;
    if (!(await this.versions.find(caller.accountId, datagridId))) throw notFound();
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
    readonly end?: (reason: AppError) => void,
  ) {}

  /**
   * Requires that the caller still has the permission. Uses a check of the last CHECK_INTERVAL_MS if there is
   * one, also of another stream with the same claim.
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
   * @param requireStill Throws if the caller has lost the permission.
   * @param forget Called when no stream has the claim any more.
   */
  constructor(
    private readonly requireStill: () => Promise<void>,
    private readonly forget: () => void,
  ) {}

  add(stream: WatchedStream): void {
    this.streams.set(stream, performance.now());
    if (stream.end) this.timer ??= this.schedule();
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
    return performance.now() - this.checkedAtMs < CHECK_INTERVAL_MS ? this.result : this.checkNow();
  }

  private checkNow(): Promise<void> {
    this.checkedAtMs = performance.now();
    this.result = this.requireStill();
    this.result.catch((error: unknown) => {
      // Another failure says nothing about the permission: the next stream checks again.
      if (!isLoss(error)) this.checkedAtMs = -Infinity;
    });
    return this.result;
  }

  private schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.endLost(), CHECK_INTERVAL_MS).unref();
  }

  /** Checks the claim, ends the streams if it is lost, and schedules the next check. */
  private async endLost(): Promise<void> {
    const isWatched = ({ end }: WatchedStream): boolean => end !== undefined;
    const streams = [...this.streams].filter(([stream]) => isWatched(stream));
    const error = streams.length === 0 ? null : await this.findError();
    for (const [stream, startedAtMs] of error === null ? [] : streams) {
      const unknownMs = performance.now() - Math.max(startedAtMs, this.authorizedAtMs);
      const reason = isLoss(error) ? error : permissionUnknown(error);
      if (reason !== error && unknownMs <= MAX_UNKNOWN_MS) continue;
      if (this.remove(stream)) stream.end?.(reason);
    }
    this.timer = [...this.streams.keys()].some(isWatched) ? this.schedule() : undefined;
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
