import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, unlessCode } from './own-user';

/**
 * Creates the data directory if it is missing.
 * @returns its absolute path with symbolic links resolved.
 * @throws Error naming DATA_DIR if it is not a directory or cannot be created.
 */
export async function makeDataDirectory(dataDir: string): Promise<string> {
  return explained(dataDir, async () => {
    await make(dataDir);
    const real = await realpath(dataDir);
    if (!(await stat(real)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    return real;
  });
}

/**
 * Checks that this user can read and write the data directory.
 * @throws Error naming DATA_DIR if not.
 */
export async function assertWritable(dataDir: string): Promise<void> {
  await explained(dataDir, () => access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK));
}

/**
 * Creates a directory and its parents. Node's `recursive` option loops forever below a dangling
 * link.
 */
async function make(directory: string): Promise<void> {
  const parent = dirname(directory);
  if (await unlessCode(makeOne(directory), parent === directory ? [] : ['ENOENT'], false)) return;
  await make(parent);
  await makeOne(directory);
}

async function makeOne(directory: string): Promise<true> {
  await unlessCode(mkdir(directory), ['EEXIST'], undefined);
  return true;
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'must be a directory',
  ENOTDIR: 'must be a directory',
  EACCES: 'must be a directory that this user can make and write in',
  EPERM: 'must be a directory that this user can make and write in',
  EROFS: 'must be on a file system that can be written to',
};

async function explained<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    const reason = REASONS[code] ?? `must be a directory that can be made (${code})`;
    throw new Error(`Wrong setting: DATA_DIR ${reason} (it is ${JSON.stringify(dataDir)})`, {
      cause,
    });
  }
}

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
