import { randomUUID } from 'node:crypto';
import type { Call, CallResult } from './loader';
import { NumberedGrid } from './numbered-grid';

/** Returns true if the client does not know the outcome, and therefore retries. */
function isOpen({ status }: CallResult): boolean {
  return status === 0 || status === 503 || status === 409;
}

/**
 * Writes with one `Idempotency-Key` each. They are retried until they are acknowledged, as an
 * integrator does.
 */
export class RetriedWrites {
  private isOver = false;

  constructor(private readonly grid: NumberedGrid) {}

  /** Returns the next call of a client; the `next` option of a loader. */
  readonly next = (_client: number, last: CallResult | undefined): Call | undefined => {
    if (last && isOpen(last)) return last.call;
    const call = this.isOver ? undefined : this.grid.nextCreate();
    return call && { ...call, headers: { 'idempotency-key': randomUUID() } };
  };

  /** Ends the load. Writes in progress are retried until they are acknowledged. */
  end(): void {
    this.isOver = true;
  }
}
