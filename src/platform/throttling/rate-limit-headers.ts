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
  response.setHeader('RateLimit-Policy', printPolicy(policy, limit, windowSeconds));
  response.setHeader('RateLimit', printLimit(policy, count));
}

/** Adds another policy to those that the fields name. */
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
