import type { Response } from 'express';
import { AppError } from '../../common/error/app-error';
import { addressGroup } from './address-group';
import type { RateCounter } from './rate-counter';
import { setRateLimitHeaders } from './rate-limit-headers';
import type { LimitName, ThrottlingMetrics } from './throttling-metrics';

/** How a limit appears to clients and in the metrics. */
export interface AddressPolicy {
  readonly name: LimitName;
  /** Whether a response that passes says what is left. Not for files: caches keep their headers. */
  readonly isShown: boolean;
  /** The public message of the 429. */
  readonly message: string;
}

/** Limits what one client address, or one IPv6 /64, may do in a window. */
export class AddressRateLimit {
  constructor(
    private readonly counter: RateCounter,
    private readonly policy: AddressPolicy,
    private readonly metrics: ThrottlingMetrics,
  ) {}

  /**
   * Counts one hit of `address`.
   * @throws AppError `rate_limited` if the address has used up its limit.
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
