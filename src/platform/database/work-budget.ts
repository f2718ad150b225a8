/** Maximum delay of a timer in milliseconds. Timers with a longer delay fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Time that PostgreSQL may spend on a response of any length: a fixed part, plus a part for each
 * megabyte of output. Time spent by the reader of the response does not count.
 */
export class WorkBudget {
  private leftMs: number;

  /**
   * @param firstMs Total time allowed if there is no output.
   * @param msPerMegabyte Time added for each megabyte of output.
   */
  constructor(
    firstMs: number,
    private readonly msPerMegabyte = 1_000,
  ) {
    this.leftMs = firstMs;
  }

  /**
   * Waits for the next part.
   * @param giveUp Called when the time runs out. It must make the wait fail.
   */
  async next(
    parts: AsyncIterator<Buffer, unknown>,
    giveUp: () => void,
  ): Promise<IteratorResult<Buffer, unknown>> {
    const start = performance.now();
    const timer = setTimeout(giveUp, Math.min(this.leftMs, MAX_TIMER_MS));
    try {
      const part = await parts.next();
      const bytes = part.done === true ? 0 : part.value.length;
      this.leftMs += (bytes / 1_000_000) * this.msPerMegabyte - (performance.now() - start);
      return part;
    } finally {
      clearTimeout(timer);
    }
  }
}
