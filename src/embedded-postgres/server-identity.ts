import { createHash } from 'node:crypto';
import {
  chown,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  errorCode,
  giveDirectory,
  isOwnUser,
  NOBODY,
  type Owner,
  ownUser,
  unlessCode,
} from './own-user';

/** User that the server runs as. PostgreSQL does not run as root. */
export interface ServerIdentity {
  /** Owner of its files. */
  readonly owner: Owner;
  /** Options for `spawn`. Empty if the server runs as this process's user. */
  readonly spawnAs: Partial<Owner>;
  /** Command that precedes the program. */
  readonly prefix: readonly string[];
  /** Identity that creates a new cluster, if it is a different one. */
  readonly creator?: ServerIdentity;
  /** User ids, as the server sees them, of the users that may connect. */
  readonly clientUids: readonly number[];
}

const ROOT: Owner = { uid: 0, gid: 0 };

/**
 * Runs the server in its own user namespace: it sees itself as `nobody`, while the kernel treats it
 * as the owner of root's files, without root's privileges.
 */
const IN_USER_NAMESPACE: ServerIdentity = {
  owner: ROOT,
  spawnAs: {},
  prefix: ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, '--'],
  clientUids: [NOBODY.uid],
};

/**
 * Chooses the user that runs the server. If this process is not root, this is its own user. If it
 * is root, this is the first of these that can enter all of `directories`: the owner of an existing
 * cluster (except root and `nobody`, which other services share), a dedicated user id, root in a
 * user namespace, and an owner of one of the directories (for a service run with `sudo` in a
 * private home directory).
 *
 * @throws Error if none of them can.
 */
export async function chooseIdentity(
  clusterDir: string,
  directories: readonly string[],
): Promise<ServerIdentity> {
  const self: Owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (self.uid !== 0) {
    return { owner: self, spawnAs: {}, prefix: [], clientUids: [0, self.uid] };
  }

  const ways = await Promise.all([...new Set(directories.flatMap(withParents))].map(statOf));
  const existing = await unlessCode(stat(clusterDir), ['ENOENT'], null);
  const own = await ownUser(clusterDir);
  const candidates = [
    ...(existing === null || [0, NOBODY.uid].includes(existing.uid) ? [] : [withOwner(existing)]),
    ...(own === null ? [] : [withOwner(own)]),
    ...(process.platform === 'linux' ? [IN_USER_NAMESPACE] : []),
    ...ways.filter((way) => way.uid !== 0).map(withOwner),
  ];
  const found = candidates.find(({ owner }) => ways.every((way) => canEnter(way, owner)));
  if (found === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, and nobody else can enter all of ' +
        `${directories.join(' and ')}. Make them enterable, or set DATABASE_URL.`,
    );
  }
  return found;
}

interface DirectoryAccess extends Owner {
  readonly mode: number;
}

/** Returns whether the permission bits allow `who` to enter a directory. */
export function canEnter(directory: DirectoryAccess, who: Owner): boolean {
  if (directory.uid === who.uid) return (directory.mode & 0o100) !== 0;
  if (directory.gid === who.gid) return (directory.mode & 0o010) !== 0;
  return (directory.mode & 0o001) !== 0;
}

/**
 * Returns the identity of a user. A dedicated user id has no name, which initdb needs. In that case
 * `nobody` creates the cluster, in a directory that only this group can enter.
 */
function withOwner({ uid, gid }: Owner): ServerIdentity {
  const [owner, maker] = [
    { uid, gid },
    { uid: NOBODY.uid, gid },
  ];
  const clientUids = [0, ...(uid === NOBODY.uid ? [] : [uid])];
  const plain = { owner, spawnAs: owner, prefix: [], clientUids };
  if (!isOwnUser(uid)) return plain;
  return { ...plain, creator: { ...plain, owner: maker, spawnAs: maker } };
}

function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...withParents(parent)];
}

async function statOf(directory: string): Promise<DirectoryAccess> {
  const { uid, gid, mode } = await stat(directory);
  return { uid, gid, mode };
}

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

/** Contents of a running server's lock file, `postmaster.pid`. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  /** `starting`, `ready`, `stopping`, or empty while the file is being written. */
  readonly status: string;
}

/** Path of the lock file with which the server ensures that no other server uses its cluster. */
function postmasterFile(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/**
 * Parses the lines of `postmaster.pid`.
 * @returns `null` if it does not contain a process id.
 */
function parsePostmasterFile(text: string): RunningServer | null {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return {
    pid,
    port: Number(lines[3] ?? ''),
    socketDir: lines[4] ?? '',
    status: (lines[7] ?? '').trim(),
  };
}

/**
 * Finds the server that runs on a cluster.
 * @returns `null` if none is running, even if its file was left behind.
 */
export async function findRunningServer(clusterDir: string): Promise<RunningServer | null> {
  const text = await unlessCode(readFile(postmasterFile(clusterDir), 'utf8'), ['ENOENT'], '');
  const server = parsePostmasterFile(text);
  return server !== null && (await isPostmasterOf(clusterDir, server.pid)) ? server : null;
}

/**
 * Returns whether process `pid` is alive and is the server of this cluster. The process id alone is
 * not enough: after a restart of the machine or container it likely belongs to another process.
 */
export async function isPostmasterOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const text = await unlessCode(
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ['ENOENT', 'ESRCH', 'EACCES'],
    null,
  );
  // If /proc hides the process, assume that it is the server.
  if (text === null) return isAlive(pid);
  return isCommandLineOf(clusterDir, text.split('\0'));
}

async function isCommandLineOf(clusterDir: string, command: readonly string[]): Promise<boolean> {
  // A zombie process has an empty command line.
  if (basename(command[0] ?? '') !== 'postgres') return false;
  const directory = command[command.indexOf('-D') + 1];
  if (!command.includes('-D') || directory === undefined) return true;
  if (directory === clusterDir) return true;
  return (await unlessCode(realpath(directory), ['ENOENT', 'EACCES'], null)) === clusterDir;
}

/** Returns whether the process exists, including zombie processes. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
