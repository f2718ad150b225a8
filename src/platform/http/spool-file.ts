import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is read of the file at once. */
const MAX_READ_BYTES = 256 * 1024;

/** More was to be kept than may be. */
export class SpoolFullError extends Error {}

/** Counts what is on the disk beside other files. */
export interface SpoolRoom {
  /** @returns whether there is room for so many more bytes, which are counted then. */
  tryAdd(bytes: number): boolean;
  remove(bytes: number): void;
}

/**
 * Bytes on the disk, first in first out. The file has no name once it is open, so that it is gone
 * with the process, however that ends.
 */
export class SpoolFile {
  private file: FileHandle | undefined;
  private readAt = 0;
  private writeAt = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly room: SpoolRoom,
  ) {}

  get isEmpty(): boolean {
    return this.readAt === this.writeAt;
  }

  /** @throws SpoolFullError */
  async add(chunk: Buffer): Promise<void> {
    const fits = this.writeAt + chunk.length <= this.maxBytes;
    if (!fits || !this.room.tryAdd(chunk.length)) {
      throw new SpoolFullError('The client reads too slowly: the disk space for exports is full.');
    }
    const at = this.writeAt;
    this.writeAt += chunk.length;
    this.file ??= await openNameless();
    await this.file.write(chunk, 0, chunk.length, at);
  }

  /** What comes next, a part of it; only where there is something. */
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

  /** The disk has the bytes back. */
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
