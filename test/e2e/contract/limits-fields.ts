import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../../support/api-client';

export interface RateLimitFields {
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A string item with two integer parameters, as RFC 9651 writes them: nothing more, nothing less. */
const item = (first: string, second: string): RegExp =>
  new RegExp(`^"([a-z-]+)";${first}=(0|[1-9]\\d{0,14});${second}=(0|[1-9]\\d{0,14})$`);

const POLICY = item('q', 'w');
const LIMIT = item('r', 't');

/** The fields of draft-ietf-httpapi-ratelimit-headers; both must be there and name one policy. */
export function readRateLimit(answer: Answer): RateLimitFields {
  const policy = POLICY.exec(answer.headers.get('ratelimit-policy') ?? '');
  const limit = LIMIT.exec(answer.headers.get('ratelimit') ?? '');
  if (!policy || !limit || policy[1] !== limit[1]) {
    throw new Error(`No rate limit fields: ${JSON.stringify([...answer.headers])}`);
  }
  return {
    policy: String(policy[1]),
    limit: Number(policy[2]),
    windowSeconds: Number(policy[3]),
    remaining: Number(limit[2]),
    resetSeconds: Number(limit[3]),
  };
}

/** `Retry-After`, once, in whole seconds from 1. Two of them would come joined by a comma. */
export function retryAfterSeconds(answer: Answer): number {
  const text = answer.headers.get('retry-after');
  expect(text).toMatch(/^[1-9]\d{0,4}$/);
  return Number(text);
}

export function waitSeconds(seconds: number): Promise<void> {
  return wait(seconds * 1000);
}

export function expectPassed(answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^\{"data":/)]);
}
