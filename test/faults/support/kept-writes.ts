import { randomUUID } from 'node:crypto';
import type { Call, CallResult } from './loader';
import { NumberedGrid } from './numbered-grid';

/** Whether the client cannot know that its change was made, and so sends it again. */
function isOpen({ status }: CallResult): boolean {
  return status === 0 || status === 503 || status === 409;
}

/**
 * Writes that each come with an `Idempotency-Key`, and are sent again until they are acknowledged,
 * as an integrator does it.
 */
export class KeptWrites {
  private isOver = false;

  constructor(private readonly grid: NumberedGrid) {}

  /** For a loader's `next`. */
  readonly next = (_client: number, last: CallResult | undefined): Call | undefined => {
    if (last && isOpen(last)) return last.call;
    const call = this.isOver ? undefined : this.grid.nextCreate();
    return call && { ...call, headers: { 'idempotency-key': randomUUID() } };
  };

  /** What is in progress is brought to its end. */
  end(): void {
    this.isOver = true;
  }
}
