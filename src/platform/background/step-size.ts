/**
 * Possible step sizes, in rows. The list is short because each size has its own statement: with
 * `LIMIT` as a parameter, PostgreSQL would plan for a tenth of the table.
 */
const SIZES = [30, 125, 500, 2_000] as const;

const FIRST_SIZE = 1;

/** Duration of a step below which the next step uses the next larger size. */
const SHORT_STEP_MS = 50;

/** Duration of a step above which the next step uses the next smaller size. */
const LONG_STEP_MS = 200;

/**
 * Number of rows in the next step of a job. It adapts to the duration of the last step, because a
 * row may have a few bytes or a megabyte: 2,000 large rows would take seconds.
 */
export class StepSize {
  private index = FIRST_SIZE;

  get rows(): number {
    return SIZES[this.index] ?? SIZES[0];
  }

  /** Runs a step and adjusts the size of the next one to its duration. */
  async measure<T>(step: (rows: number) => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    const result = await step(this.rows);
    const durationMs = performance.now() - startedAtMs;
    if (durationMs > LONG_STEP_MS) this.index = Math.max(0, this.index - 1);
    if (durationMs < SHORT_STEP_MS) this.index = Math.min(SIZES.length - 1, this.index + 1);
    return result;
  }
}
