import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import { parsePostmasterFile, postmasterFile } from './postmaster-file';
import { isAlive, isPostmasterOf } from './postmaster-process';

/** A server writes its process id right after creating the file. */
const EMPTY_FOR_GOOD_AFTER_MS = 5_000;

/**
 * Makes lock files harmless that a killed server left. PostgreSQL sees through most of them, but
 * refuses to start where the process id in it is by now some other process of the same user, as
 * after the restart of a container, and where the file is empty.
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
 * PostgreSQL takes a lock of its parent process, which this one is going to be, for stale. The file
 * is kept because its other lines name the shared memory by which PostgreSQL makes sure that no
 * process of the killed server still writes.
 */
async function writeOwnProcessId(file: string, text: string): Promise<void> {
  const before = await unlessCode(stat(file), ['ENOENT'], null);
  if (before === null) return;
  const replacement = `${file}.${process.pid}`;
  try {
    await writeFile(replacement, text.replace(/^-?\d+/, String(process.pid)), { mode: 0o600 });
    await chown(replacement, before.uid, before.gid);
    // Another starting process may have put its server's file here meanwhile.
    const current = await unlessCode(readFile(file, 'utf8'), ['ENOENT'], null);
    if (current === text) await rename(replacement, file);
  } finally {
    await rm(replacement, { force: true });
  }
}
