import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import type { AccountSemaphore, Release } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import type { CountedResponse } from '../../platform/load/load';
import { setRateLimitHeaders } from '../../platform/throttling/key-throttler.guard';
import type { RateCounter } from '../../platform/throttling/rate-counter';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../platform/throttling/throttling-metrics';
import type { FoundLink } from './view-link.repository';

/** Part of an account's rate limit that the readers of its links have, in addition to it. */
const RATE_SHARE = 1 / 2;
const LIMIT_NAME = 'view-link';

/**
 * Limits the readers of public links, so that they cannot use up the share of the account. They have
 * rate limits of their own, for each link and for all links of an account. An instance runs one read
 * of an account's links at a time. It takes its connections from the share of the account.
 */
@Injectable()
export class SharedViewLimits {
  private readonly ofLink: RateCounter;
  private readonly ofAccount: RateCounter;
  private readonly permits: AccountSemaphore;

  constructor(
    config: AppConfig,
    counters: RateCounters,
    private readonly metrics: ThrottlingMetrics,
  ) {
    const { rateLimitRequests, accountRateLimitRequests, rateLimitWindowSeconds } = config;
    const share = Math.max(1, Math.floor(accountRateLimitRequests * RATE_SHARE));
    this.ofLink = counters.create(LIMIT_NAME, rateLimitRequests, rateLimitWindowSeconds);
    this.ofAccount = counters.create('view-links', share, rateLimitWindowSeconds);
    this.permits = semaphoreOf(LIMITS.publicLinkReads, config);
  }

  /**
   * Counts a request of a reader, and waits until it may read.
   * @throws AppError `rate_limited` or `unavailable`.
   */
  async enter(link: FoundLink, response: Response & CountedResponse): Promise<Release> {
    await this.count(link, response);
    response.countForAccount(link.accountId);
    return this.permits.acquire(link.accountId);
  }

  private async count({ id, accountId }: FoundLink, response: Response): Promise<void> {
    const own = await this.ofLink.hit(id);
    // A link that exceeds its own limit does not use up the limit of the other links.
    const exceeded = own.allowed ? await this.ofAccount.hit(accountId) : own;
    if (exceeded.allowed) return;
    const { limit, windowSeconds } = own.allowed ? this.ofAccount : this.ofLink;
    setRateLimitHeaders(response, LIMIT_NAME, limit, windowSeconds, exceeded);
    this.metrics.rejected(LIMIT_NAME);
    throw new AppError('rate_limited', 'Too many requests with this link. Retry later.', {
      headers: { 'Retry-After': String(exceeded.resetSeconds) },
    });
  }
}
