import { createHash } from 'node:crypto';
import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unlessCode } from './errno';
import { giveDirectory } from './ownership';
import type { Owner } from './own-user';
import { canEnter } from './server-identity';

/** A Unix socket's path holds 107 bytes on Linux, 103 on macOS; the file's name takes 14 of them. */
const LONGEST_DIRECTORY_BYTES = 103 - '/.s.PGSQL.5432'.length;

/**
 * Where the server may put its socket, best first: in the data directory, or where that path is too
 * long for a socket, in a directory for temporary files, under a name that follows from the data
 * directory.
 */
export function socketDirectoryCandidates(
  dataDir: string,
  temporaryDirs: readonly string[] = [tmpdir(), '/tmp'],
): string[] {
  // Other names than earlier releases had, whose directories may belong to another user.
  const name = createHash('sha256').update(`peer ${dataDir}`).digest('hex').slice(0, 20);
  return [
    join(dataDir, 'postgres-socket'),
    ...temporaryDirs.map((directory) => join(directory, `postgres-${name}`)),
  ].filter((directory) => Buffer.byteLength(directory) <= LONGEST_DIRECTORY_BYTES);
}

/**
 * Creates the socket's directory, or checks the one that is there: nobody else is to get near
 * the server.
 *
 * @throws Error where it is a link, belongs to somebody else or is open to others.
 */
export async function prepareSocketDirectory(dataDir: string, owner: Owner): Promise<string> {
  for (const directory of socketDirectoryCandidates(dataDir)) {
    if (!canEnter(await stat(dirname(directory)), owner)) continue;
    await unlessCode(mkdir(directory, { mode: 0o700 }), ['EEXIST'], undefined);
    await assertPrivate(directory, dirname(directory) === dataDir ? null : owner);
    await giveDirectory(directory, owner);
    return directory;
  }
  throw new Error(`Found no directory for PostgreSQL's socket: ${dataDir} has too long a path.`);
}

/** `owner` is null in the data directory, where nobody else can have put anything. */
async function assertPrivate(directory: string, owner: Owner | null): Promise<void> {
  const found = await lstat(directory);
  // Ours as well: another process may be between mkdir and chown, or the server had another user.
  const isOurs = owner === null || [owner.uid, process.getuid?.()].includes(found.uid);
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} is to hold PostgreSQL's socket, but is no directory that its user alone ` +
        'can enter. Remove it.',
    );
  }
}
