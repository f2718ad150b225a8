import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { endsWithin } from '../time/ends-within';

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

  /** @param room Room that all files share. The stream fails if its file needs more. */
  constructor(room: SpoolRoom) {
    super();
    this.file = new SpoolFile(room);
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

/** Maximum bytes read from the file at once. */
const MAX_READ_BYTES = 256 * 1024;

/** Thrown when there is no more room for spool files. */
export class SpoolFullError extends Error {}

/** Counts the bytes of all spool files on disk. */
export interface SpoolRoom {
  /** @returns whether there is room for `bytes` more; if so, they are counted. */
  tryAdd(bytes: number): boolean;
  remove(bytes: number): void;
}

/**
 * Bytes on disk, first in, first out. The file is deleted from its directory as soon as it is open,
 * so that the system frees it when the process ends, even after a crash.
 */
class SpoolFile {
  private file: FileHandle | undefined;
  private readAt = 0;
  private writeAt = 0;

  constructor(private readonly room: SpoolRoom) {}

  get isEmpty(): boolean {
    return this.readAt === this.writeAt;
  }

  /** @throws SpoolFullError if all files together would be too large. */
  async add(chunk: Buffer): Promise<void> {
    if (!this.room.tryAdd(chunk.length)) {
      throw new SpoolFullError('The client reads too slowly: the disk space for exports is full.');
    }
    const at = this.writeAt;
    this.writeAt += chunk.length;
    this.file ??= await openNameless();
    await this.file.write(chunk, 0, chunk.length, at);
  }

  /** Returns the next bytes, up to MAX_READ_BYTES. Call it only if the file is not empty. */
  async take(): Promise<Buffer> {
    const length = Math.min(this.writeAt - this.readAt, MAX_READ_BYTES);
    const chunk = Buffer.allocUnsafe(length);
    const read = await this.file?.read(chunk, 0, length, this.readAt);
    if (!read?.bytesRead) throw new Error('A spooled file has lost what was written to it.');
    this.readAt += read.bytesRead;
    if (this.isEmpty) {
      await this.file?.truncate();
      this.empty();
    }
    return chunk.subarray(0, read.bytesRead);
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
    this.empty();
  }

  /** Returns the file's bytes to the shared room. */
  private empty(): void {
    this.room.remove(this.writeAt);
    this.readAt = this.writeAt = 0;
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `datagrid-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}
