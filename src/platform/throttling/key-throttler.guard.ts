import { Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import { setRateLimitHeaders } from './rate-limit-headers';

/** Limits each API key over all routes together. Routes without a caller are not counted. */
@Injectable()
export class KeyThrottlerGuard extends ThrottlerGuard {
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(context.switchToHttp().getRequest<AppRequest>().caller === undefined);
  }

  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration } = props;
    const http = context.switchToHttp();
    const keyId = http.getRequest<AppRequest>().caller?.keyId ?? '';
    const hit = await this.storageService.increment(keyId, ttl, limit, blockDuration, 'default');
    setRateLimitHeaders(http.getResponse<Response>(), 'default', limit, ttl / 1000, {
      remaining: Math.max(0, limit - hit.totalHits),
      resetSeconds: hit.timeToExpire,
    });
    if (!hit.isBlocked) return true;
    throw new AppError('rate_limited', 'This key has used up its requests for now.', {
      headers: { 'Retry-After': String(hit.timeToBlockExpire) },
    });
  }
}
