import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterReading, LATE_MS, type RedisLink } from '../redis/redis-link';
import { clockMs, type RateCount, type RateCounter } from './rate-counter';
import { BufferedCounter } from './buffered-counter';
import { Windows } from './windows';

/** For how long hits that nobody waits with are gathered, before Redis is told of them. */
const GATHER_MS = 20;

/**
 * Counts what all replicas see, in Redis. Most hits are let through on what Redis said last and
 * told to it together with others; only those wait for its answer that are near the limit, or come
 * after a pause (ADR 16). While Redis is unavailable this process counts by itself.
 */
export class SharedRateCounter implements RateCounter {
  private readonly counters: Windows<BufferedCounter>;
  private readonly limiter: RateLimiterRedis;
  private gathered = new Map<string, BufferedCounter>();

  /** @param policy What is counted, as a part of Redis' keys. */
  constructor(
    private readonly link: RedisLink,
    policy: string,
    readonly limit: number,
    readonly windowSeconds: number,
  ) {
    this.counters = new Windows(windowSeconds, (counter, nowMs) => counter.isOver(nowMs));
    this.limiter = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix: `datagrid:${policy}`,
      points: limit,
      duration: windowSeconds,
    });
  }

  hit(name: string): RateCount | Promise<RateCount> {
    const nowMs = clockMs();
    const counter = this.counter(name, nowMs);
    if (this.isKnown(counter, nowMs)) {
      // Not counted: a client that goes on asking is not to keep Redis busy.
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
    counter.takeBack();
    this.gather(name, counter);
  }

  private get waitsForNobody(): boolean {
    return !this.link.isThere || this.link.isLate;
  }

  /** Whether what this replica knows of a name is enough to refuse by. */
  private isKnown(counter: BufferedCounter, nowMs: number): boolean {
    return this.waitsForNobody || counter.isFresh(nowMs);
  }

  private counter(name: string, nowMs: number): BufferedCounter {
    const endsAtMs = nowMs + this.windowSeconds * 1000;
    return this.counters.get(name, nowMs, () => new BufferedCounter(this.limit, endsAtMs));
  }

  /** While Redis is unavailable hits stay with their counter, and are told with the first one after. */
  private gather(name: string, counter: BufferedCounter): void {
    if (!this.link.isThere) return;
    if (this.gathered.size === 0) {
      setTimeout(() => {
        const { gathered } = this;
        this.gathered = new Map();
        for (const [each, its] of gathered) this.send(each, its);
      }, GATHER_MS).unref();
    }
    this.gathered.set(name, counter);
  }

  /** One after the other: what comes meanwhile goes together next. */
  private send(name: string, counter: BufferedCounter): void {
    if (counter.isSending) return;
    counter.isSending = true;
    const batch = counter.take();
    const endWait = afterReading(LATE_MS, () => {
      counter.letGo(batch, clockMs());
    });
    this.link
      .ask(() => this.limiter.penalty(name, batch.net))
      .then(
        ({ consumedPoints, msBeforeNext }) => {
          const heard = { count: consumedPoints, endsInMs: msBeforeNext };
          counter.heard(batch, heard, clockMs());
        },
        () => {
          counter.lost(batch, clockMs());
        },
      )
      .then(() => {
        endWait();
        counter.isSending = false;
        if (counter.isWaitedFor) this.send(name, counter);
        else if (counter.hasUntold) this.gather(name, counter);
      })
      .catch(() => undefined);
  }
}
