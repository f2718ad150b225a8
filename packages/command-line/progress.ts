import { Transform } from 'node:stream';
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

  /** Returns a stream that passes bytes through and counts them. */
  counter(): Transform {
    this.bytes = 0;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.bytes += chunk.length;
        this.bar?.update(this.bytes, { megabytes: (this.bytes / 1e6).toFixed(1) });
        done(null, chunk);
      },
    });
  }

  rows(count: number): void {
    this.bar?.update(this.bytes, { rows: `${String(count)} rows` });
  }

  stop(): void {
    this.bar?.stop();
  }
}
