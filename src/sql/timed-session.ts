import type { ColumnarSession } from '../columnar/columnar-database';

/** DuckDB forgets an interrupt that arrives between two steps of a statement. */
const INTERRUPT_EVERY_MS = 500;
/** Time that an interrupted statement has to end. Some functions do not end before they have a result. */
const MAX_INTERRUPT_MS = 10_000;

/** A session whose calls are interrupted after a time, all together. */
export class TimedSession {
  private readonly timer: NodeJS.Timeout;
  private isLate = false;
  private last: Promise<unknown> = Promise.resolve();

  /** @param late Returns the error of a call that was interrupted. */
  constructor(
    private readonly session: ColumnarSession,
    timeoutMs: number,
    private readonly late: (cause?: unknown) => Error,
  ) {
    this.timer = setTimeout(() => {
      this.isLate = true;
      void this.interrupt();
    }, timeoutMs);
  }

  /** Runs a call. @throws what it throws, or the error of `late` */
  async run<T>(call: (session: ColumnarSession) => Promise<T>): Promise<T> {
    if (this.isLate) throw this.late();
    const pending = call(this.session);
    this.last = pending.catch(() => undefined);
    let result: T;
    try {
      result = await pending;
    } catch (error) {
      throw this.isLate ? this.late(error) : error;
    }
    // A result that was interrupted can look complete.
    if (this.isLate) throw this.late();
    return result;
  }

  /** Ends the call in progress, and closes the session. Never throws. */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    await this.interrupt();
    this.session.close();
  }

  /** Interrupts the call in progress until it has ended. Then its process ends, if it must. */
  private async interrupt(): Promise<void> {
    let isPending = true;
    const ended = this.last.then(() => {
      isPending = false;
    });
    const startedAtMs = performance.now();
    const repeat = setInterval(() => {
      if (performance.now() - startedAtMs > MAX_INTERRUPT_MS) this.session.kill();
      else if (isPending) this.session.interrupt();
    }, INTERRUPT_EVERY_MS);
    this.session.interrupt();
    await ended;
    clearInterval(repeat);
  }
}
