import { setTimeout as delay } from 'node:timers/promises';
import { TransientError } from './failure';

const MAX_ATTEMPTS = 7;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs `work`, and retries it after a TransientError, up to MAX_ATTEMPTS times in all. Waits as
 * long as the service requests, or otherwise doubles the wait from FIRST_WAIT_MS to at most
 * LONGEST_WAIT_MS.
 * @param mayRepeat Whether `work` can be run again. Called after each failure.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  mayRepeat: () => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof TransientError && attempt < MAX_ATTEMPTS;
      if (!mayPass || !mayRepeat()) throw error;
      const waitMs = waitFor(attempt, error);
      const seconds = (waitMs / 1000).toFixed(1);
      process.stderr.write(`${error.message}\nTrying again in ${seconds} s.\n`);
      await delay(waitMs);
    }
  }
}

function waitFor(attempt: number, { retryAfterSeconds }: TransientError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  // Random jitter, so that clients that fail together do not retry together.
  return longest * (0.5 + Math.random() / 2);
}
