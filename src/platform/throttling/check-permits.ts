import { AppError } from '../../common/error/app-error';
import type { AppConfig } from '../config/app-config';
import type { AccountSemaphore, Release } from '../fairness/account-semaphore';
import { type Limit, semaphoreOf } from '../fairness/limit';
import type { RateCounter } from './rate-counter';
import type { RateCounters } from './rate-counters';

/** A limit with a rate limit for each account. */
type RatedLimit = Limit & Required<Pick<Limit, 'rate'>>;

/**
 * Permits of checks that connect to what users chose, such as tests of destinations. Without a limit,
 * they could scan ports of others, flood them with requests, or try passwords. Accounts that wait for a
 * permit take turns, so that slow checks of some do not keep all permits.
 */
export class CheckPermits {
  private readonly checks: AccountSemaphore;
  private readonly rate: RateCounter;
  private readonly tooMany: string;

  constructor(limit: RatedLimit, config: AppConfig, counters: RateCounters) {
    const { policy, setting, windowSeconds, tooMany } = limit.rate;
    this.checks = semaphoreOf(limit, config);
    this.rate = counters.create(policy, config[setting], windowSeconds);
    this.tooMany = tooMany;
  }

  /**
   * Waits for a permit, if the limit lets callers wait.
   * @throws AppError `rate_limited` or `unavailable`
   */
  async acquire(accountId: string): Promise<Release> {
    const { allowed, resetSeconds } = await this.rate.hit(accountId);
    if (!allowed) {
      throw new AppError('rate_limited', this.tooMany, {
        headers: { 'Retry-After': String(resetSeconds) },
      });
    }
    return this.checks.acquire(accountId);
  }
}
