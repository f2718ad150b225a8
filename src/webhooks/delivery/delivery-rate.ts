import { LRUCache } from 'lru-cache';

/** Accounts that have sent lately. */
const MAX_ACCOUNTS = 10_000;
/** An account that has sent nothing for this time may send as much as in this time at once. */
const BURST_MS = 1_000;

/** Limits the deliveries of each account, so that those of one do not take the CPU of all. */
export class DeliveryRate {
  /** Time of the next delivery of each account, of `performance.now`. */
  private readonly nextAtMs = new LRUCache<string, number>({ max: MAX_ACCOUNTS });
  private readonly intervalMs: number;

  /** @param perSecond Deliveries of one account. */
  constructor(perSecond: number) {
    this.intervalMs = 1_000 / perSecond;
  }

  /** Waits until the account may send its next delivery. */
  async wait(accountId: string): Promise<void> {
    const nowMs = performance.now();
    const earliestMs = nowMs - BURST_MS + this.intervalMs;
    const atMs = Math.max(this.nextAtMs.get(accountId) ?? earliestMs, earliestMs);
    this.nextAtMs.set(accountId, atMs + this.intervalMs);
    if (atMs <= nowMs) return;
    await new Promise((resolve) => setTimeout(resolve, atMs - nowMs));
  }
}
