import { setTimeout as delay } from 'node:timers/promises';

/** Longest delay of Node's timers, about 24 days. Longer timers fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Returns whether `work` ends within a time limit.
 * @throws the error of `work` if it fails within the limit.
 */
export async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const waited = delay(Math.min(timeoutMs, LONGEST_MS), false, { signal: timer.signal });
  try {
    return await Promise.race([work.then(() => true), waited]);
  } finally {
    timer.abort();
    waited.catch(() => undefined);
  }
}
