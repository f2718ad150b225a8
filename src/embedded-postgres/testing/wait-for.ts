import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `probe` returns something other than `null`, `undefined` and `false`, and returns
 * that.
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await delay(10);
  }
}
