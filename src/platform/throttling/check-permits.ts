import { AppError } from '../../common/error/app-error';
import type { AppConfig } from '../config/app-config';
import type { AccountSemaphore, Release } from '../fairness/account-semaphore';
import { type Limit, semaphoreOf } from '../fairness/limit';
import type { RateCounter } from './rate-counter';
import type { RateCounters } from './rate-counters';

/** A limit with a rate limit for each account. */
type RatedLimit = Limit & Required<Pick<Limit, 'rate'>>;

/**
 * Limits calls to addresses that users choose: tests of destinations, previews and test events. Without a
 * limit, an account could scan ports, flood servers or try passwords. If callers may wait, accounts take
 * turns.
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
