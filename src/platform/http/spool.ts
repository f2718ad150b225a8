import { Duplex } from 'node:stream';
import { endsWithin } from '../time/ends-within';
import { SpoolFile, type SpoolRoom } from './spool-file';

/** Maximum bytes kept in memory before the disk is used. */
const MAX_MEMORY_BYTES = 4 * 1024 * 1024;

/** The writer waits at most this long plus the time in which it has not waited. */
const MIN_WAIT_MS = 1_000;

type Callback = (error?: Error | null) => void;

/**
 * Buffers written bytes for a slower reader. The writer holds expensive resources, so backpressure
 * may make it take about twice as long as it would alone, but not longer. After that, bytes that do
 * not fit in memory go to a file, so that only very slow readers use the disk.
 */
export class Spool extends Duplex {
  private readonly memory: Buffer[] = [];
  private memoryBytes = 0;
  private readonly file: SpoolFile;
  /** Tells a waiting writer that there is room in memory. */
  private makeRoom: () => void = () => undefined;
  private isGiving = false;
  /** Serializes the operations on the file. */
  private fileTurn: Promise<void> = Promise.resolve();
  private isWanted = false;
  private isWhole = false;

  private readonly startedAtMs = performance.now();
  private waitedMs = 0;

  /**
   * @param maxFileBytes Maximum size of the file. The stream fails if it needs more.
   * @param room Room that all files share.
   */
  constructor(maxFileBytes: number, room: SpoolRoom) {
    super();
    this.file = new SpoolFile(maxFileBytes, room);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    if (this.keep(chunk)) {
      done();
      void this.give();
    } else {
      this.keepLater(chunk).then(() => {
        done();
        void this.give();
      }, done);
    }
  }

  override _final(done: Callback): void {
    this.isWhole = true;
    done();
    void this.give();
  }

  override _read(): void {
    this.isWanted = true;
    void this.give();
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.memory.length = 0;
    this.makeRoom();
    const close = this.inFileTurn(() => this.file.close());
    close.then(
      () => {
        done(error);
      },
      (fault: unknown) => {
        done(error ?? (fault as Error));
      },
    );
  }

  /**
   * Keeps a chunk in memory.
   * @returns whether it was kept: the file must be empty, and memory must have room.
   */
  private keep(chunk: Buffer): boolean {
    if (!this.file.isEmpty || this.memoryBytes + chunk.length > MAX_MEMORY_BYTES) return false;
    this.memory.push(chunk);
    this.memoryBytes += chunk.length;
    return true;
  }

  private async keepLater(chunk: Buffer): Promise<void> {
    while (this.file.isEmpty && !this.destroyed) {
      const beganAtMs = performance.now();
      const leftMs = MIN_WAIT_MS + (beganAtMs - this.startedAtMs) - 2 * this.waitedMs;
      if (leftMs <= 0) break;
      const room = new Promise<void>((resolve) => (this.makeRoom = resolve));
      await endsWithin(room, leftMs);
      this.waitedMs += performance.now() - beganAtMs;
      if (this.keep(chunk)) return;
    }
    if (!this.destroyed) await this.inFileTurn(() => this.file.add(chunk));
  }

  /** Pushes the oldest bytes as long as the reader wants more. */
  private async give(): Promise<void> {
    if (this.isGiving) return;
    this.isGiving = true;
    try {
      while (this.isWanted && !this.destroyed) {
        const kept = this.fromMemory();
        // No `await` follows before `isGiving` is reset, so a later chunk starts a new run.
        if (!kept && this.file.isEmpty) {
          if (this.isWhole) this.isWanted = this.push(null);
          break;
        }
        this.isWanted = this.push(kept ?? (await this.inFileTurn(() => this.file.take())));
      }
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.isGiving = false;
    }
  }

  private fromMemory(): Buffer | undefined {
    const chunk = this.memory.shift();
    if (!chunk) return undefined;
    this.memoryBytes -= chunk.length;
    this.makeRoom();
    return chunk;
  }

  private inFileTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.fileTurn.then(work);
    this.fileTurn = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }
}
