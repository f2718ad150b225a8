import type { Response } from 'express';
import type { RateCount } from './rate-counter';

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
export function addRateLimitHeaders(
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
