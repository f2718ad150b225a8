import type { ServerResponse } from 'node:http';
import { accountShareUsed, unavailable } from '../../common/error/app-error';

/** What is no longer is not counted: it is there for a moment in most cases. */
export const LARGE_BYTES = 64 * 1024;

/** Of what all may hold together, so much may be one holder's: the rest is for others. */
const MAX_SHARE = 1 / 2;

interface Held {
  readonly holder: string;
  bytes: number;
}

/**
 * Bounds what is in memory for clients: bodies that are not whole yet, answers that are not read
 * yet. A slow client costs nothing else, and could fill the memory for as little as it likes, the
 * more so where its body is compressed.
 */
export class MemoryBudget {
  private total = 0;
  private readonly byHolder = new Map<string, number>();
  private readonly byAnswer = new WeakMap<ServerResponse, Held>();

  /** @param most For all together; a single request may have more. */
  constructor(private readonly most: number) {}

  /**
   * Counts so many more, until the answer is over.
   * @param holder Whose request it is.
   * @throws AppError `rate_limited` if the holder would exceed its share, `unavailable` if all
   *   holders together would exceed the limit.
   */
  hold(answer: ServerResponse, holder: string, bytes: number): void {
    const own = this.byAnswer.get(answer)?.bytes ?? 0;
    const holders = this.byHolder.get(holder) ?? 0;
    if (holders > own && holders + bytes > this.most * MAX_SHARE) {
      throw accountShareUsed('Request and response buffers of this account are full. Retry later.');
    }
    if (this.total > own && this.total + bytes > this.most) {
      throw unavailable('Request and response buffers are full. Retry later.');
    }
    this.keep(answer, holder, bytes);
  }

  /** Counts so many more, however many there are: what is committed must be answered. */
  keep(answer: ServerResponse, holder: string, bytes: number): void {
    if (!answer.destroyed) this.add(this.heldOf(answer, holder), bytes);
  }

  private heldOf(answer: ServerResponse, holder: string): Held {
    const known = this.byAnswer.get(answer);
    if (known) return known;
    const held = { holder, bytes: 0 };
    this.byAnswer.set(answer, held);
    answer.once('close', () => {
      this.add(held, -held.bytes);
    });
    return held;
  }

  private add(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.total += bytes;
    const holders = (this.byHolder.get(held.holder) ?? 0) + bytes;
    if (holders === 0) this.byHolder.delete(held.holder);
    else this.byHolder.set(held.holder, holders);
  }
}
