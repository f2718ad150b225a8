import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterReading, LATE_MS, type RedisLink } from '../redis/redis-link';
import { clockMs, type RateCount, type RateCounter } from './rate-counter';
import { Tally } from './tally';
import { Windows } from './windows';

/** For how long hits that nobody waits with are gathered, before Redis is told of them. */
const GATHER_MS = 20;

/**
 * Counts what all replicas see, in Redis. Most hits are let through on what Redis said last and
 * told to it together with others; only those wait for its answer that are near the limit, or come
 * after a pause (ADR 16). While Redis is away this process counts by itself.
 */
export class SharedRateCounter implements RateCounter {
  private readonly tallies: Windows<Tally>;
  private readonly limiter: RateLimiterRedis;
  private gathered = new Map<string, Tally>();

  /** @param policy What is counted, as a part of Redis' keys. */
  constructor(
    private readonly link: RedisLink,
    policy: string,
    readonly limit: number,
    readonly windowSeconds: number,
  ) {
    this.tallies = new Windows(windowSeconds, (tally, nowMs) => tally.isOver(nowMs));
    this.limiter = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix: `datagrid:${policy}`,
      points: limit,
      duration: windowSeconds,
    });
  }

  hit(name: string): RateCount | Promise<RateCount> {
    const nowMs = clockMs();
    const tally = this.tally(name, nowMs);
    if (this.isKnown(tally, nowMs)) {
      // Not counted: a client that goes on asking is not to keep Redis busy.
      if (tally.isUsedUp) return tally.verdict(false, nowMs);
      if (this.waitsForNobody || tally.isAhead) {
        tally.add();
        this.gather(name, tally);
        return tally.verdict(true, nowMs);
      }
    }
    tally.add();
    const verdict = tally.wait();
    this.send(name, tally);
    return verdict;
  }

  async reserve(name: string): Promise<RateCount> {
    const nowMs = clockMs();
    const tally = this.tally(name, nowMs);
    if (this.isKnown(tally, nowMs) && tally.isUsedUp) return tally.verdict(false, nowMs);
    const count = await this.hit(name);
    if (!count.allowed) this.forgive(name);
    return count;
  }

  forgive(name: string): void {
    const tally = this.tally(name, clockMs());
    tally.takeBack();
    this.gather(name, tally);
  }

  private get waitsForNobody(): boolean {
    return !this.link.isThere || this.link.isLate;
  }

  /** Whether what this replica knows of a name is enough to refuse by. */
  private isKnown(tally: Tally, nowMs: number): boolean {
    return this.waitsForNobody || tally.isFresh(nowMs);
  }

  private tally(name: string, nowMs: number): Tally {
    const endsAtMs = nowMs + this.windowSeconds * 1000;
    return this.tallies.get(name, nowMs, () => new Tally(this.limit, endsAtMs));
  }

  /** While Redis is away hits stay with their tally, and are told with the first one after. */
  private gather(name: string, tally: Tally): void {
    if (!this.link.isThere) return;
    if (this.gathered.size === 0) {
      setTimeout(() => {
        const { gathered } = this;
        this.gathered = new Map();
        for (const [each, its] of gathered) this.send(each, its);
      }, GATHER_MS).unref();
    }
    this.gathered.set(name, tally);
  }

  /** One after the other: what comes meanwhile goes together next. */
  private send(name: string, tally: Tally): void {
    if (tally.isSending) return;
    tally.isSending = true;
    const batch = tally.take();
    const endWait = afterReading(LATE_MS, () => {
      tally.letGo(batch, clockMs());
    });
    this.link
      .ask(() => this.limiter.penalty(name, batch.net))
      .then(
        ({ consumedPoints, msBeforeNext }) => {
          const heard = { count: consumedPoints, endsInMs: msBeforeNext };
          tally.heard(batch, heard, clockMs());
        },
        () => {
          tally.lost(batch, clockMs());
        },
      )
      .then(() => {
        endWait();
        tally.isSending = false;
        if (tally.isWaitedFor) this.send(name, tally);
        else if (tally.hasUntold) this.gather(name, tally);
      })
      .catch(() => undefined);
  }
}
