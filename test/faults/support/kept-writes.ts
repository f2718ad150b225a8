import { randomUUID } from 'node:crypto';
import type { Call, CallResult } from './loader';
import { NumberedGrid } from './numbered-grid';

/** Whether the outcome is unknown to the client, which therefore retries. */
function isOpen({ status }: CallResult): boolean {
  return status === 0 || status === 503 || status === 409;
}

/**
 * Writes with an `Idempotency-Key` each, which are retried until they are acknowledged, as an
 * integrator does.
 */
export class KeptWrites {
  private isOver = false;

  constructor(private readonly grid: NumberedGrid) {}

  /** For `next` of a loader. */
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
