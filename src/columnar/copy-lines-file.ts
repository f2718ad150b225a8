import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findLongestLine, writeLines } from '../destinations/duckdb/csv-file';
import type { CsvFile } from '../destinations/duckdb/duckdb-sql';
import { DestinationError } from '../destinations/destination';
import type { ColumnarProcess } from './columnar-database';
import { CopyFailedError } from './copy-failed';

/** Thrown if lines take more bytes than they may. */
export class LinesTooLongError extends Error {}

/**
 * Writes lines to a file that the process of the columnar database can read, as long as `use` runs.
 * @returns the size of the file in bytes. `use` is not called if there are no lines.
 * @throws LinesTooLongError, CopyFailedError, what `lines` throws, or what `use` throws.
 */
export async function withLinesFile(
  { workDirectory, signal }: ColumnarProcess,
  lines: AsyncIterable<Buffer>,
  maxBytes: number,
  use: (file: CsvFile) => Promise<void>,
): Promise<number> {
  const path = join(workDirectory, `${randomUUID()}.csv`);
  try {
    const bytes = await writeLines(path, bounded(lines, maxBytes), signal);
    if (bytes > 0) await use({ path, maxLineBytes: await findLongestLine(path) });
    return bytes;
  } catch (error) {
    throw isOfCopy(error)
      ? new CopyFailedError('Lines could not be written.', { cause: error })
      : error;
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function* bounded(lines: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of lines) {
    bytes += part.length;
    if (bytes > maxBytes) throw new LinesTooLongError('The lines are too long.');
    yield part;
  }
}

/** Returns whether an error is one of the process or of the file, and not one of the source of the lines. */
function isOfCopy(error: unknown): boolean {
  return error instanceof DestinationError || (error instanceof Error && 'path' in error);
}
