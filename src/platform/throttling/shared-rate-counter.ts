import { afterReading, LATE_MS } from '../redis/redis-link';
import { clockMs, type RateCount, type RateCounter, Windows } from './rate-counter';
import { BufferedCounter } from './buffered-counter';
import type { CountedLimit, RedisCounts } from './redis-counts';

/** Time for which hits that need no response are collected before they are sent. */
const GATHER_MS = 20;

/**
 * Counts the hits of all instances in Redis. Most hits pass based on its last response and are sent to it
 * later, together with others. Only hits that are near the limit or follow a pause wait for its response
 * (ADR 16). While it is unavailable, this process counts by itself.
 */
export class SharedRateCounter implements RateCounter {
  readonly limit: number;
  readonly windowSeconds: number;
  private readonly counters: Windows<BufferedCounter>;
  private gathered = new Map<string, BufferedCounter>();

  constructor(
    private readonly counts: RedisCounts,
    { limit, windowSeconds }: CountedLimit,
  ) {
    this.limit = limit;
    this.windowSeconds = windowSeconds;
    this.counters = new Windows(windowSeconds, (counter, nowMs) => counter.isOver(nowMs));
  }

  hit(name: string): RateCount | Promise<RateCount> {
    const nowMs = clockMs();
    const counter = this.counter(name, nowMs);
    if (this.isKnown(counter, nowMs)) {
      // Not counted, so that a client that keeps calling does not load Redis.
      if (counter.isUsedUp) return counter.verdict(false, nowMs);
      if (this.waitsForNobody || counter.isAhead) {
        counter.add();
        this.gather(name, counter);
        return counter.verdict(true, nowMs);
      }
    }
    counter.add();
    const verdict = counter.wait();
    this.send(name, counter);
    return verdict;
  }

  async reserve(name: string): Promise<RateCount> {
    const nowMs = clockMs();
    const counter = this.counter(name, nowMs);
    if (this.isKnown(counter, nowMs) && counter.isUsedUp) return counter.verdict(false, nowMs);
    const count = await this.hit(name);
    if (!count.allowed) this.forgive(name);
    return count;
  }

  forgive(name: string): void {
    const counter = this.counter(name, clockMs());
    counter.undo();
    this.gather(name, counter);
  }

  private get waitsForNobody(): boolean {
    return !this.counts.isThere || this.counts.isLate;
  }

  /** Returns whether this process knows enough about a name to reject its hits. */
  private isKnown(counter: BufferedCounter, nowMs: number): boolean {
    return this.waitsForNobody || counter.isFresh(nowMs);
  }

  private counter(name: string, nowMs: number): BufferedCounter {
    const endsAtMs = nowMs + this.windowSeconds * 1000;
    return this.counters.get(name, nowMs, () => new BufferedCounter(this.limit, endsAtMs));
  }

  /**
   * Collects a counter to be sent. While the place is unavailable, hits stay in their counter and are
   * sent with its first hit afterwards.
   */
  private gather(name: string, counter: BufferedCounter): void {
    if (!this.counts.isThere) return;
    if (this.gathered.size === 0) {
      setTimeout(() => {
        const { gathered } = this;
        this.gathered = new Map();
        for (const [each, its] of gathered) this.send(each, its);
      }, GATHER_MS).unref();
    }
    this.gathered.set(name, counter);
  }

  /**
   * Sends the hits of a name, one batch at a time. Hits that arrive meanwhile form the next batch.
   */
  private send(name: string, counter: BufferedCounter): void {
    if (counter.isSending) return;
    counter.isSending = true;
    const batch = counter.take();
    const endWait = afterReading(LATE_MS, () => {
      counter.endWaits(batch, clockMs());
    });
    this.counts
      .add({ name, net: batch.net })
      .then(
        (count) => {
          counter.confirm(batch, count, clockMs());
        },
        () => {
          counter.fail(batch, clockMs());
        },
      )
      .then(() => {
        endWait();
        counter.isSending = false;
        if (counter.isWaitedFor) this.send(name, counter);
        else if (counter.hasUnsent) this.gather(name, counter);
      })
      .catch(() => undefined);
  }
}
