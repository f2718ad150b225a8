/** Longer uptimes do not count as a crash that is repeated. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Workers in a row that end before they are ready. */
const MAX_FAILED_STARTS = 5;

/** A worker that has ended without being told to. */
export interface EndedWorker {
  readonly wasReady: boolean;
  readonly uptimeMs: number;
  /** Whether it ended by itself with an error, as for a wrong setting, not by a signal. */
  readonly hasFailed: boolean;
}

/** Decides when a worker that has ended is replaced. */
export class Restarts {
  private hasBeenReady = false;
  private failedStarts = 0;
  private crashes = 0;

  /** Records that a worker is ready. */
  ready(): void {
    this.hasBeenReady = true;
    this.failedStarts = 0;
  }

  /**
   * Returns the pause before the worker is replaced, in milliseconds. The first crash has none.
   * @returns `null` if workers do not start: the first one of an instance has failed, or five in a row.
   */
  pauseMs({ wasReady, uptimeMs, hasFailed }: EndedWorker): number | null {
    if (!wasReady) {
      if (hasFailed && !this.hasBeenReady) return null;
      this.failedStarts += 1;
      if (this.failedStarts >= MAX_FAILED_STARTS) return null;
    }
    this.crashes = uptimeMs >= STEADY_MS ? 0 : this.crashes + 1;
    if (this.crashes <= 1) return 0;
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.crashes - 2));
  }
}
