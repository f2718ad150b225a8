import { randomUUID } from 'node:crypto';
import { chown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries';
import type { ClusterLocation } from './cluster-location';
import { unlessCode } from './errno';
import { runAs } from './program';
import { giveDirectory } from './ownership';
import type { ServerIdentity } from './server-identity';

const UNFINISHED_PREFIX = 'postgres.new-';
/** Age from which an unfinished cluster is abandoned. No running initdb takes nearly as long. */
const ABANDONED_AFTER_MS = 10 * 60_000;

const INITDB_OPTIONS = [
  '--username=app',
  // The access rules are written at each start.
  '--auth=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

/**
 * Creates the cluster in a temporary directory and renames it into place, so that an incomplete
 * cluster is never visible. If two processes create it at the same time, the later one discards its
 * own.
 */
export async function createCluster(
  { dataDir, clusterDir }: ClusterLocation,
  binaries: PostgresBinaries,
  identity: ServerIdentity,
): Promise<void> {
  await removeAbandoned(dataDir);
  const unfinished = join(dataDir, UNFINISHED_PREFIX + randomUUID());
  const made = join(unfinished, 'postgres');
  const { owner, creator = identity } = identity;
  try {
    await mkdir(unfinished, { mode: 0o710 });
    await chown(unfinished, process.getuid?.() ?? 0, creator.owner.gid);
    await mkdir(made, { mode: 0o700 });
    await chown(made, creator.owner.uid, creator.owner.gid);
    await runAs(creator, binaries.initdb, [...INITDB_OPTIONS, '-D', made]);
    await giveDirectory(made, owner);
    await unlessCode(rename(made, clusterDir), ['ENOTEMPTY', 'EEXIST'], undefined);
    await syncDirectory(dataDir);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes the files of processes that were killed during initdb. */
async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    const path = join(dataDir, name);
    const found = await unlessCode(stat(path), ['ENOENT'], null);
    if (found !== null && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/**
 * Flushes a directory to disk. A rename survives a power failure only after its parent is flushed.
 */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
