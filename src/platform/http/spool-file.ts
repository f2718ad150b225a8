import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Maximum bytes read from the file at once. */
const MAX_READ_BYTES = 256 * 1024;

/** Thrown when a spool would exceed its own limit or the limit of all spool files together. */
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

  /** @throws SpoolFullError if the file or all files together would be too large. */
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
