import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import type { Response } from 'express';
import type { Caller } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import { AccountRateLimit } from './account-rate-limit';
import type { RateCount, RateCounter } from './rate-counter';
import { ThrottlingMetrics } from './throttling-metrics';
import { requestOf, responseOf } from '../load/exchange';

/** Name of the only throttler, which `ThrottlingModule` configures. */
export const KEY_THROTTLER = 'default';

/** Policy name of an account's limit, across all its keys and users. */
const ACCOUNT_POLICY = 'account';

/**
 * Limits each API key across all routes, each console user across all their sessions, and each
 * account across all of these. For accounts, it also limits the requests in progress. Does not
 * count routes without a caller, nor internal requests. It replaces the stock `canActivate`, which looks for decorators with
 * limits per route. No route has one.
 */
@Injectable()
export class KeyThrottlerGuard extends ThrottlerGuard {
  @Inject(ThrottlingMetrics) private readonly metrics!: ThrottlingMetrics;
  @Inject(AccountRateLimit) private readonly accounts!: AccountRateLimit;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, isInternal } = requestOf(context);
    const [throttler] = this.throttlers;
    if (caller === undefined || throttler === undefined || isInternal) return true;
    const [limit, ttl] = [Number(throttler.limit), Number(throttler.ttl)];
    const name = caller.keyId ?? caller.userId;
    // The storage counts by name only: it was created with the limit and the window.
    const hits = this.storageService.increment(name, ttl, limit, ttl, KEY_THROTTLER);
    // Starts both counts before it waits, so that they wait for Redis together.
    const ofAccount = await this.accounts.hit(caller.accountId);
    const hit = await hits;
    const own: RateCount = {
      allowed: !hit.isBlocked,
      remaining: Math.max(0, limit - hit.totalHits),
      resetSeconds: hit.timeToExpire,
    };
    const response = responseOf(context);
    setRateLimitHeaders(response, KEY_THROTTLER, limit, ttl / 1000, own);
    if (ofAccount.remaining < own.remaining) {
      const max = this.accounts.limit;
      addRateLimitHeaders(response, ACCOUNT_POLICY, max, ttl / 1000, ofAccount);
    }
    if (!own.allowed || !ofAccount.allowed) throw this.limitExceeded(caller, own, ofAccount);
    response.countForAccount(caller.accountId);
    return true;
  }

  private limitExceeded(caller: Caller, own: RateCount, ofAccount: RateCount): AppError {
    // A key that exceeds its own limit does not use up the limit of the account's other keys.
    if (!own.allowed) this.accounts.forgive(caller.accountId);
    const ofCaller = caller.keyId === null ? 'user' : 'key';
    const who = own.allowed ? 'account' : ofCaller;
    this.metrics.rejected(who);
    const usedUp = [own, ofAccount].filter(({ remaining }) => remaining === 0);
    const seconds = Math.max(...usedUp.map(({ resetSeconds }) => resetSeconds));
    const message = `Rate limit of this ${who} exceeded. Retry after ${String(seconds)} seconds.`;
    return new AppError('rate_limited', message, { headers: { 'Retry-After': String(seconds) } });
  }
}

/** Sets `RateLimit-Policy` and `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers). */
export function setRateLimitHeaders(
  response: Response,
  policy: string,
  limit: number,
  windowSeconds: number,
  count: Pick<RateCount, 'remaining' | 'resetSeconds'>,
): void {
  response.setHeader('RateLimit-Policy', printPolicy(policy, limit, windowSeconds));
  response.setHeader('RateLimit', printLimit(policy, count));
}

/** Adds another policy to these headers. */
function addRateLimitHeaders(
  response: Response,
  policy: string,
  limit: number,
  windowSeconds: number,
  count: Pick<RateCount, 'remaining' | 'resetSeconds'>,
): void {
  const add = (name: string, item: string): void => {
    response.setHeader(name, `${String(response.getHeader(name))}, ${item}`);
  };
  add('RateLimit-Policy', printPolicy(policy, limit, windowSeconds));
  add('RateLimit', printLimit(policy, count));
}

function printPolicy(policy: string, limit: number, windowSeconds: number): string {
  return `"${policy}";q=${String(limit)};w=${String(windowSeconds)}`;
}

function printLimit(
  policy: string,
  { remaining, resetSeconds }: Pick<RateCount, 'remaining' | 'resetSeconds'>,
): string {
  return `"${policy}";r=${String(remaining)};t=${String(resetSeconds)}`;
}

type Increment = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Storage of the throttler guard whose cost does not grow with the hits in a window. */
export class KeyThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly counter: RateCounter) {}

  async increment(key: string): Promise<Increment> {
    const { allowed, remaining, resetSeconds } = await this.counter.hit(key);
    return {
      totalHits: this.counter.limit - remaining + (allowed ? 0 : 1),
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    };
  }
}
