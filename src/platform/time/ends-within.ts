import { setTimeout as delay } from 'node:timers/promises';

/** What Node's timers can wait, some 24 days; beyond it they would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Whether `work` ends within that time. A failure of it is thrown, if it comes in time. */
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
