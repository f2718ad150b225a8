import { createHash } from 'node:crypto';
import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unlessCode } from './errno';
import { giveDirectory } from './ownership';
import type { Owner } from './own-user';
import { canEnter } from './server-identity';

/**
 * Maximum length of the directory. A Unix socket's path is limited to 107 bytes on Linux and 103 on
 * macOS, of which the file name takes 14.
 */
const LONGEST_DIRECTORY_BYTES = 103 - '/.s.PGSQL.5432'.length;

/**
 * Returns the possible directories for the server's socket, best first: in the data directory, or,
 * if that path is too long for a socket, in a directory for temporary files, under a name derived
 * from the data directory.
 */
export function socketDirectoryCandidates(
  dataDir: string,
  temporaryDirs: readonly string[] = [tmpdir(), '/tmp'],
): string[] {
  // These names differ from those of earlier releases, whose directories may belong to another
  // user.
  const name = createHash('sha256').update(`peer ${dataDir}`).digest('hex').slice(0, 20);
  return [
    join(dataDir, 'postgres-socket'),
    ...temporaryDirs.map((directory) => join(directory, `postgres-${name}`)),
  ].filter((directory) => Buffer.byteLength(directory) <= LONGEST_DIRECTORY_BYTES);
}

/**
 * Creates the socket's directory, or checks the existing one, so that no other user can reach the
 * server.
 *
 * @throws Error if it is a link, belongs to another user or is open to others.
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

/**
 * Checks that only the server's user can enter the directory. `owner` is `null` in the data
 * directory, where no other user can have created it.
 */
async function assertPrivate(directory: string, owner: Owner | null): Promise<void> {
  const found = await lstat(directory);
  // This process's user is accepted too: another process may be between mkdir and chown, or the
  // server may have run as another user.
  const isOurs = owner === null || [owner.uid, process.getuid?.()].includes(found.uid);
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} is to hold PostgreSQL's socket, but is no directory that its user alone ` +
        'can enter. Remove it.',
    );
  }
}
