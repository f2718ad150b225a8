import { join } from 'node:path';
import { makeDataDirectory } from './data-directory';

/** Where one embedded cluster lives: absolute paths, symbolic links resolved. */
export interface ClusterLocation {
  readonly dataDir: string;
  /** PostgreSQL's own data directory. */
  readonly clusterDir: string;
  /** What the server prints; kept over starts. */
  readonly logFile: string;
}

/**
 * Creates `dataDir` where it is missing; every spelling of one directory gives the same location.
 * @throws Error as `makeDataDirectory`
 */
export async function locateCluster(dataDir: string): Promise<ClusterLocation> {
  const real = await makeDataDirectory(dataDir);
  return {
    dataDir: real,
    clusterDir: join(real, 'postgres'),
    logFile: join(real, 'postgres.log'),
  };
}
