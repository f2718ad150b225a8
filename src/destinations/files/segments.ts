import type { DataFile } from './file-catalog';

/** Number of rows and bytes that a file has at most, more or less. */
export interface FileLimits {
  readonly rows: number;
  readonly bytes: number;
}

export const FILE_LIMITS: FileLimits = { rows: 1_000_000, bytes: 96 * 1024 * 1024 };
/** Size of a file that no step writes: what is larger is none of a sync. */
export const MAX_FILE_BYTES = 1024 ** 3;
/** Files of a load that are written again together. Their sizes double, so there are fewer. */
const MAX_JOINED = 32;
/** A last file of this part of the maximum gets no more rows. */
const FULL_PART = 0.5;
/** A file is divided beyond this multiple of the maximum. */
const TOO_LARGE = 1.5;

/** The ids that belong to one file, or to none yet. The segments of a table have all ids. */
export interface Segment {
  /** `null` if the ids are higher than those of all files. */
  readonly file: DataFile | null;
  readonly fromId: number;
  readonly toId: number;
}

/**
 * Divides all ids among the files of a table. Ids between two files belong to the first one. New rows
 * have higher ids than all others: they go to the last file until it is half full, and then to a new
 * one, so that a growing table does not write its old files again.
 */
export function segmentsOf(files: readonly DataFile[], limits: FileLimits): Segment[] {
  const [last] = files.slice(-1);
  const isFull =
    last === undefined ||
    last.rows >= limits.rows * FULL_PART ||
    last.bytes >= limits.bytes * FULL_PART;
  const starts = files.map((file, index) => ({
    file,
    fromId: index === 0 ? Number.MIN_SAFE_INTEGER : file.fromId,
  }));
  const all: { readonly file: DataFile | null; readonly fromId: number }[] = [
    ...starts,
    ...(isFull
      ? [{ file: null, fromId: last === undefined ? Number.MIN_SAFE_INTEGER : last.toId + 1 }]
      : []),
  ];
  return all.map((segment, index) => ({
    ...segment,
    toId: (all[index + 1]?.fromId ?? Number.MAX_SAFE_INTEGER + 1) - 1,
  }));
}

/** Returns the number of files that rows are divided into. A file that is a little too large stays one. */
export function piecesOf(rows: number, bytes: number, limits: FileLimits): number {
  const size = Math.max(rows / limits.rows, bytes / limits.bytes);
  return size <= TOO_LARGE ? 1 : Math.ceil(size);
}

/**
 * Returns the last files of a load that are written again together with new rows. Files of similar size
 * are joined, so that a load of many small parts has few files and writes each row a few times.
 */
export function joinedWith(
  files: readonly DataFile[],
  rows: number,
  limits: FileLimits,
): readonly DataFile[] {
  let [first, joinedRows, joinedBytes] = [files.length, rows, 0];
  for (;;) {
    const file = files[first - 1];
    if (file === undefined || file.rows > 2 * joinedRows) break;
    if (files.length - first === MAX_JOINED) break;
    [joinedRows, joinedBytes] = [joinedRows + file.rows, joinedBytes + file.bytes];
    if (joinedRows > limits.rows || joinedBytes > limits.bytes * FULL_PART) break;
    first -= 1;
  }
  return files.slice(first);
}
