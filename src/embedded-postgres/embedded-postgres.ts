import { locateBinaries } from './program';
import { assertOwnCluster } from './cluster-creation';
import { assertWritable, locateCluster } from './data-directory';
import { type JoinOptions, joinServer, Membership } from './share';

/** Recovery after a power failure reads the write-ahead log, which has at most a few GB. */
const OPEN_TIMEOUT_MS = 120_000;
const REJOIN_TIMEOUT_MS = 30_000;

/** This process's share in the embedded PostgreSQL of a data directory. */
export interface EmbeddedPostgres {
  /**
   * Connection URL over a Unix socket, such as `postgres://app@/postgres?host=/…&port=5432`. All
   * processes that share the server have the same URL. The share itself is a connection to the
   * database `postgres`, so that database cannot be dropped or used as a template.
   */
  readonly url: string;
  /** Announces the possible URLs of this service, best first, to the other processes. */
  announce(urls: readonly string[]): Promise<void>;
  /** Returns the URL that a running service has announced, or null. */
  findServiceUrl(): Promise<string | null>;
  /**
   * Releases this process's share. The last process to release its share stops the server and waits
   * until it has ended. Idempotent.
   * @throws Error if the server does not stop within a minute.
   */
  release(): Promise<void>;
}

/** Options of {@link openEmbeddedPostgres}. */
export interface EmbeddedPostgresOptions {
  /** Data directory of the service. Created if it is missing. */
  readonly dataDir: string;
  /** Receives messages about the server, one sentence each. They never contain secrets. */
  readonly log?: (message: string) => void;
  /** Additional PostgreSQL settings. They have no effect if the server is already running. */
  readonly settings?: Record<string, string>;
}

/**
 * Starts the cluster in `<dataDir>/postgres`, and creates it if there is none, or joins a running
 * server. If the server ends while it is shared, it is restarted in the background.
 *
 * No password is needed: the server listens on a Unix socket in a private directory and admits only
 * this user (and root), whom it identifies by the socket.
 *
 * @throws Error with a suggested fix: if there is no PostgreSQL for this platform, if the data
 *   directory cannot be used or created, if the cluster has another major version or belongs to
 *   another user, or if the server does not start (with the end of its log).
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => undefined, settings = {} } = options;
  // If the programs are missing, as in a container image, report that before any other problem.
  locateBinaries();
  const location = await locateCluster(dataDir);
  const { clusterDir } = location;
  await assertOwnCluster(clusterDir);
  await assertWritable(dataDir);
  const common = { location, settings, log };
  const first: JoinOptions = { ...common, mayCreate: true, timeoutMs: OPEN_TIMEOUT_MS };
  // If the cluster disappears while it is in use, an empty new cluster would only hide the loss.
  const again: JoinOptions = { ...common, mayCreate: false, timeoutMs: REJOIN_TIMEOUT_MS };
  const share = await joinServer(first);
  log(`PostgreSQL is ready (process ${share.server.pid})`);
  return new Membership(
    { clusterDir, log, join: (signal) => joinServer({ ...again, signal }) },
    share,
  );
}
