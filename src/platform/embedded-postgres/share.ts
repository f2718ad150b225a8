import { Client } from 'pg';
import { mayPass } from './transient-error';
import { findRunningServer, type RunningServer } from './postmaster-file';
import { stopServer } from './server-stop';

/**
 * Key of the advisory lock that marks the server as in use. Any number works if nothing else locks
 * it.
 */
const IN_USE_LOCK = '7310868735323631469';
const PATIENCE_MS = 5_000;

/**
 * This process's share in a running server: a connection that holds a shared lock. It ends with the
 * process, even after a crash, so nothing needs to be cleaned up.
 */
export interface Share {
  readonly server: RunningServer;
  readonly client: Client;
  /** Resolves when the connection ends for any reason. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Takes a share.
 * @returns the share, or a `problem` if the server is not ready, not yet or no longer.
 */
export async function takeShare(
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
export async function giveUpShare(clusterDir: string, share: Share): Promise<'left' | 'stopped'> {
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
