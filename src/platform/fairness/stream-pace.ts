/** Minimum pace of a client while a stream waits for it. */
export interface PaceLimits {
  /** Rate at which the client must send or read a stream. */
  readonly minStreamBytesPerSecond: number;
  /** Total time for which the service waits for a slower client. */
  readonly maxStreamStallSeconds: number;
}

/**
 * Longest counted step in milliseconds. If the process itself was stopped, one step counts, not the
 * whole time.
 */
const MAX_STEP_MS = 1_000;

/**
 * Time that a stream may still wait for its client. Waiting uses it up. Transferred bytes restore
 * it at the minimum rate, up to the maximum. A client at the minimum rate or above can continue
 * indefinitely. One that stops has `maxStreamStallSeconds`, and one that sends a byte now and then
 * has little more.
 */
export class StreamPace {
  private readonly maxMs: number;
  private readonly earnedMsPerByte: number;
  private leftMs: number;

  constructor({ minStreamBytesPerSecond, maxStreamStallSeconds }: PaceLimits) {
    this.maxMs = this.leftMs = maxStreamStallSeconds * 1_000;
    this.earnedMsPerByte = 1_000 / minStreamBytesPerSecond;
  }

  /** Whether the client has used up its time. */
  get isExhausted(): boolean {
    return this.leftMs <= 0;
  }

  /** Longest interval between two checks of the client, in milliseconds. */
  get stepMs(): number {
    return Math.min(MAX_STEP_MS, this.maxMs / 4);
  }

  /** Records that the client has sent or read bytes. */
  recordTransfer(bytes: number): void {
    this.leftMs = Math.min(this.maxMs, this.leftMs + bytes * this.earnedMsPerByte);
  }

  /** Records that the service has waited for the client. */
  recordWait(ms: number): void {
    this.leftMs -= ms;
  }

  /**
   * Counts time as waited until the returned function is called.
   * @param onOver Called once if the client uses up its time before that.
   */
  startWaiting(onOver: () => void): () => void {
    let beganAtMs = performance.now();
    let stepMs = Math.max(0, Math.min(this.stepMs, this.leftMs));
    const next = (): void => {
      this.recordWait(stepMs);
      if (this.isExhausted) {
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
      if (!this.isExhausted) this.recordWait(Math.min(stepMs, performance.now() - beganAtMs));
    };
  }
}
