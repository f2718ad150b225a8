/** Timers fire at once beyond it. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The time that PostgreSQL may work at an answer of any length: some, and more for what it gives.
 * The time that the answer's reader takes does not count.
 */
export class WorkBudget {
  private leftMs: number;

  /**
   * @param firstMs What it may take altogether if it gives nothing.
   * @param msPerMegabyte What each megabyte adds.
   */
  constructor(
    firstMs: number,
    private readonly msPerMegabyte = 1_000,
  ) {
    this.leftMs = firstMs;
  }

  /**
   * Waits for the next part.
   * @param giveUp Called if the time is over: the wait is to fail then.
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
