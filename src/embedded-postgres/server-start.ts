import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { locateBinaries, spawnAs } from './program';
import {
  assertSameMajorVersion,
  clusterExists,
  createCluster,
  writeAccessRules,
} from './cluster-creation';
import type { ClusterLocation } from './data-directory';
import { errorCode, giveDirectory, type Owner, unlessCode } from './own-user';
import {
  chooseIdentity,
  disownStaleLocks,
  isPostmasterOf,
  prepareSocketDirectory,
} from './server-identity';

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

/**
 * Settings of the embedded server, for a machine that it shares with the service. All others keep
 * PostgreSQL's defaults. In particular, a commit is on disk before PostgreSQL reports success.
 */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  // Most disks are solid-state, and short queries do not recoup the cost of compilation.
  random_page_cost: '1.1',
  jit: 'off',
  // The same on every machine, regardless of its time zone.
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // The log contains no statements and no row values, because they may be confidential.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Returns the server's command-line arguments. */
function serverArguments(
  clusterDir: string,
  socketDir: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all: Record<string, string> = {
    ...DEFAULT_SETTINGS,
    ...settings,
    // No TCP port: only processes that can enter the socket's directory can connect.
    listen_addresses: '',
    port: '5432',
    // The value is a list of directories, so a path with a comma needs quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, ...options];
}

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 2_000;

/**
 * Opens the server's log for appending. If it is large, it is first renamed to `postgres.log.1`.
 */
async function openLog(
  file: string,
  owner: Owner,
): Promise<{ handle: FileHandle; sizeBytes: number }> {
  const before = await unlessCode(stat(file), ['ENOENT'], null);
  if (before !== null && before.size > LARGEST_LOG_BYTES) {
    await unlessCode(rename(file, `${file}.1`), ['ENOENT'], undefined);
  }
  const handle = await open(file, 'a', 0o600);
  // A log created by root must be writable by the cluster's owner.
  await handle.chown(owner.uid, owner.gid);
  return { handle, sizeBytes: (await handle.stat()).size };
}

/** Returns the end of the log, without the part before `fromByte`. */
async function readLogTail(file: string, fromByte: number): Promise<string> {
  const handle = await unlessCode(open(file, 'r'), ['ENOENT'], null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(fromByte, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    await handle.read(buffer, 0, buffer.length, start);
    return buffer.toString('utf8').trim();
  } finally {
    await handle.close();
  }
}

const LONGEST_STOP_MS = 60_000;
const POLL_MS = 10;

/**
 * Stops the server by a fast shutdown (SIGINT, which ends all sessions and writes all data) and
 * waits until its process has ended.
 *
 * @throws Error if that takes longer than a minute.
 */
export async function stopServer(clusterDir: string, pid: number): Promise<void> {
  const deadline = Date.now() + LONGEST_STOP_MS;
  if (!(await isPostmasterOf(clusterDir, pid))) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  while (await isPostmasterOf(clusterDir, pid)) {
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL (process ${pid}) did not stop within ${LONGEST_STOP_MS} ms`);
    }
    await delay(POLL_MS);
  }
}

/**
 * Returns whether to start the server again after an attempt that ended with `outcome` and printed
 * `logTail`. This is the case if another process was first and has stopped its server since, or if
 * processes of a killed server are still shutting down.
 */
export function isWorthAnother(outcome: string, logTail: string): boolean {
  if (outcome === 'status 0') return true;
  return /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(logTail);
}
