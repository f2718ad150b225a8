import type { ColumnarSession } from '../columnar/columnar-database';
import { AppError } from '../common/error/app-error';

/** DuckDB forgets an interrupt that arrives between two steps of a statement. */
const INTERRUPT_EVERY_MS = 500;
/** Time that an interrupted statement has to end. Some functions do not end before they have a result. */
const MAX_INTERRUPT_MS = 10_000;

type ErrorOf = (cause?: unknown) => Error;

/** When the calls of a session end. */
export interface SessionLimits {
  /** Time that all calls together may take. */
  readonly timeoutMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A session whose calls are interrupted after a time, or when the client disconnects. */
export class TimedSession {
  private readonly timer: NodeJS.Timeout;
  private readonly signal: AbortSignal;
  /** Returns the error of calls that are interrupted; `undefined` until then. */
  private stopped: ErrorOf | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** @param late Returns the error of a call that has taken too long. */
  constructor(
    private readonly session: ColumnarSession,
    { timeoutMs, signal }: SessionLimits,
    late: ErrorOf,
  ) {
    this.timer = setTimeout(() => {
      this.stop(late);
    }, timeoutMs);
    this.signal = signal;
    if (signal.aborted) this.disconnect();
    else signal.addEventListener('abort', this.disconnect, { once: true });
  }

  /** Runs a call. @throws what it throws, or the error of an interrupted call */
  async run<T>(call: (session: ColumnarSession) => Promise<T>): Promise<T> {
    this.requireRunning();
    const pending = call(this.session);
    this.last = pending.catch(() => undefined);
    let result: T;
    try {
      result = await pending;
    } catch (error) {
      throw this.stopped?.(error) ?? error;
    }
    // A result that was interrupted can look complete.
    this.requireRunning();
    return result;
  }

  /** Ends the call in progress, rejects later ones, and closes the session. Can be called again. Never throws. */
  async end(): Promise<void> {
    this.stopped ??= disconnected;
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.disconnect);
    await this.interrupt();
    this.session.close();
  }

  private requireRunning(): void {
    if (this.stopped) throw this.stopped();
  }

  private readonly disconnect = (): void => {
    this.stop(disconnected);
  };

  private stop(errorOf: ErrorOf): void {
    this.stopped ??= errorOf;
    void this.interrupt();
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

/** Error of a statement whose client has disconnected. Nobody receives it. */
export function disconnected(): AppError {
  return new AppError('request_timeout', 'The client closed the connection.');
}
