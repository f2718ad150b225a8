import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import type { RateCount, RateCounter } from './rate-counter';
import { RateCounters } from './rate-counters';

/** Limits the requests of an account across all its keys and users. */
@Injectable()
export class AccountRateLimit {
  readonly limit: number;
  private readonly counter: RateCounter;

  constructor(config: AppConfig, counters: RateCounters) {
    this.limit = config.accountRateLimitRequests;
    this.counter = counters.create('account', this.limit, config.rateLimitWindowSeconds);
  }

  /** Counts one request. */
  hit(accountId: string): RateCount | Promise<RateCount> {
    return this.counter.hit(accountId);
  }

  /** Takes back a request that was rejected by the limit of its key. */
  forgive(accountId: string): void {
    this.counter.forgive(accountId);
  }
}
