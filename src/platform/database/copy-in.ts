import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

const MAX_GATHERED_LENGTH = 64 * 1024;

/** Buffers lines of COPY's text format, and sends them no faster than PostgreSQL accepts them. */
export class CopyIn {
  private gathered = '';
  private fault: Error | undefined;

  constructor(private readonly stream: Writable) {
    stream.on('error', (error: Error) => (this.fault = error));
  }

  /**
   * Buffers a line, which must include its line ending.
   * @returns whether to call `flush` now.
   */
  add(line: string): boolean {
    this.gathered += line;
    return this.gathered.length >= MAX_GATHERED_LENGTH;
  }

  /** Sends the buffered lines. If PostgreSQL has fallen behind, waits until it catches up. */
  async flush(): Promise<void> {
    const bytes = Buffer.from(this.gathered);
    this.gathered = '';
    this.requireWhole();
    if (bytes.length > 0 && !this.stream.write(bytes)) await once(this.stream, 'drain');
  }

  /** Ends the COPY, which commits the lines that were sent. */
  async end(): Promise<void> {
    await this.flush();
    const over = finished(this.stream);
    this.stream.end();
    await over;
  }

  private requireWhole(): void {
    if (this.fault) throw this.fault;
  }
}
