import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../../common/error/app-error';
import { AppConfig } from '../../../platform/config/app-config';
import { AccountSemaphore, type Release } from '../../../platform/fairness/account-semaphore';
import { AccountActivity } from '../../../platform/fairness/account-activity';
import type { CountedResponse } from '../../../platform/load/load';
import { setRateLimitHeaders } from '../../../platform/throttling/key-throttler.guard';
import type { RateCounter } from '../../../platform/throttling/rate-counter';
import { RateCounters } from '../../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../../platform/throttling/throttling-metrics';
import type { FoundLink } from './view-link.repository';

/** Part of an account's rate limit that the readers of its links have, in addition to it. */
const RATE_SHARE = 1 / 2;
/** Part of the query connections that the readers of all links may use. */
const CONNECTION_SHARE = 1 / 2;
const MAX_WAITING = 64;
/** Few, because they count as requests in progress of the account. */
const MAX_WAITING_PER_ACCOUNT = 8;
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
  private readonly acquireTimeoutMs: number;

  constructor(
    config: AppConfig,
    counters: RateCounters,
    activity: AccountActivity,
    private readonly metrics: ThrottlingMetrics,
  ) {
    const { rateLimitRequests, accountRateLimitRequests, rateLimitWindowSeconds } = config;
    const share = Math.max(1, Math.floor(accountRateLimitRequests * RATE_SHARE));
    this.ofLink = counters.create(LIMIT_NAME, rateLimitRequests, rateLimitWindowSeconds);
    this.ofAccount = counters.create('view-links', share, rateLimitWindowSeconds);
    this.acquireTimeoutMs = config.databaseAcquireTimeoutMs;
    this.permits = new AccountSemaphore(
      {
        total: Math.max(1, Math.floor(config.databasePoolSize * CONNECTION_SHARE)),
        perAccount: 1,
        maxWaiting: MAX_WAITING,
        maxWaitingPerAccount: MAX_WAITING_PER_ACCOUNT,
      },
      {
        full: 'Too many public links are being read. Retry later.',
        accountFull: 'Too many readers use the public links of this account. Retry later.',
      },
      { activity },
    );
  }

  /**
   * Counts a request of a reader, and waits until it may read.
   * @throws AppError `rate_limited` or `unavailable`.
   */
  async enter(link: FoundLink, response: Response & CountedResponse): Promise<Release> {
    await this.count(link, response);
    response.countForAccount(link.accountId);
    return this.permits.acquire(link.accountId, this.acquireTimeoutMs);
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
