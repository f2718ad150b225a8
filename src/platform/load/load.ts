import type { Server } from 'node:http';
import type { Logger } from '../logging/logger';

/** How often it is looked at how late the event loop is. */
const TICK_MS = 50;
/** So many looks in a row make it late: one alone may be a collection of garbage. */
const LATE_TICKS = 2;
/** Of what is worked on when the loop is late so much stays allowed, and so much of the limit always. */
const KEPT = 0.8;
const LEAST_SHARE = 0.5;
/** By this share of the limit the bound goes up again with each look. */
const REGAINED_SHARE = 0.02;
const REPORT_MS = 1_000;

export interface LoadLimits {
  /** Requests that are worked on at a time. */
  readonly workLimit: number;
  /** How late the event loop may be before fewer are. */
  readonly eventLoopDelayLimitMs: number;
}

/** How much there is to do at a moment. */
export interface LoadState {
  /** Requests that are worked on. */
  readonly underWay: number;
  /** So many may be. */
  readonly bound: number;
  /** Requests that were refused since the start. */
  readonly refused: number;
}

/** What every response of the service's server can say of the work on it. */
export interface CountedResponse {
  /** The service has it in hand. */
  beginWork(): void;
  /** It is over, or waits for the client. */
  endWork(): void;
  /**
   * So many bytes more of its request's body are in memory, until the answer is over.
   * @throws AppError `unavailable`
   */
  holdBody(bytes: number): void;
}

/**
 * Bounds what this process takes on. A request counts from its arrival until its answer begins, but
 * not while its body is waited for: slow clients take nobody's place. The bound goes down while the
 * event loop is late, so that what is over it is refused at once instead of waiting with the rest.
 */
export class Load {
  private underWay = 0;
  private bound: number;
  private lateTicks = 0;
  private refused = 0;
  /** Of the refused, those that the log has told of. */
  private reported = 0;

  constructor(
    private readonly limits: LoadLimits,
    private readonly logger: Logger,
  ) {
    this.bound = limits.workLimit;
  }

  get isFull(): boolean {
    return this.underWay >= this.bound;
  }

  get state(): LoadState {
    const { underWay, bound, refused } = this;
    return { underWay, bound, refused };
  }

  begin(): void {
    this.underWay += 1;
  }

  end(): void {
    this.underWay -= 1;
  }

  /** Notes that a request was refused for `isFull`. */
  countRefused(): void {
    this.refused += 1;
  }

  /** Looks at the event loop for as long as the server listens. */
  watch(server: Server): void {
    server.once('listening', () => {
      let dueAtMs = performance.now() + TICK_MS;
      const ticks = setInterval(() => {
        const nowMs = performance.now();
        this.adapt(nowMs - dueAtMs);
        dueAtMs = nowMs + TICK_MS;
      }, TICK_MS).unref();
      const reports = setInterval(() => {
        this.report();
      }, REPORT_MS).unref();
      server.once('close', () => {
        clearInterval(ticks);
        clearInterval(reports);
      });
    });
  }

  /** Moves the bound, by how late the event loop is. */
  adapt(delayMs: number): void {
    const { workLimit, eventLoopDelayLimitMs } = this.limits;
    this.lateTicks = delayMs > eventLoopDelayLimitMs ? this.lateTicks + 1 : 0;
    if (this.lateTicks >= LATE_TICKS) {
      const kept = Math.floor(Math.min(this.underWay, this.bound) * KEPT);
      this.bound = Math.max(kept, Math.ceil(workLimit * LEAST_SHARE));
    } else if (this.lateTicks === 0) {
      this.bound = Math.min(workLimit, this.bound + Math.ceil(workLimit * REGAINED_SHARE));
    }
  }

  /** One line for all that were refused: a line each would be more work than refusing them. */
  private report(): void {
    const refused = this.refused - this.reported;
    if (refused === 0) return;
    const { underWay } = this;
    this.reported = this.refused;
    this.logger.pino.warn({ refused, underWay }, 'requests were refused: there is too much to do');
  }
}
