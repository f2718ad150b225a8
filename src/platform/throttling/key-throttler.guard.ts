import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import { setRateLimitHeaders } from './rate-limit-headers';
import { ThrottlingMetrics } from './throttling-metrics';

/** The one throttler there is, as `ThrottlingModule` sets it up. */
export const KEY_THROTTLER = 'default';

/**
 * Limits each API key over all routes together, and each user of the console, over all their
 * sessions. Routes without a caller are not counted. The stock guard reads decorators for limits by
 * route, which there are none of: this one goes straight to the count.
 */
@Injectable()
export class KeyThrottlerGuard extends ThrottlerGuard {
  @Inject(ThrottlingMetrics) private readonly metrics!: ThrottlingMetrics;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AppRequest>();
    const [throttler] = this.throttlers;
    if (caller === undefined || throttler === undefined) return true;
    const [limit, ttl] = [Number(throttler.limit), Number(throttler.ttl)];
    const name = caller.keyId ?? caller.userId;
    const hit = await this.storageService.increment(name, ttl, limit, ttl, KEY_THROTTLER);
    setRateLimitHeaders(http.getResponse<Response>(), KEY_THROTTLER, limit, ttl / 1000, {
      remaining: Math.max(0, limit - hit.totalHits),
      resetSeconds: hit.timeToExpire,
    });
    if (!hit.isBlocked) return true;
    const who = caller.keyId === null ? 'user' : 'key';
    this.metrics.refused(who);
    throw new AppError('rate_limited', `This ${who} has used up its requests for now.`, {
      headers: { 'Retry-After': String(hit.timeToBlockExpire) },
    });
  }
}
