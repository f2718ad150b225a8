import { rateCount, type RateCount } from './rate-counter';

/** What Redis says of a name: hits of all replicas in this window, and when that is over. */
export interface Heard {
  readonly count: number;
  readonly endsInMs: number;
}

interface Waiting {
  /** Which hit of those that go to Redis together it is, from 1. */
  readonly rank: number;
  /** Where it would stand if Redis said nothing. */
  readonly place: number;
  readonly answer: (count: RateCount) => void;
}

/** Hits that go to Redis together. */
export interface Batch {
  /** What they add, less what was forgiven. */
  readonly net: number;
  readonly waiting: readonly Waiting[];
}

/** For how long after Redis was heard hits are let through before it has counted them. */
const FRESH_MS = 1_000;
/** The share of what is left that may be let through so. */
const AHEAD = 1 / 20;

/** What one replica knows of one name in one window. */
export class BufferedCounter {
  /** By Redis, or, while it is away, by this replica. */
  private known = 0;
  private heardAtMs = -Infinity;
  /** On their way to Redis, and not sent yet: net, as `Batch` has it. */
  private sent = 0;
  private unsent = 0;
  private unsentHits = 0;
  private waiting: Waiting[] = [];
  isSending = false;

  constructor(
    private readonly limit: number,
    private endsAtMs: number,
  ) {}

  get isWaitedFor(): boolean {
    return this.waiting.length > 0;
  }

  get hasUntold(): boolean {
    return this.unsent !== 0;
  }

  isOver(nowMs: number): boolean {
    return this.endsAtMs <= nowMs;
  }

  isFresh(nowMs: number): boolean {
    return nowMs - this.heardAtMs < FRESH_MS;
  }

  get isUsedUp(): boolean {
    return this.count >= this.limit;
  }

  /** Whether one more may go through before Redis has counted it. */
  get isAhead(): boolean {
    return this.sent + this.unsentHits < Math.floor((this.limit - this.known) * AHEAD);
  }

  add(): void {
    this.unsent += 1;
    this.unsentHits += 1;
  }

  takeBack(): void {
    this.unsent -= 1;
  }

  /** Where the hit that was added last stands, once Redis has said it or is known not to. */
  wait(): Promise<RateCount> {
    return new Promise((answer) => {
      this.waiting.push({ rank: this.unsentHits, place: this.count, answer });
    });
  }

  verdict(allowed: boolean, nowMs: number): RateCount {
    return rateCount(allowed, this.limit - this.count, this.endsAtMs, nowMs);
  }

  take(): Batch {
    const batch = { net: this.unsent, waiting: this.waiting };
    this.sent = batch.net;
    this.unsent = 0;
    this.unsentHits = 0;
    this.waiting = [];
    return batch;
  }

  heard(batch: Batch, { count, endsInMs }: Heard, nowMs: number): void {
    this.sent = 0;
    this.known = count;
    this.heardAtMs = nowMs;
    this.endsAtMs = nowMs + endsInMs;
    const before = count - batch.net;
    for (const { rank, answer } of batch.waiting) {
      answer(this.verdict(before + rank <= this.limit, nowMs));
    }
  }

  /** Redis may have counted them or not: they are not sent again. */
  lost(batch: Batch, nowMs: number): void {
    this.sent = 0;
    this.known += batch.net;
    this.letGo(batch, nowMs);
  }

  /** Nobody waits any longer, neither with the batch nor with what would be sent after it. */
  letGo(batch: Batch, nowMs: number): void {
    for (const { place, answer } of [...batch.waiting, ...this.waiting]) {
      answer(this.verdict(place <= this.limit, nowMs));
    }
    this.waiting = [];
  }

  private get count(): number {
    return this.known + this.sent + this.unsent;
  }
}
