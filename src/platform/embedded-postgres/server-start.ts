import { dirname } from 'node:path';
import { writeAccessRules } from './access-rules';
import { locateBinaries } from './binaries';
import { assertSameMajorVersion, clusterExists } from './cluster-check';
import { createCluster } from './cluster-creation';
import type { ClusterLocation } from './cluster-location';
import { giveDirectory } from './ownership';
import { spawnAs } from './program';
import { openLog, readLogTail } from './server-log';
import { chooseIdentity } from './server-identity';
import { serverArguments } from './server-settings';
import { prepareSocketDirectory } from './socket-directory';
import { disownStaleLocks } from './stale-lock';

/** One attempt to start the server. */
export interface StartAttempt {
  /** `null` while the server runs; afterwards how it ended, such as `status 1` or `SIGKILL`. */
  outcome(): string | null;
  /** Returns the end of its output. */
  logTail(): Promise<string>;
}

/** Options of `startServer`. If `mayCreate` is `false`, a missing cluster is an error. */
export interface StartOptions {
  readonly location: ClusterLocation;
  readonly settings: Readonly<Record<string, string>>;
  readonly mayCreate: boolean;
  readonly log: (message: string) => void;
}

/**
 * Starts the server, and creates a cluster if there is none. `postmaster.pid` and the attempt's
 * outcome show whether the server starts, or finds that another process was first.
 */
export async function startServer(options: StartOptions): Promise<StartAttempt> {
  const { location, settings, log } = options;
  const { dataDir, clusterDir, logFile } = location;
  const binaries = locateBinaries();
  const identity = await chooseIdentity(clusterDir, [dataDir, binaries.directory]);
  if (!(await clusterExists(clusterDir))) {
    if (!options.mayCreate) throw new Error(`${clusterDir} is gone.`);
    log(`Creating a PostgreSQL cluster in ${clusterDir}`);
    await createCluster(location, binaries, identity);
  }
  await assertSameMajorVersion(clusterDir, binaries, identity);
  await giveDirectory(clusterDir, identity.owner);
  await writeAccessRules(clusterDir, identity);
  const socketDir = await prepareSocketDirectory(dataDir, identity.owner);
  await disownStaleLocks(clusterDir, socketDir);

  log(`Starting PostgreSQL in ${clusterDir}`);
  const { handle, sizeBytes } = await openLog(logFile, identity.owner);
  try {
    const child = spawnAs(
      identity,
      binaries.postgres,
      serverArguments(clusterDir, socketDir, settings),
      // A separate session, so that Ctrl-C in the terminal reaches only the service, which stops
      // the server.
      { cwd: dirname(clusterDir), detached: true, stdio: ['ignore', handle.fd, handle.fd] },
    );
    let outcome: string | null = null;
    child.once('error', (error) => (outcome = error.message));
    child.once('exit', (code, signal) => (outcome = signal ?? `status ${code ?? 'unknown'}`));
    child.unref();
    return { outcome: () => outcome, logTail: () => readLogTail(logFile, sizeBytes) };
  } finally {
    await handle.close();
  }
}
