import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { AppError, type ErrorCode, notFound, unavailable } from '../../common/error/app-error';
import type { Permission } from '../../common/permission/permission';
import { RowVersionRepository } from '../storage/row-version.repository';

/** Interval of the checks of streams that are in progress, and time for which a check is valid. */
const CHECK_MS = 3_000;
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
   * Requires that the caller still has the permission. Uses a check of the last CHECK_MS if there is
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
  private readonly streams = new Set<WatchedStream>();
  private checkedAtMs = -Infinity;
  private result = Promise.resolve();
  /** Time at which the caller certainly had the permission. */
  private knownAtMs = 0;
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
    this.streams.add(stream);
    // Its request has just been authorized.
    this.knownAtMs = performance.now();
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
    return performance.now() - this.checkedAtMs < CHECK_MS ? this.result : this.checkNow();
  }

  private checkNow(): Promise<void> {
    this.checkedAtMs = performance.now();
    this.result = this.requireStill();
    return this.result;
  }

  private schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.endLost(), CHECK_MS).unref();
  }

  /** Checks the claim, ends the streams if it is lost, and schedules the next check. */
  private async endLost(): Promise<void> {
    const streams = [...this.streams].filter(({ end }) => end !== undefined);
    const loss = streams.length === 0 ? null : await this.findLoss();
    if (loss) for (const stream of streams) if (this.remove(stream)) stream.end?.(loss);
    const hasMore = [...this.streams].some(({ end }) => end !== undefined);
    this.timer = hasMore ? this.schedule() : undefined;
  }

  private async findLoss(): Promise<AppError | null> {
    try {
      await this.checkNow();
      this.knownAtMs = performance.now();
      return null;
    } catch (error) {
      if (error instanceof AppError && LOSSES.has(error.code)) return error;
      const unknownMs = performance.now() - this.knownAtMs;
      return unknownMs > MAX_UNKNOWN_MS ? permissionUnknown(error) : null;
    }
  }
}

function permissionUnknown(cause: unknown): AppError {
  return unavailable('The permission for this request could not be checked. Retry later.', cause);
}
