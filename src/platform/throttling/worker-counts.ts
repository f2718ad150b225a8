import { LATE_MS } from '../redis/redis-link';
import type { Supervisor } from '../workers/supervisor';
import { COUNT, type InstanceHits } from './instance-counts';
import { clockMs, Windows } from './rate-counter';
import type { CountedLimit, KnownCount, NewHits, SharedCount, SharedCounts } from './shared-counts';

interface Waiting {
  readonly hits: InstanceHits;
  readonly resolve: (count: SharedCount) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the hits of a worker to its supervisor. Those of one turn of the event loop are sent together:
 * most requests count for a key and for an account.
 */
export class CountSender {
  private batch = new Map<CountedLimit, Waiting[]>();
  private owed = 0;
  private owedSinceMs = 0;

  constructor(private readonly supervisor: Supervisor) {}

  get isThere(): boolean {
    return !this.supervisor.isLost;
  }

  /** Whether calls are pending and no response has arrived for more than 50 ms. */
  get isLate(): boolean {
    return this.owed > 0 && performance.now() - this.owedSinceMs > LATE_MS;
  }

  add(limit: CountedLimit, hits: InstanceHits): Promise<SharedCount> {
    if (this.batch.size === 0) setImmediate(() => void this.send());
    return new Promise((resolve, reject) => {
      const waiting = this.batch.get(limit) ?? [];
      waiting.push({ hits, resolve, reject });
      this.batch.set(limit, waiting);
    });
  }

  private async send(): Promise<void> {
    const batch = [...this.batch];
    this.batch = new Map();
    if (this.owed === 0) this.owedSinceMs = performance.now();
    this.owed += 1;
    const requests = batch.map(([{ policy, windowSeconds }, waiting]) => ({
      policy,
      windowSeconds,
      hits: waiting.map(({ hits }) => hits),
    }));
    const waiting = batch.flatMap(([, ofLimit]) => ofLimit);
    try {
      const counts = (await this.supervisor.channel.call(COUNT, requests)).flat();
      for (const [index, count] of counts.entries()) waiting[index]?.resolve(count);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      this.owed -= 1;
      this.owedSinceMs = performance.now();
    }
  }
}

/** Counts at the supervisor, for all workers of this instance. */
export class SupervisorCounts implements SharedCounts {
  constructor(
    private readonly sender: CountSender,
    private readonly limit: CountedLimit,
  ) {}

  get isThere(): boolean {
    return this.sender.isThere;
  }

  get isLate(): boolean {
    return this.sender.isLate;
  }

  add({ name, net }: NewHits): Promise<SharedCount> {
    return this.sender.add(this.limit, { name, net, known: null });
  }
}

interface Owed {
  net: number;
  readonly endsAtMs: number;
}

/**
 * Counts in Redis, for all instances. While Redis is unavailable or late, counts at the supervisor, which
 * continues from the last count of Redis. Redis counts these hits afterwards.
 */
export class WorkerCounts implements SharedCounts {
  /** Hits that Redis has not counted. */
  private readonly owed: Windows<Owed>;
  private owesUntilMs = 0;
  /** Time since which hits are counted at the supervisor; `null` if they are counted in Redis. */
  private awaySinceMs: number | null = null;

  constructor(
    private readonly redis: SharedCounts,
    private readonly sender: CountSender,
    private readonly limit: CountedLimit,
  ) {
    this.owed = new Windows(limit.windowSeconds, ({ endsAtMs }, nowMs) => endsAtMs <= nowMs);
  }

  get isThere(): boolean {
    return this.usesRedis || this.sender.isThere;
  }

  get isLate(): boolean {
    return !this.usesRedis && this.sender.isLate;
  }

  async add({ name, net, known }: NewHits): Promise<SharedCount> {
    const nowMs = clockMs();
    if (this.usesRedis) {
      this.awaySinceMs = null;
      return this.redis.add({ name, net: net + this.takeOwed(name, nowMs), known });
    }
    this.awaySinceMs ??= nowMs;
    const fromRedis = known && known.atMs <= this.awaySinceMs ? countOf(known) : null;
    const count = await this.sender.add(this.limit, { name, net, known: fromRedis });
    this.owe(name, net, count, nowMs);
    return count;
  }

  private get usesRedis(): boolean {
    return this.redis.isThere && !this.redis.isLate;
  }

  private owe(name: string, net: number, { endsInMs }: SharedCount, nowMs: number): void {
    const endsAtMs = nowMs + endsInMs;
    this.owed.get(name, nowMs, () => ({ net: 0, endsAtMs })).net += net;
    this.owesUntilMs = Math.max(this.owesUntilMs, endsAtMs);
  }

  private takeOwed(name: string, nowMs: number): number {
    if (nowMs >= this.owesUntilMs) return 0;
    const owed = this.owed.get(name, nowMs, () => ({ net: 0, endsAtMs: this.owesUntilMs }));
    const { net } = owed;
    owed.net = 0;
    return net;
  }
}

function countOf({ count, endsInMs }: KnownCount): SharedCount {
  return { count, endsInMs };
}
