import type { ServerResponse } from 'node:http';
import { accountShareUsed, unavailable } from '../../common/error/app-error';

/** Bodies and responses up to this size in bytes are not counted. */
export const LARGE_BYTES = 64 * 1024;

/** Part of the budget that one holder may use. */
const MAX_SHARE = 1 / 2;

interface Reservation {
  readonly holder: string;
  bytes: number;
}

/**
 * Limits the memory of bodies being received and of responses being sent. Without it, slow clients
 * could fill the memory, most easily with compressed bodies.
 */
export class MemoryBudget {
  private total = 0;
  private readonly byHolder = new Map<string, number>();
  private readonly byResponse = new WeakMap<ServerResponse, Reservation>();

  /** @param maxBytes Limit of all holders together. A single request may use more. */
  constructor(private readonly maxBytes: number) {}

  /**
   * Counts more bytes until the response is over.
   * @param holder Account of the request. Requests without a caller share one holder.
   * @throws AppError `rate_limited` if the holder would exceed its share; `unavailable` if all
   *   holders together would exceed the limit.
   */
  reserve(response: ServerResponse, holder: string, bytes: number): void {
    const own = this.byResponse.get(response)?.bytes ?? 0;
    const holderBytes = this.byHolder.get(holder) ?? 0;
    if (holderBytes > own && holderBytes + bytes > this.maxBytes * MAX_SHARE) {
      throw accountShareUsed('Request and response buffers of this account are full. Retry later.');
    }
    if (this.total > own && this.total + bytes > this.maxBytes) {
      throw unavailable('Request and response buffers are full. Retry later.');
    }
    this.reserveAlways(response, holder, bytes);
  }

  /** Counts more bytes without a limit: the response to a committed write must be sent. */
  reserveAlways(response: ServerResponse, holder: string, bytes: number): void {
    if (!response.destroyed) this.add(this.reservationOf(response, holder), bytes);
  }

  private reservationOf(response: ServerResponse, holder: string): Reservation {
    const known = this.byResponse.get(response);
    if (known) return known;
    const held = { holder, bytes: 0 };
    this.byResponse.set(response, held);
    response.once('close', () => {
      this.add(held, -held.bytes);
    });
    return held;
  }

  private add(held: Reservation, bytes: number): void {
    held.bytes += bytes;
    this.total += bytes;
    const holders = (this.byHolder.get(held.holder) ?? 0) + bytes;
    if (holders === 0) this.byHolder.delete(held.holder);
    else this.byHolder.set(held.holder, holders);
  }
}
