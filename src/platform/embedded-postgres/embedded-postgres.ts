import { locateBinaries } from './binaries';
import { assertOwnCluster } from './cluster-access';
import { locateCluster } from './cluster-location';
import { assertWritable } from './data-directory';
import { joinServer, type JoinOptions } from './join-server';
import { Membership } from './membership';

/** Recovery after a power failure reads the write-ahead log, at most a few GB of it. */
const OPEN_TIMEOUT_MS = 120_000;
const REJOIN_TIMEOUT_MS = 30_000;

/** This process's share in the embedded PostgreSQL of a data directory. */
export interface EmbeddedPostgres {
  /**
   * Connection URL over a Unix socket, e.g. `postgres://app@/postgres?host=/…&port=5432`. The same
   * for all processes that share the server. The share itself is a connection to the database
   * `postgres`, so that one cannot be dropped or copied as a template.
   */
  readonly url: string;
  /**
   * Gives up this process's share; the last process to give up stops the server and waits until it
   * has ended. Idempotent.
   *
   * @throws Error where the server does not stop within a minute.
   */
  release(): Promise<void>;
}

/** What {@link openEmbeddedPostgres} works on. */
export interface EmbeddedPostgresOptions {
  /** Directory of the service's data; created where it is missing. */
  readonly dataDir: string;
  /** Told what happens, a sentence at a time; never anything secret. */
  readonly log?: (message: string) => void;
  /** PostgreSQL settings beside ours; without effect where the server already runs. */
  readonly settings?: Record<string, string>;
}

/**
 * Starts the cluster in `<dataDir>/postgres`, creating it where there is none, or joins one that
 * already runs. Should the server end while it is shared, it is started again in the background.
 *
 * Nobody needs a password: the server listens on a Unix socket in a private directory, and lets in
 * this user (and root) alone, whom it knows by the socket.
 *
 * @throws Error that says what to do: where there is no PostgreSQL for this platform, where the
 * data directory cannot be used or made, where the cluster is of another major version or another user, or where the server does not come up (with
 * the end of its log).
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => undefined, settings = {} } = options;
  // Where there are none, as in an image, that is what to say, whatever else is wrong.
  locateBinaries();
  const location = await locateCluster(dataDir);
  const { clusterDir } = location;
  await assertOwnCluster(clusterDir);
  await assertWritable(dataDir);
  const common = { location, settings, log };
  const first: JoinOptions = { ...common, mayCreate: true, timeoutMs: OPEN_TIMEOUT_MS };
  // Were the cluster to vanish while it is in use, an empty one in its place would only hide that.
  const again: JoinOptions = { ...common, mayCreate: false, timeoutMs: REJOIN_TIMEOUT_MS };
  const share = await joinServer(first);
  log(`PostgreSQL is ready (process ${share.server.pid})`);
  return new Membership(
    { clusterDir, log, join: (signal) => joinServer({ ...again, signal }) },
    share,
  );
}
