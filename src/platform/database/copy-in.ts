import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

const MAX_GATHERED_LENGTH = 64 * 1024;

/** Sends lines of COPY's text format, gathered, and no faster than PostgreSQL takes them. */
export class CopyIn {
  private gathered = '';
  private fault: Error | undefined;

  constructor(private readonly stream: Writable) {
    stream.on('error', (error: Error) => (this.fault = error));
  }

  /** Takes a line, with what ends it. @returns whether it is time to `flush`. */
  add(line: string): boolean {
    this.gathered += line;
    return this.gathered.length >= MAX_GATHERED_LENGTH;
  }

  /** Sends what is gathered, and waits where PostgreSQL is behind. */
  async flush(): Promise<void> {
    const bytes = Buffer.from(this.gathered);
    this.gathered = '';
    this.requireWhole();
    if (bytes.length > 0 && !this.stream.write(bytes)) await once(this.stream, 'drain');
  }

  /** Ends the COPY: what was sent is committed. */
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
