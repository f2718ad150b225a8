import { setTimeout as wait } from 'node:timers/promises';
import type { ApiResponse } from '../../support/api-client';

export interface RateLimitFields {
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Matches exactly a string item with two integer parameters of RFC 9651. */
const item = (first: string, second: string): RegExp =>
  new RegExp(`^"([a-z-]+)";${first}=(0|[1-9]\\d{0,14});${second}=(0|[1-9]\\d{0,14})$`);

const POLICY = item('q', 'w');
const LIMIT = item('r', 't');

/**
 * Parses the fields of draft-ietf-httpapi-ratelimit-headers. Both must be present and name the same
 * policy.
 */
export function readRateLimit(response: ApiResponse): RateLimitFields {
  const policy = POLICY.exec(response.headers.get('ratelimit-policy') ?? '');
  const limit = LIMIT.exec(response.headers.get('ratelimit') ?? '');
  if (!policy || !limit || policy[1] !== limit[1]) {
    throw new Error(`No rate limit fields: ${JSON.stringify([...response.headers])}`);
  }
  return {
    policy: String(policy[1]),
    limit: Number(policy[2]),
    windowSeconds: Number(policy[3]),
    remaining: Number(limit[2]),
    resetSeconds: Number(limit[3]),
  };
}

/**
 * Returns `Retry-After`, which must be one integer of at least 1. Duplicate headers would be joined
 * by a comma.
 */
export function retryAfterSeconds(response: ApiResponse): number {
  const text = response.headers.get('retry-after');
  expect(text).toMatch(/^[1-9]\d{0,4}$/);
  return Number(text);
}

export function waitSeconds(seconds: number): Promise<void> {
  return wait(seconds * 1000);
}

export function expectPassed(response: ApiResponse): void {
  expect([response.status, response.text]).toEqual([200, expect.stringMatching(/^\{"data":/)]);
}
