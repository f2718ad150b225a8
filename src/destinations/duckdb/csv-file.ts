import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type CsvLines, DestinationError } from '../destination';

/** Length of the longest line that the reader always takes. */
const MIN_LINE_BYTES = 2 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const [QUOTE, LINE_FEED] = [0x22, 0x0a];

/**
 * Writes lines to a new file, so that no transaction waits for their source.
 * @returns the number of bytes.
 */
export async function writeLines(
  path: string,
  rows: CsvLines,
  signal: AbortSignal,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw fileError(cause);
  });
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let failure: unknown;
  stream.once('error', (error) => {
    failure = error;
  });
  try {
    await pipeline(rows, stream, { signal });
    return stream.bytesWritten;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const isOfFile = error === failure && (error as NodeJS.ErrnoException).syscall !== undefined;
    throw isOfFile ? fileError(error) : error;
  }
}

/**
 * Returns the length of the longest line of a file, or a little more. DuckDB must know it: if a line is
 * longer than its buffers, it can read one text as several.
 */
export async function findLongestLine(path: string): Promise<number> {
  let [longest, length, isQuoted] = [MIN_LINE_BYTES, 0, false];
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    const bytes = chunk as Buffer;
    let at = 0;
    // An iterator is slower.
    while (at < bytes.length) {
      const byte = bytes[at];
      at += 1;
      length += 1;
      if (byte === QUOTE) {
        isQuoted = !isQuoted;
      } else if (byte === LINE_FEED && !isQuoted) {
        if (length > longest) longest = length;
        length = 0;
      }
    }
  }
  return Math.max(longest, length) + 2;
}

/** Returns the error of an access to the directory of a file. */
export function fileError(cause: unknown): DestinationError {
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(
    (cause as NodeJS.ErrnoException).code ?? '',
  );
  const message = isFull
    ? 'The disk of the file is full. Nothing was changed. The sync continues once there is space.'
    : 'The directory of the file cannot be written. The operator must give the service access to it.';
  return new DestinationError('unavailable', message, { cause });
}
