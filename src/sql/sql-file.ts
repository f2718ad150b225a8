import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserFile } from '../columnar/user-query';
import { AppError } from '../common/error/app-error';
import type { SqlCopies } from './sql-copies';
import { disconnected, type TimedSession } from './timed-session';

/** Interval between checks of the size of a file. */
const SIZE_CHECK_MS = 250;
const PART_BYTES = 256 * 1024;

/** Where a file is written, and its maximum size. */
export type FilePlace = Pick<SqlCopies, 'workDirectory' | 'maxFileBytes'>;

/**
 * Runs a statement and writes its rows to a Parquet file, which is unlinked once it is open: closing it frees
 * the disk.
 * @returns the open file, and the number of its rows.
 * @throws CopyFailedError, or AppError `query_too_expensive` if the file is too large.
 */
async function writeFile(
  statement: TimedSession,
  { workDirectory, maxFileBytes }: FilePlace,
  file: Omit<UserFile, 'path'>,
): Promise<readonly [FileHandle, rows: number]> {
  const path = join(workDirectory, `${randomUUID()}.parquet`);
  let isTooLarge = false;
  const check = async (): Promise<void> => {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size <= maxFileBytes || isTooLarge) return;
    isTooLarge = true;
    void statement.end();
  };
  const timer = setInterval(() => void check(), SIZE_CHECK_MS);
  try {
    const rows = await statement.run((session) => session.write({ ...file, path }));
    await check();
    if (isTooLarge) throw tooLarge(maxFileBytes);
    return [await open(path), rows];
  } catch (error) {
    throw isTooLarge ? tooLarge(maxFileBytes, error) : error;
  } finally {
    clearInterval(timer);
    // The directory goes with the process.
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** A statement whose rows become a Parquet file. Nothing of the file is there before all of it is written. */
export class SqlFile {
  private handle: FileHandle | undefined;
  private hasEnded = false;
  private isClosed = false;

  /**
   * @param errorOf Returns the public error of a statement.
   * @param release Called once, when the statement has ended.
   */
  constructor(
    private readonly statement: TimedSession,
    private readonly place: FilePlace,
    private readonly file: Omit<UserFile, 'path'>,
    private readonly errorOf: (error: unknown) => unknown,
    private readonly release: () => void,
  ) {}

  /** Runs the statement and yields the bytes of the file. @returns the number of rows. @throws AppError */
  async *parts(): AsyncGenerator<Buffer, number> {
    let rows: number;
    try {
      [this.handle, rows] = await writeFile(this.statement, this.place, this.file);
    } catch (error) {
      throw this.errorOf(error);
    } finally {
      this.endStatement();
    }
    const { handle } = this;
    if (this.isClosed) {
      // It was closed while it was opened.
      this.close();
      throw disconnected();
    }
    const options = { autoClose: false, highWaterMark: PART_BYTES };
    for await (const part of handle.createReadStream(options)) yield part as Buffer;
    return rows;
  }

  /** Ends the statement and closes the file. Can be called again. */
  close(): void {
    this.isClosed = true;
    this.endStatement();
    const { handle } = this;
    this.handle = undefined;
    handle?.close().catch(() => undefined);
  }

  private endStatement(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    void this.statement.end().finally(this.release);
  }
}

function tooLarge(maxBytes: number, cause?: unknown): AppError {
  const max = Math.round(maxBytes / 1024 / 1024).toLocaleString('en-US');
  const message = `The file of the result is larger than ${max} MiB. Read fewer rows or columns.`;
  return new AppError('query_too_expensive', message, { cause });
}
