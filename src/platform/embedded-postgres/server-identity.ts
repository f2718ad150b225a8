import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unlessCode } from './errno';
import { isOwnUser, NOBODY, ownUser, type Owner } from './own-user';

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

/** Whether the permission bits allow `who` to enter a directory. */
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
