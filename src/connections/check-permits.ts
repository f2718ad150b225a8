import { AppError } from '../common/error/app-error';
import { AccountSemaphore, type Release } from '../platform/fairness/account-semaphore';
import type { AccountActivity } from '../platform/fairness/account-activity';
import type { RateCounter } from '../platform/throttling/rate-counter';

/** Maximum number of checks in progress and waiting, in one instance and for one account. */
const CHECKS = { total: 8, perAccount: 2, maxWaiting: 64, maxWaitingPerAccount: 2 };

/** Limits and public error messages of a sort of checks. */
export interface CheckOptions {
  /** Maximum time of a check, after which its permit is free. */
  readonly maxMs: number;
  /** 503: too many accounts wait. */
  readonly full: string;
  /** 429: the account has used its share. */
  readonly accountFull: string;
  /** 429: the account has made too many in a minute. */
  readonly tooMany: string;
}

/**
 * Permits of checks that connect to what users chose, such as tests of destinations. Without a limit,
 * they could scan ports of others or try passwords. Accounts that wait for a permit take turns, so that
 * slow checks of some do not keep all permits.
 */
export class CheckPermits {
  private readonly checks: AccountSemaphore;

  /** @param rate Counts the checks of each account. */
  constructor(
    activity: AccountActivity,
    private readonly rate: RateCounter,
    private readonly options: CheckOptions,
  ) {
    this.checks = new AccountSemaphore(CHECKS, options, { activity });
  }

  /** Waits for a permit, for as long as a check can take. @throws AppError `rate_limited`, `unavailable` */
  async acquire(accountId: string): Promise<Release> {
    const { allowed, resetSeconds } = await this.rate.hit(accountId);
    if (!allowed) {
      throw new AppError('rate_limited', this.options.tooMany, {
        headers: { 'Retry-After': String(resetSeconds) },
      });
    }
    return this.checks.acquire(accountId, this.options.maxMs);
  }
}
