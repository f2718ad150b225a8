import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { fileError } from './csv-file';

/** Writes are not allowed, so that nobody writes to a file that the next publication replaces. */
const WRITES = 0o222;

/** Returns the path of the file that a sync writes, by that of the file that readers open. */
export function workFileOf(file: string): string {
  return `${file}.sync`;
}

/**
 * Copies a work file, which must be complete and does not change meanwhile, to the file that readers open,
 * and replaces that one at once. Readers that have opened it go on to read the former content. The process
 * that has the work file open must be another one: closing a file ends the locks of the own process on it.
 * @throws DestinationError
 */
export async function publishFile(file: string): Promise<void> {
  const next = `${file}.new`;
  try {
    // One that was left behind cannot be written.
    await rm(next, { force: true });
    // File systems that can share the blocks do so.
    await copyFile(workFileOf(file), next, constants.COPYFILE_FICLONE);
    const handle = await open(next, 'r+');
    try {
      await handle.datasync();
      await handle.chmod((await handle.stat()).mode & 0o777 & ~WRITES);
    } finally {
      await handle.close();
    }
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw fileError(error);
  }
}

/**
 * Returns whether readers see the content of a work file.
 * @throws DestinationError
 */
export async function isPublished(file: string): Promise<boolean> {
  const [published, work, log] = await Promise.all([
    find(file),
    find(workFileOf(file)),
    find(`${workFileOf(file)}.wal`),
  ]);
  const writtenAtMs = Math.max(work?.mtimeMs ?? 0, log?.mtimeMs ?? 0);
  return published !== null && published.ino !== work?.ino && published.mtimeMs > writtenAtMs;
}

/**
 * Makes a file that syncs of earlier releases have written themselves the work file. Until the first
 * publication, both are the same file. Its log must be empty.
 * @throws DestinationError
 */
export async function adoptFile(file: string): Promise<void> {
  try {
    await link(file, workFileOf(file));
    // A work file that was published can be read only.
    const { mode } = await stat(file);
    await chmod(workFileOf(file), (mode & 0o777) | 0o600);
  } catch (error) {
    // Another instance was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error);
  }
}

/** Returns whether a file can be one that a program writes: no file that was published is. @throws DestinationError */
export async function isWritable(path: string): Promise<boolean> {
  const found = await find(path);
  return found !== null && (found.mode & WRITES) !== 0;
}

/** Returns whether a file exists. @throws DestinationError */
export async function exists(path: string): Promise<boolean> {
  return (await find(path)) !== null;
}

async function find(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fileError(error);
  }
}
