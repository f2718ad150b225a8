import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unlessCode } from './errno';
import { isOwnUser, NOBODY, ownUser, type Owner } from './own-user';

/** Who the server runs as. PostgreSQL refuses to run as root. */
export interface ServerIdentity {
  /** Whom its files belong to. */
  readonly owner: Owner;
  /** What `spawn` is told; empty where the server runs as this process does. */
  readonly spawnAs: Partial<Owner>;
  /** A command put before the program. */
  readonly prefix: readonly string[];
  /** Who makes a new cluster, where that is another one. */
  readonly creator?: ServerIdentity;
  /** The user ids by which the server sees those who may connect. */
  readonly clientUids: readonly number[];
}

const ROOT: Owner = { uid: 0, gid: 0 };

/**
 * In a user namespace of its own the server takes itself for `nobody`, while the kernel goes on
 * treating it as the owner of root's files, without root's powers.
 */
const IN_USER_NAMESPACE: ServerIdentity = {
  owner: ROOT,
  spawnAs: {},
  prefix: ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, '--'],
  clientUids: [NOBODY.uid],
};

/**
 * Chooses who runs the server. Not as root: this user. As root, the first of these who can enter
 * all of `directories`: the owner of an existing cluster (but for `nobody`, whom other services
 * share), a user id of its own, root in a user namespace, an owner of one of the directories (a
 * service run with `sudo` in somebody's private home).
 *
 * @throws Error where none of them can.
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

/** Whether the permission bits let `who` pass through a directory. */
export function canEnter(directory: DirectoryAccess, who: Owner): boolean {
  if (directory.uid === who.uid) return (directory.mode & 0o100) !== 0;
  if (directory.gid === who.gid) return (directory.mode & 0o010) !== 0;
  return (directory.mode & 0o001) !== 0;
}

/**
 * initdb wants to know its user's name, which a user id of its own has not: `nobody` makes the
 * cluster, in a directory that only this group can enter.
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
