import { rateCount, type RateCount } from './rate-counter';
import type { SharedCount } from './redis-counts';

interface Waiting {
  /** Position of the hit among the hits that are sent together, from 1. */
  readonly rank: number;
  /** Position of the hit in the window by this instance's count, used if Redis does not respond. */
  readonly position: number;
  readonly response: (count: RateCount) => void;
}

/** Hits that are sent to Redis together. */
export interface Batch {
  /** Number of hits, minus those that were undone. */
  readonly net: number;
  readonly waiting: readonly Waiting[];
}

/** Time after a response of Redis in which hits may pass before Redis has counted them. */
const FRESH_MS = 1_000;
/** Share of the remaining hits that may pass uncounted. */
const AHEAD = 1 / 20;

/** One process's count for one name in one window. */
export class BufferedCounter {
  /** Hits that Redis has counted, or this instance while Redis is unavailable. */
  private known = 0;
  private confirmedAtMs = -Infinity;
  /** Hits being sent to Redis, and hits not sent yet: net numbers, as in `Batch`. */
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

  get hasUnsent(): boolean {
    return this.unsent !== 0;
  }

  isOver(nowMs: number): boolean {
    return this.endsAtMs <= nowMs;
  }

  isFresh(nowMs: number): boolean {
    return nowMs - this.confirmedAtMs < FRESH_MS;
  }

  get isUsedUp(): boolean {
    return this.count >= this.limit;
  }

  /** Whether one more hit may pass before Redis has counted it. */
  get isAhead(): boolean {
    return this.sent + this.unsentHits < Math.floor((this.limit - this.known) * AHEAD);
  }

  add(): void {
    this.unsent += 1;
    this.unsentHits += 1;
  }

  undo(): void {
    this.unsent -= 1;
  }

  /** Returns the verdict on the hit that was added last, once Redis has responded or is late. */
  wait(): Promise<RateCount> {
    return new Promise((response) => {
      this.waiting.push({ rank: this.unsentHits, position: this.count, response });
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

  confirm(batch: Batch, { count, endsInMs }: SharedCount, nowMs: number): void {
    this.sent = 0;
    this.known = count;
    this.confirmedAtMs = nowMs;
    this.endsAtMs = nowMs + endsInMs;
    const before = count - batch.net;
    for (const { rank, response } of batch.waiting) {
      response(this.verdict(before + rank <= this.limit, nowMs));
    }
  }

  /** Ends a batch that failed. Redis may have counted its hits, so they are not sent again. */
  fail(batch: Batch, nowMs: number): void {
    this.sent = 0;
    this.known += batch.net;
    this.endWaits(batch, nowMs);
  }

  /** Ends the wait of all hits, in the batch and after it. This instance's count decides. */
  endWaits(batch: Batch, nowMs: number): void {
    for (const { position, response } of [...batch.waiting, ...this.waiting]) {
      response(this.verdict(position <= this.limit, nowMs));
    }
    this.waiting = [];
  }

  private get count(): number {
    return this.known + this.sent + this.unsent;
  }
}
