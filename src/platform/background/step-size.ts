/**
 * Sizes of steps, in rows. They are few, because each has a statement of its own: with a `LIMIT` in a
 * parameter PostgreSQL would plan for a tenth of the table.
 */
const SIZES = [30, 125, 500, 2_000] as const;

const FIRST_SIZE = 1;

/** A step shorter than this is followed by one of the next larger size. */
const SHORT_STEP_MS = 50;

/** A step longer than this is followed by one of the next smaller size. */
const LONG_STEP_MS = 200;

/**
 * Number of rows in the next step of a job. It follows the time that the last step took, because
 * rows may hold some bytes or a megabyte: 2,000 large rows would take seconds.
 */
export class StepSize {
  private index = FIRST_SIZE;

  get rows(): number {
    return SIZES[this.index] ?? SIZES[0];
  }

  /** Runs a step, and sizes the next one by how long this one takes. */
  async measure<T>(step: (rows: number) => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    const result = await step(this.rows);
    const durationMs = performance.now() - startedAtMs;
    if (durationMs > LONG_STEP_MS) this.index = Math.max(0, this.index - 1);
    if (durationMs < SHORT_STEP_MS) this.index = Math.min(SIZES.length - 1, this.index + 1);
    return result;
  }
}
