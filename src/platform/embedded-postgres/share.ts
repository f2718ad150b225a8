import { Client } from 'pg';
import { mayPass } from './transient-error';
import { findRunningServer, type RunningServer } from './postmaster-file';
import { stopServer } from './server-stop';

/** Any number, as long as nothing else locks it; it stands for "this server is in use". */
const IN_USE_LOCK = '7310868735323631469';
const PATIENCE_MS = 5_000;

/**
 * This process's share in a running server: a connection that holds a shared lock. It ends with the
 * process, however that ends, so there is nothing to clean up after a crash.
 */
export interface Share {
  readonly server: RunningServer;
  readonly client: Client;
  /** Resolves as soon as the connection has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<void>;
}

/** Takes a share; gives the reason where the server is not, not yet or no longer ready for it. */
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
  // Without a listener the end of the server would be the end of this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [IN_USE_LOCK]);
    // Whoever stops the server holds the lock until it says so in its file. So this is either the
    // server we want or one that has said that it is about to go.
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

/** Gives up a share, and stops the server where it was the last one. */
export async function giveUpShare(clusterDir: string, share: Share): Promise<'left' | 'stopped'> {
  const { client, server } = share;
  try {
    if (!(await wasLast(client))) return 'left';
    // With the lock still held, so that nobody joins a server that is about to stop.
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
    // The connection has just been lost, and the share with it: the server is going anyway, or
    // else the next start finds it running.
    if (mayPass(error)) return false;
    throw error;
  }
}
