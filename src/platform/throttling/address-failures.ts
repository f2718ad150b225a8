import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../config/app-config';
import { addressGroup } from './address-group';
import type { RateCounter } from './rate-counter';
import { RateCounters } from './rate-counters';
import { setRateLimitHeaders } from './rate-limit-headers';
import { ThrottlingMetrics } from './throttling-metrics';

/** Limits failed authentication by client address. A good key never comes here. */
@Injectable()
export class AddressFailures {
  private readonly counter: RateCounter;

  constructor(
    { authFailureLimit, authFailureWindowSeconds }: AppConfig,
    counters: RateCounters,
    private readonly metrics: ThrottlingMetrics,
  ) {
    this.counter = counters.create('address', authFailureLimit, authFailureWindowSeconds);
  }

  /**
   * Counts one failure of `address`.
   * @throws AppError `rate_limited` where the address has had too many.
   */
  async count(address: string, response: Response): Promise<void> {
    const { limit, windowSeconds } = this.counter;
    const count = await this.counter.hit(addressGroup(address));
    setRateLimitHeaders(response, 'auth-failures', limit, windowSeconds, count);
    if (count.allowed) return;
    this.metrics.refused('auth-failures');
    throw new AppError('rate_limited', 'Too many requests without a valid key from this address.', {
      headers: { 'Retry-After': String(count.resetSeconds) },
    });
  }
}
