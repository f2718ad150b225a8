import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is read of the file at once. */
const MOST_READ_BYTES = 256 * 1024;

/** More was to be kept than may be. */
export class SpoolFullError extends Error {}

/**
 * Bytes on the disk, first in first out. The file has no name once it is open, so that it is gone
 * with the process, however that ends.
 */
export class SpoolFile {
  private file: FileHandle | undefined;
  private readAt = 0;
  private writeAt = 0;

  constructor(private readonly mostBytes: number) {}

  get isEmpty(): boolean {
    return this.readAt === this.writeAt;
  }

  /** @throws SpoolFullError */
  async add(chunk: Buffer): Promise<void> {
    if (this.writeAt + chunk.length > this.mostBytes) {
      throw new SpoolFullError('More waits for a slow reader than may be kept on the disk.');
    }
    this.file ??= await openNameless();
    await this.file.write(chunk, 0, chunk.length, this.writeAt);
    this.writeAt += chunk.length;
  }

  /** What comes next, a part of it; only where there is something. */
  async take(): Promise<Buffer> {
    const length = Math.min(this.writeAt - this.readAt, MOST_READ_BYTES);
    const chunk = Buffer.allocUnsafe(length);
    const read = await this.file?.read(chunk, 0, length, this.readAt);
    if (!read?.bytesRead) throw new Error('A spooled file has lost what was written to it.');
    this.readAt += read.bytesRead;
    if (this.isEmpty) {
      this.readAt = this.writeAt = 0;
      await this.file?.truncate();
    }
    return chunk.subarray(0, read.bytesRead);
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `datagrid-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}
