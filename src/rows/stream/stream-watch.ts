import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { AppError, type ErrorCode, notFound, unavailable } from '../../common/error/app-error';
import type { Permission } from '../../common/permission/permission';
import {
  AccountSemaphore,
  accountShare,
  type Release,
  type SemaphoreMessages,
} from '../../platform/fairness/account-semaphore';
import type { AccountActivity } from '../../platform/fairness/account-activity';
import { RowVersionRepository } from '../storage/row-version.repository';

const LOOK_EVERY_MS = 3_000;
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

/** Authorization of a stream: the caller, the permission and the datagrid. */
export interface StreamClaim {
  readonly caller: Caller;
  readonly permission: Permission;
  readonly datagridId: string;
}

/**
 * Ends streams whose caller loses the permission: the key or session ends, the user or account is
 * suspended, the role no longer allows the stream, or the datagrid is deleted. A request is
 * authorized once, when it starts, but a stream may last for an hour. So its authorization is
 * checked again every 3 seconds.
 */
@Injectable()
export class StreamWatch {
  constructor(
    private readonly callers: CallerService,
    private readonly versions: RowVersionRepository,
  ) {}

  /**
   * Starts to watch a stream.
   * @param end Called once, with the error to respond with, when the permission is lost or could
   *   not be checked for MAX_UNKNOWN_MS.
   * @returns a function that stops the watch.
   */
  start(claim: StreamClaim, end: (reason: AppError) => void): () => void {
    let isStopped = false;
    let knownAtMs = performance.now();
    let timer: NodeJS.Timeout;
    const look = async (): Promise<void> => {
      const lost = await this.findLoss(claim);
      if (isStopped) return;
      if (lost === null) knownAtMs = performance.now();
      if (lost instanceof AppError && LOSSES.has(lost.code)) end(lost);
      else if (performance.now() - knownAtMs > MAX_UNKNOWN_MS) end(unknown(lost));
      else timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    };
    timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  /**
   * Checks the permission again.
   * @returns `null` if the caller still has it; otherwise the error that says why not, or why the
   *   check failed.
   */
  private async findLoss({ caller, permission, datagridId }: StreamClaim): Promise<unknown> {
    try {
      await this.callers.requireStill(caller, permission);
      return (await this.versions.find(caller.accountId, datagridId)) ? null : notFound();
    } catch (error) {
      return error;
    }
  }
}

function unknown(cause: unknown): AppError {
  return unavailable('The permission for this request could not be checked. Retry later.', cause);
}

/** Time that a stream waits for a permit before it is rejected. */
const WAIT_MS = 5_000;
/** Number of streams that may wait for each stream in progress. */
const WAITING_PER_PLACE = 4;

/** Limits the number of streams in progress in an instance, in total and per account. */
export class StreamPermits {
  private readonly permits: AccountSemaphore;

  /** @param messages Public texts of the 503 and the 429. */
  constructor(activity: AccountActivity, total: number, messages: SemaphoreMessages) {
    const maxWaiting = total * WAITING_PER_PLACE;
    const perAccount = accountShare(total);
    const maxWaitingPerAccount = accountShare(maxWaiting);
    const bounds = { total, perAccount, maxWaiting, maxWaitingPerAccount };
    this.permits = new AccountSemaphore(bounds, messages, { activity });
  }

  /**
   * Waits for a permit, up to WAIT_MS.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if all permits
   *   are taken.
   */
  async acquire(accountId: string): Promise<Release> {
    return this.permits.acquire(accountId, WAIT_MS);
  }
}
