import type { Response } from 'express';
import { AppError } from '../../common/error/app-error';
import { addressGroup } from './address-group';
import type { RateCounter } from './rate-counter';
import { setRateLimitHeaders } from './rate-limit-headers';
import type { LimitName, ThrottlingMetrics } from './throttling-metrics';

/** How a limit appears to clients and in the metrics. */
export interface AddressPolicy {
  readonly name: LimitName;
  /**
   * Whether successful responses show the remaining requests. Not for files, because caches store
   * their headers.
   */
  readonly isShown: boolean;
  /** Public message of the 429 response. */
  readonly message: string;
}

/** Limits the requests of one client address, or of one IPv6 /64, in a window. */
export class AddressRateLimit {
  constructor(
    private readonly counter: RateCounter,
    private readonly policy: AddressPolicy,
    private readonly metrics: ThrottlingMetrics,
  ) {}

  /**
   * Counts one hit of `address`.
   * @throws AppError `rate_limited` if the address has reached its limit.
   */
  async count(address: string, response: Response): Promise<void> {
    const { name, isShown, message } = this.policy;
    const { limit, windowSeconds } = this.counter;
    const count = await this.counter.hit(addressGroup(address));
    if (isShown || !count.allowed) {
      setRateLimitHeaders(response, name, limit, windowSeconds, count);
    }
    if (count.allowed) return;
    this.metrics.refused(name);
    throw new AppError('rate_limited', message, {
      headers: { 'Retry-After': String(count.resetSeconds) },
    });
  }
}
