import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import { parsePostmasterFile, postmasterFile } from './postmaster-file';
import { isAlive, isPostmasterOf } from './postmaster-process';

/**
 * Age from which an empty lock file is stale. A server writes its process id right after creating
 * it.
 */
const EMPTY_FOR_GOOD_AFTER_MS = 5_000;

/**
 * Neutralizes lock files that a killed server left behind. PostgreSQL detects most of them, but
 * does not start if the process id in the file now belongs to another process of the same user, as
 * after a container restart, or if the file is empty.
 */
export async function disownStaleLocks(clusterDir: string, socketDir: string): Promise<void> {
  await disown(clusterDir, postmasterFile(clusterDir));
  await disown(clusterDir, join(socketDir, '.s.PGSQL.5432.lock'));
}

async function disown(clusterDir: string, file: string): Promise<void> {
  const text = await unlessCode(readFile(file, 'utf8'), ['ENOENT'], null);
  if (text === null) return;
  const pid = parsePostmasterFile(text)?.pid;
  if (pid === undefined) {
    await removeEmpty(file);
  } else if (isAlive(pid) && !(await isPostmasterOf(clusterDir, pid))) {
    await writeOwnProcessId(file, text);
  }
}

async function removeEmpty(file: string): Promise<void> {
  const found = await unlessCode(stat(file), ['ENOENT'], null);
  if (found !== null && Date.now() - found.mtimeMs > EMPTY_FOR_GOOD_AFTER_MS) {
    await rm(file, { force: true });
  }
}

/**
 * Replaces the process id with this process's own, because PostgreSQL treats a lock of its parent
 * process as stale. The file is kept because its other lines identify the shared memory with which
 * PostgreSQL ensures that no process of the killed server is still writing.
 */
async function writeOwnProcessId(file: string, text: string): Promise<void> {
  const before = await unlessCode(stat(file), ['ENOENT'], null);
  if (before === null) return;
  const replacement = `${file}.${process.pid}`;
  try {
    await writeFile(replacement, text.replace(/^-?\d+/, String(process.pid)), { mode: 0o600 });
    await chown(replacement, before.uid, before.gid);
    // Another process may have replaced it with its own server's file in the meantime.
    const current = await unlessCode(readFile(file, 'utf8'), ['ENOENT'], null);
    if (current === text) await rename(replacement, file);
  } finally {
    await rm(replacement, { force: true });
  }
}
