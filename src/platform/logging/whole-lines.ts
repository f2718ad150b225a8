const LINE_FEED = 0x0a;
/** A longer line is passed on in parts. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Passes on the output of a process in whole lines, so that those of several processes do not mix. A
 * pipe alone would mix long ones.
 */
export class WholeLines {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly write: (lines: string) => void) {}

  add(chunk: Buffer): void {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      this.rest = Buffer.concat([this.rest, chunk]);
      if (this.rest.length > MAX_LINE_BYTES) this.end();
      return;
    }
    const lines = Buffer.concat([this.rest, chunk.subarray(0, end)]);
    // A copy: the chunk is part of a larger buffer.
    this.rest = Buffer.from(chunk.subarray(end));
    this.write(lines.toString());
  }

  /** Ends the line of a process that was killed while it wrote. */
  end(): void {
    if (this.rest.length > 0) this.write(`${this.rest.toString()}\n`);
    this.rest = Buffer.alloc(0);
  }
}
