import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import type { PostgresBinaries } from './binaries';
import { runAs } from './program';
import type { ServerIdentity } from './server-identity';

/**
 * Whether the cluster exists. An empty directory does not count as a cluster.
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
