import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config/app-config';
import { isPooled, type DatabaseOptions } from './data-source-options';
import { GuardedClient } from './guarded-client';
import { startupOptions } from './session-settings';

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Maximum number of rounds to detect that a pooler shares sessions. The first one usually suffices,
 * but other clients of the pooler may take the sessions in between.
 */
const MAX_ROUNDS = 20;
/**
 * A value that no system uses by default: it appears only if the connection's own settings were
 * applied.
 */
const PROBE_TIMEOUT_MS = 54_321;

const SESSION = `SELECT pg_backend_pid() AS pid, current_setting('lock_timeout') AS setting`;
const DUPLICATE_STATEMENT = '42P05';
const UNKNOWN_STATEMENT = '26000';

const SET_DIRECT_URL =
  'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, past the pooler (and ' +
  'PREPARED_STATEMENTS=off for PgBouncer before 1.21).';

interface Session {
  readonly pid: number;
  readonly setting: string;
}

/** Observed behavior of a pooler. */
interface Sharing {
  readonly isShared: boolean;
  readonly keepsStatements: boolean;
}

/**
 * Detects how a pooler in front of PostgreSQL handles sessions, and checks that the settings match.
 * Otherwise the service would start and then fail most of its requests.
 * @throws ConfigError naming the setting to change.
 */
export async function checkSessions(options: DatabaseOptions): Promise<void> {
  const { url, directUrl = url, prepares = true } = options;
  await requireOwnSession(directUrl);
  if (!prepares || !isPooled(options)) return;
  const { keepsStatements } = await detectSharing(url);
  if (keepsStatements) return;
  throw new ConfigError(
    'Wrong setting: DATABASE_URL leads through a pooler that shares sessions and does not support ' +
      'prepared statements. Set PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with ' +
      'max_prepared_statements.',
  );
}

/**
 * Checks that a connection has its own session. LISTEN, advisory locks and session settings need a
 * session that is not shared with other clients.
 * @throws ConfigError if a pooler rejects or ignores session settings, or shares sessions.
 */
async function requireOwnSession(url: string): Promise<void> {
  const options = startupOptions({ lock_timeout: String(PROBE_TIMEOUT_MS) });
  // Options in the URL take precedence.
  const bringsOptions = /[?&]options=/.test(url);
  const session = await withClient(url, options, readSession).catch((error: unknown) => {
    if (!String(error).includes('unsupported startup parameter')) throw error;
    throw needsDirectUrl('rejects the settings of sessions');
  });
  if (!bringsOptions && session.setting !== `${String(PROBE_TIMEOUT_MS)}ms`) {
    throw needsDirectUrl('ignores the settings of sessions');
  }
  const { isShared } = await detectSharing(url);
  if (isShared) throw needsDirectUrl('shares sessions between clients');
}

function needsDirectUrl(what: string): ConfigError {
  return new ConfigError(
    `Wrong setting: DATABASE_DIRECT_URL is missing or wrong: the database is reached through a pooler that ${what}. ${SET_DIRECT_URL}`,
  );
}

/**
 * Lets two clients take turns. If a session passes from one to the other, sessions are shared.
 * Without a pooler one query suffices, because the backend is the process that PostgreSQL announced
 * when the connection started.
 */
async function detectSharing(url: string): Promise<Sharing> {
  return withClient(url, undefined, async (one) => {
    const { pid } = await readSession(one);
    if (pid === one.backendId) return { isShared: false, keepsStatements: true };
    return withClient(url, undefined, async (other) => {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const seen = await probeSharing(one, other);
        if (seen.isShared) return seen;
      }
      return { isShared: false, keepsStatements: true };
    });
  });
}

async function probeSharing(one: GuardedClient, other: GuardedClient): Promise<Sharing> {
  const name = `probe-${randomUUID()}`;
  try {
    const before = await readSession(one, name);
    await other.query('BEGIN');
    try {
      // Usually `other` gets the session that `one` has just released.
      const { pid } = await readSession(other, name);
      if (pid === before.pid) return { isShared: true, keepsStatements: true };
      const after = await readSession(one, name);
      return { isShared: after.pid !== before.pid, keepsStatements: true };
    } finally {
      await other.query('ROLLBACK');
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    const isOutcomeUnknown = code === DUPLICATE_STATEMENT || code === UNKNOWN_STATEMENT;
    if (isOutcomeUnknown) return { isShared: true, keepsStatements: false };
    throw error;
  }
}

async function readSession(client: GuardedClient, name?: string): Promise<Session> {
  const { rows } = await client.query<Session>({ text: SESSION, name });
  const [session] = rows;
  if (!session) throw new Error('PostgreSQL did not return the session.');
  return session;
}

async function withClient<T>(
  url: string,
  options: string | undefined,
  work: (client: GuardedClient) => Promise<T>,
): Promise<T> {
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'datagrid-platform start',
    ...(options !== undefined && { options }),
  });
  // The query in progress reports a broken connection too.
  client.on('error', () => undefined);
  const overdue = setTimeout(() => {
    client.destroy(Object.assign(new Error('PostgreSQL does not respond.'), { code: 'ETIMEDOUT' }));
  }, CONNECT_TIMEOUT_MS * 2);
  try {
    await client.connect();
    return await work(client);
  } finally {
    clearTimeout(overdue);
    void client.end().catch(() => undefined);
  }
}
