import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresBinaries, runAs } from './program';
import type { ClusterLocation } from './data-directory';
import { giveDirectory, unlessCode } from './own-user';
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

const HEADER = '# Written by the service at each start of the server.\n';

/**
 * Writes the access rules. They admit the service's user and the server's own, identified by the
 * user id that the kernel reports for the peer of a Unix socket (`peer`). Clusters of earlier
 * releases, which admitted every process that could reach the socket, get the same rules. Call it
 * only while no server uses the cluster.
 */
export async function writeAccessRules(
  clusterDir: string,
  identity: ServerIdentity,
): Promise<void> {
  const found = await Promise.all([...new Set(identity.clientUids)].map(nameOf));
  const names = found.filter((name) => name !== null);
  // Without names, users cannot be told apart. The socket's directory admits only these users.
  const method = names.length > 0 ? 'peer map=service' : 'trust';
  await put(clusterDir, identity, 'pg_hba.conf', `local all all ${method}\n`);
  const mappings = names.map((name) => `service "${name}" "app"\n`);
  await put(clusterDir, identity, 'pg_ident.conf', mappings.join(''));
}

/**
 * Returns the user's name as the server looks it up.
 * @returns `null` if there is no name, or none that a rule can contain.
 */
async function nameOf(uid: number): Promise<string | null> {
  const command = promisify(execFile)('id', ['-un', String(uid)]);
  const name = await command.then(({ stdout }) => stdout.trim()).catch(() => '');
  return /^[^"/\s][^"\s]*$/.test(name) ? name : null;
}

async function put(
  clusterDir: string,
  { owner }: ServerIdentity,
  name: string,
  rules: string,
): Promise<void> {
  const file = join(clusterDir, name);
  const text = HEADER + rules;
  if ((await unlessCode(readFile(file, 'utf8'), ['ENOENT'], null)) === text) return;
  // Other starts, also of this process, may write the same file at the same time.
  const replacement = `${file}.${randomUUID()}`;
  try {
    await writeFile(replacement, text, { mode: 0o600 });
    await chown(replacement, owner.uid, owner.gid);
    await rename(replacement, file);
  } finally {
    await rm(replacement, { force: true });
  }
}

/**
 * Returns whether the cluster exists. An empty directory does not count as a cluster.
 * @throws Error if the directory contains other files.
 */
export async function clusterExists(clusterDir: string): Promise<boolean> {
  const names = await unlessCode(readdir(clusterDir), ['ENOENT'], [] as string[]);
  if (names.length > 0 && !names.includes('PG_VERSION')) {
    throw new Error(`${clusterDir} holds files, but no PostgreSQL database. Move them away.`);
  }
  return names.length > 0;
}

/**
 * Checks the major version of the cluster.
 * @throws Error if the cluster and the programs have different major versions.
 */
export async function assertSameMajorVersion(
  clusterDir: string,
  binaries: PostgresBinaries,
  identity: ServerIdentity,
): Promise<void> {
  const found = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const printed = await runAs(identity, binaries.postgres, ['--version']);
  const major = /PostgreSQL\)? (\d+)/.exec(printed)?.[1];
  if (found !== major) {
    throw new Error(
      `${clusterDir} was made by PostgreSQL ${found}; the embedded one is ${major ?? printed}. ` +
        `Dump it with version ${found} and load it into a new directory, or set DATABASE_URL to ` +
        `a server of version ${found}.`,
    );
  }
}

/**
 * Checks that this process may use the cluster.
 * @throws Error if the cluster belongs to another user and this process is not root.
 */
export async function assertOwnCluster(clusterDir: string): Promise<void> {
  const self = process.getuid?.() ?? 0;
  const found = await unlessCode(stat(clusterDir), ['ENOENT', 'EACCES'], null);
  if (self === 0 || found === null || found.uid === self) return;
  throw new Error(
    `${clusterDir} belongs to the user with id ${found.uid}, and this process runs as ${self}. ` +
      'Run it as that user or as root, give it another data directory, or set DATABASE_URL.',
  );
}
