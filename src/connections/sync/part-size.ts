/** Size and time at which a part aims. */
const PART_BYTES = 32 * 1024 * 1024;
const PART_MS = 3_000;
/** A part has at most so many times the rows of the one before it. */
const MAX_GROWTH = 4;

/**
 * Number of rows of the next part of a sync. It adapts to the size and the duration of the last part,
 * because a row may have a few bytes or megabytes.
 */
export class PartSize {
  constructor(
    public rows: number,
    private readonly min: number,
    private readonly max: number,
  ) {}

  /** Adapts to a part. @param rows Rows that it was allowed to have. */
  adapt(rows: number, bytes: number, durationMs: number): void {
    const ofBytes = PART_BYTES / Math.max(1, bytes);
    const ofTime = PART_MS / Math.max(1, durationMs);
    const next = Math.round(rows * Math.min(ofBytes, ofTime, MAX_GROWTH));
    this.rows = Math.min(Math.max(next, this.min), this.max);
  }
}
