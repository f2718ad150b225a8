import type { Response } from 'express';
import type { RateCount } from './rate-counter';

/** `RateLimit-Policy` and `RateLimit`, as in the IETF draft (draft-ietf-httpapi-ratelimit-headers). */
export function setRateLimitHeaders(
  response: Response,
  policy: string,
  limit: number,
  windowSeconds: number,
  count: Pick<RateCount, 'remaining' | 'resetSeconds'>,
): void {
  const { remaining, resetSeconds } = count;
  response.setHeader(
    'RateLimit-Policy',
    `"${policy}";q=${String(limit)};w=${String(windowSeconds)}`,
  );
  response.setHeader('RateLimit', `"${policy}";r=${String(remaining)};t=${String(resetSeconds)}`);
}
