import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from './own-user';
import { findRunningServer, type RunningServer } from './server-identity';
import {
  isWorthAnother,
  type StartAttempt,
  type StartOptions,
  startServer,
  stopServer,
} from './server-start';

/**
 * Key of the advisory lock that marks the server as in use. Any number works if nothing else locks
 * it.
 */
const IN_USE_LOCK = '7310868735323631469';
const PATIENCE_MS = 5_000;
/** Longer names of applications are truncated by PostgreSQL. */
const MAX_NAME_BYTES = 63;

/**
 * This process's share in a running server: a connection that holds a shared lock. It ends with the
 * process, even after a crash, so nothing needs to be cleaned up.
 */
interface Share {
  readonly server: RunningServer;
  readonly client: Client;
  /** Resolves when the connection ends for any reason. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Takes a share.
 * @returns the share, or a `problem` if the server is not ready, not yet or no longer.
 */
async function takeShare(
  clusterDir: string,
  server: RunningServer,
): Promise<Share | { problem: string }> {
  const client = new Client({
    host: server.socketDir,
    port: server.port,
    user: 'app',
    database: 'postgres',
    ssl: false,
    application_name: 'embedded-postgres-share',
    connectionTimeoutMillis: PATIENCE_MS,
    statement_timeout: PATIENCE_MS,
  });
  const ended = new Promise<void>((resolve) => void client.once('end', resolve));
  // Without a listener, the end of the server would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [IN_USE_LOCK]);
    // A process that stops the server holds the lock until the file shows it. So this is either the
    // wanted server or one that has announced its shutdown.
    const now = await findRunningServer(clusterDir);
    if (now?.pid === server.pid && now.status === 'ready') return { server, client, ended };
    await client.end();
    return { problem: 'it is shutting down' };
  } catch (error) {
    await client.end().catch(() => undefined);
    if (!mayPass(error)) throw error;
    return { problem: String(error) };
  }
}

/** Releases a share, and stops the server if it was the last one. */
async function giveUpShare(clusterDir: string, share: Share): Promise<'left' | 'stopped'> {
  const { client, server } = share;
  try {
    if (!(await wasLast(client))) return 'left';
    // Keep the lock, so that no process joins a server that is about to stop.
    await stopServer(clusterDir, server.pid);
    return 'stopped';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function wasLast(client: Client): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [IN_USE_LOCK]);
    const { rows } = await client.query<{ last: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS last',
      [IN_USE_LOCK],
    );
    return rows[0]?.last === true;
  } catch (error) {
    // The connection and its share have just been lost. Either the server is shutting down anyway,
    // or the next start finds it running.
    if (mayPass(error)) return false;
    throw error;
  }
}

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
/** After this uptime, a lost server no longer counts as one that crashes repeatedly. */
const STEADY_AFTER_MS = 60_000;

/** Functions with which a membership joins its server and reports events. */
export interface MembershipContext {
  readonly clusterDir: string;
  readonly join: (signal: AbortSignal) => Promise<Share>;
  readonly log: (message: string) => void;
}

/**
 * Keeps a share in the server until it is released. Takes a new share when the current one is lost.
 */
export class Membership {
  private readonly releasing = new AbortController();
  private share: Share | null = null;
  private rejoining: Promise<void> = Promise.resolve();
  private released: Promise<void> | null = null;
  private waitMs = SHORTEST_WAIT_MS;
  private currentUrl = '';
  private serviceUrl: string | null = null;

  constructor(
    private readonly context: MembershipContext,
    share: Share,
  ) {
    this.hold(share);
  }

  /** Connection URL of the server, over its Unix socket. */
  get url(): string {
    return this.currentUrl;
  }

  /**
   * Releases the share. The last process to do so stops the server. All calls return the same
   * promise.
   */
  release(): Promise<void> {
    this.released ??= this.leave();
    return this.released;
  }

  /**
   * Announces the URL of this service to the other processes, for as long as it has its share. It is the
   * application name of the share, so nothing of it is left after a crash.
   * @param urls Possible URLs, best first. The first one that fits into such a name is used.
   */
  async announce(urls: readonly string[]): Promise<void> {
    this.serviceUrl = urls.find((url) => Buffer.byteLength(url) <= MAX_NAME_BYTES) ?? null;
    await this.showUrl();
  }

  /** Returns the URL that a running service has announced, the latest if there are several, or null. */
  async findServiceUrl(): Promise<string | null> {
    const sql = `SELECT application_name AS url FROM pg_stat_activity
      WHERE application_name ~ '^https?://' ORDER BY backend_start DESC LIMIT 1`;
    const found = await this.share?.client.query<{ url: string }>(sql);
    return found?.rows[0]?.url ?? null;
  }

  private async showUrl(): Promise<void> {
    if (this.serviceUrl === null) return;
    const sql = "SELECT set_config('application_name', $1, false)";
    // A share that is lost is taken and named again.
    await this.share?.client.query(sql, [this.serviceUrl]).catch(() => undefined);
  }

  private async leave(): Promise<void> {
    this.releasing.abort();
    await this.rejoining;
    if (this.share === null) return;
    const outcome = await giveUpShare(this.context.clusterDir, this.share);
    this.context.log(outcome === 'stopped' ? 'PostgreSQL has stopped' : 'Left PostgreSQL running');
  }

  private hold(share: Share): void {
    const { socketDir, port } = share.server;
    const since = Date.now();
    this.share = share;
    this.currentUrl = `postgres://app@/postgres?host=${encodeURIComponent(socketDir)}&port=${port}`;
    void this.showUrl();
    void share.ended.then(() => {
      if (this.releasing.signal.aborted) return;
      this.share = null;
      if (Date.now() - since > STEADY_AFTER_MS) this.waitMs = SHORTEST_WAIT_MS;
      this.rejoining = this.rejoin();
    });
  }

  private async rejoin(): Promise<void> {
    const { join, log } = this.context;
    const { signal } = this.releasing;
    log('Lost the connection to PostgreSQL; joining it again');
    while (!(await this.pause())) {
      try {
        this.hold(await join(signal));
        log('Joined PostgreSQL again');
        return;
      } catch (error) {
        log(`Could not join PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /**
   * Waits, longer each time.
   * @returns `true` if `release` has ended the wait early.
   */
  private async pause(): Promise<boolean> {
    const { signal } = this.releasing;
    await delay(this.waitMs, undefined, { signal }).catch(() => undefined);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
    return signal.aborted;
  }
}

const POLL_MS = 10;
const REPORT_AFTER_MS = 3_000;

/**
 * Options of `joinServer`. `signal` aborts it, except while a server that it started is starting.
 */
export interface JoinOptions extends StartOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes a share in the cluster's server, and starts the server if none runs. If several processes
 * start it, PostgreSQL's lock file decides which one succeeds, and the others join. If a server is
 * stopping, waits until it has stopped and then starts a new one.
 *
 * @throws Error with the end of the server's log if it does not start.
 */
export async function joinServer(options: JoinOptions): Promise<Share> {
  const { location, signal, timeoutMs } = options;
  const deadline = Date.now() + timeoutMs;
  let attempt: StartAttempt | null = null;
  let reportAt = Date.now() + REPORT_AFTER_MS;
  let problem = 'it has not said that it is ready';
  for (;;) {
    const server = await findRunningServer(location.clusterDir);
    if (server?.status === 'ready') {
      const share = await takeShare(location.clusterDir, server);
      if ('client' in share) return share;
      problem = share.problem;
    }
    const isStarting = attempt !== null && attempt.outcome() === null;
    if (!isStarting) {
      signal?.throwIfAborted();
      if (server === null) {
        if (attempt !== null) await assertWorthAnother(attempt);
        attempt = await startServer(options);
      }
    }
    if (Date.now() > reportAt) {
      options.log(`Waiting for PostgreSQL (${server?.status ?? 'not running yet'})`);
      reportAt = Infinity;
    }
    if (Date.now() > deadline) {
      const tail = (await attempt?.logTail()) ?? '';
      throw new Error(
        `PostgreSQL was not ready within ${timeoutMs} ms: ${problem}. ` +
          `See ${location.logFile}.${tail && `\n${tail}`}`,
      );
    }
    await delay(POLL_MS);
  }
}

async function assertWorthAnother(attempt: StartAttempt): Promise<void> {
  const outcome = attempt.outcome() ?? 'still running';
  const tail = await attempt.logTail();
  if (!isWorthAnother(outcome, tail)) {
    throw new Error(`PostgreSQL did not start (${outcome}):\n${tail}`);
  }
}

/**
 * Returns whether a failed connection may succeed later: a network error, with a system code
 * (`EPIPE`) or none, or an error of a server that is starting, stopping or recovering (classes 08
 * and 57) or has no free connection (53300).
 */
export function mayPass(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || /^(E|08|57|53300)/.test(code);
}
