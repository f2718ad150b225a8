import type { TargetWriter } from '../../destinations/destination';

/** Target size of a part in bytes of CSV, and target time to write it in milliseconds. */
const PART_BYTES = 96 * 1024 * 1024;
const PART_MS = 8_000;
/** A part has at most so many times the rows of the one before it. */
const MAX_GROWTH = 6;

/**
 * Number of rows of the next part of a sync. It adapts to the size and the duration of the last part,
 * because a row may have a few bytes or megabytes.
 */
export class PartSize {
  constructor(
    public rows: number,
    private readonly min: number,
    private readonly max: number,
    private readonly partMs = PART_MS,
  ) {}

  /** Adapts to a part of this size. */
  adapt(bytes: number, durationMs: number): void {
    const ofBytes = PART_BYTES / Math.max(1, bytes);
    const ofTime = this.partMs / Math.max(1, durationMs);
    const next = Math.round(this.rows * Math.min(ofBytes, ofTime, MAX_GROWTH));
    this.rows = Math.min(Math.max(next, this.min), this.max);
  }
}

/** A destination is published for a tenth of the time at most. */
const REST = 9;

/** Shows readers what a destination has stored, and knows how long they should wait for more. */
export class Publication {
  /** Time in which no further changes should be copied, because publishing them takes long. */
  restMs = 0;
  private publishedRevision = 0;

  constructor(private readonly writer: TargetWriter) {}

  /** Shows readers what was stored up to a revision, if the destination does not do so at once. */
  async publish(revision: number): Promise<void> {
    const startedAtMs = performance.now();
    await this.writer.publishSnapshot?.();
    // The destination does nothing if readers see all already.
    this.restMs = Math.max(this.restMs, (performance.now() - startedAtMs) * REST);
    this.publishedRevision = revision;
  }

  /** Returns the revision that readers see, by the stored one. */
  visibleRevision(storedRevision: number): number {
    return this.writer.publishSnapshot ? this.publishedRevision : storedRevision;
  }
}
