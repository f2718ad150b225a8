import { Duplex } from 'node:stream';
import { SpoolFile } from './spool-file';

/** What is kept in memory before the disk is used. */
const MOST_MEMORY_BYTES = 4 * 1024 * 1024;

type Callback = (error?: Error | null) => void;

/**
 * Takes what is written at once and gives it as slowly as it is read: the writer, who holds
 * something dear, is not kept waiting. What is more than some megabytes goes to a file.
 */
export class Spool extends Duplex {
  private readonly memory: Buffer[] = [];
  private memoryBytes = 0;
  private readonly file: SpoolFile;
  /** Calls of the file, one after the other. */
  private turn: Promise<void> = Promise.resolve();
  private isWanted = false;
  private isWhole = false;

  /** @param mostFileBytes What the file may have; with more the stream fails. */
  constructor(mostFileBytes: number) {
    super();
    this.file = new SpoolFile(mostFileBytes);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    this.inTurn(async () => {
      if (this.file.isEmpty && this.memoryBytes + chunk.length <= MOST_MEMORY_BYTES) {
        this.memory.push(chunk);
        this.memoryBytes += chunk.length;
      } else {
        await this.file.add(chunk);
      }
      await this.give();
    }, done);
  }

  override _final(done: Callback): void {
    this.inTurn(async () => {
      this.isWhole = true;
      await this.give();
    }, done);
  }

  override _read(): void {
    this.inTurn(
      async () => {
        this.isWanted = true;
        await this.give();
      },
      (error) => error && this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.memory.length = 0;
    const close = (): void => {
      this.file.close().then(
        () => {
          done(error);
        },
        (fault: unknown) => {
          done(error ?? (fault as Error));
        },
      );
    };
    this.turn.then(close, close);
  }

  /** Hands on what is first, if it is wanted. */
  private async give(): Promise<void> {
    while (this.isWanted && !this.destroyed) {
      let chunk: Buffer | null | undefined = this.memory.shift();
      if (chunk) this.memoryBytes -= chunk.length;
      else if (!this.file.isEmpty) chunk = await this.file.take();
      else if (this.isWhole) chunk = null;
      if (chunk === undefined) return;
      this.isWanted = this.push(chunk) && chunk !== null;
    }
  }

  private inTurn(work: () => Promise<void>, done: Callback): void {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    mine.then(() => {
      done();
    }, done);
  }
}
