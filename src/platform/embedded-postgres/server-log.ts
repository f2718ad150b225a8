import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { unlessCode } from './errno';
import type { Owner } from './own-user';

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 2_000;

/**
 * Opens the server's log for appending. If it is large, it is first renamed to `postgres.log.1`.
 */
export async function openLog(
  file: string,
  owner: Owner,
): Promise<{ handle: FileHandle; sizeBytes: number }> {
  const before = await unlessCode(stat(file), ['ENOENT'], null);
  if (before !== null && before.size > LARGEST_LOG_BYTES) {
    await unlessCode(rename(file, `${file}.1`), ['ENOENT'], undefined);
  }
  const handle = await open(file, 'a', 0o600);
  // A log created by root must be writable by the cluster's owner.
  await handle.chown(owner.uid, owner.gid);
  return { handle, sizeBytes: (await handle.stat()).size };
}

/** Returns the end of the log, without the part before `fromByte`. */
export async function readLogTail(file: string, fromByte: number): Promise<string> {
  const handle = await unlessCode(open(file, 'r'), ['ENOENT'], null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(fromByte, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    await handle.read(buffer, 0, buffer.length, start);
    return buffer.toString('utf8').trim();
  } finally {
    await handle.close();
  }
}
