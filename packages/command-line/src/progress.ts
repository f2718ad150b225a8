import { SingleBar } from 'cli-progress';

/** Shows the progress of a transfer on standard error, if that is a terminal. */
export class Progress {
  private readonly bar: SingleBar | null;
  private bytes = 0;

  /** @param totalBytes Size of the transfer; `undefined` if it is unknown. */
  constructor(label: string, totalBytes: number | undefined) {
    this.bar = process.stderr.isTTY
      ? new SingleBar({
          stream: process.stderr,
          format:
            totalBytes === undefined
              ? `${label} {megabytes} MB {rows}`
              : `${label} {bar} {percentage} % {megabytes} MB {rows}`,
        })
      : null;
    this.bar?.start(totalBytes ?? 0, 0, { megabytes: '0.0', rows: '' });
  }

  /** Passes bytes through and counts them. */
  async *counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.bytes = 0;
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      this.bar?.update(this.bytes, { megabytes: (this.bytes / 1e6).toFixed(1) });
      yield chunk;
    }
  }

  rows(count: number): void {
    this.bar?.update(this.bytes, { rows: `${String(count)} rows` });
  }

  stop(): void {
    this.bar?.stop();
  }
}
