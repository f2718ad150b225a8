import { stat } from 'node:fs/promises';
import { unlessCode } from './errno';

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
