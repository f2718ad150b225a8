import { join } from 'node:path';
import { makeDataDirectory } from './data-directory';

/** Location of one embedded cluster: absolute paths with symbolic links resolved. */
export interface ClusterLocation {
  readonly dataDir: string;
  /** PostgreSQL's data directory. */
  readonly clusterDir: string;
  /** Output of the server, kept across starts. */
  readonly logFile: string;
}

/**
 * Locates the cluster, and creates `dataDir` if it is missing. Every spelling of one directory
 * returns the same location.
 * @throws Error as `makeDataDirectory` does.
 */
export async function locateCluster(dataDir: string): Promise<ClusterLocation> {
  const real = await makeDataDirectory(dataDir);
  return {
    dataDir: real,
    clusterDir: join(real, 'postgres'),
    logFile: join(real, 'postgres.log'),
  };
}
