/** How slow a client may be while a stream waits for it. */
export interface PaceLimits {
  /** What the client must send, or take, of a stream. */
  readonly minStreamBytesPerSecond: number;
  /** How long the service waits, in all, for a client that is slower. */
  readonly maxStreamStallSeconds: number;
}

/** Time is counted in steps, so that a process that was stopped itself counts one step, not all of it. */
const MAX_STEP_MS = 1_000;

/**
 * The time that a stream may still wait for its client. Waiting uses it up; bytes earn it back at
 * the minimum rate, up to the whole. A client at the minimum rate or above can go on for ever, one
 * that stops has `maxStreamStallSeconds`, and one that sends a byte now and then has little more.
 */
export class StreamPace {
  private readonly wholeMs: number;
  private readonly earnedMsPerByte: number;
  private leftMs: number;

  constructor({ minStreamBytesPerSecond, maxStreamStallSeconds }: PaceLimits) {
    this.wholeMs = this.leftMs = maxStreamStallSeconds * 1_000;
    this.earnedMsPerByte = 1_000 / minStreamBytesPerSecond;
  }

  /** Whether the client has used up its time. */
  get isOver(): boolean {
    return this.leftMs <= 0;
  }

  /** The longest time between two looks at the client. */
  get stepMs(): number {
    return Math.min(MAX_STEP_MS, this.wholeMs / 4);
  }

  /** The client has sent, or taken, so many bytes. */
  move(bytes: number): void {
    this.leftMs = Math.min(this.wholeMs, this.leftMs + bytes * this.earnedMsPerByte);
  }

  /** The service has waited for the client. */
  wait(ms: number): void {
    this.leftMs -= ms;
  }

  /**
   * Counts time as waited until the returned function is called.
   * @param onOver Called once, if the client uses up its time before.
   */
  startWaiting(onOver: () => void): () => void {
    let beganAtMs = performance.now();
    let stepMs = Math.max(0, Math.min(this.stepMs, this.leftMs));
    const next = (): void => {
      this.wait(stepMs);
      if (this.isOver) {
        onOver();
        return;
      }
      beganAtMs = performance.now();
      stepMs = Math.max(0, Math.min(this.stepMs, this.leftMs));
      timer = setTimeout(next, stepMs);
    };
    let timer = setTimeout(next, stepMs);
    return () => {
      clearTimeout(timer);
      if (!this.isOver) this.wait(Math.min(stepMs, performance.now() - beganAtMs));
    };
  }
}
