import { endsWithin } from '../time/ends-within';
import { GuardedClient } from './guarded-client';

const CHECK_INTERVAL_MS = 500;
/**
 * Checks without data before the watch queries PostgreSQL. Counted in checks, not in time, because
 * this process may have been suspended.
 */
const SILENT_CHECKS = 4;
/** Time for PostgreSQL to report a statement timeout. */
const AFTER_TIMEOUT_MS = 2_000;
/** After this time without a response PostgreSQL counts as silent. */
const RESPONSE_TIMEOUT_MS = 500;
/** Idle reports before a connection is closed. One is not enough: a response may be on its way. */
const MIN_IDLE_REPORTS = 2;

interface Watched {
  /** Maximum number of silent checks if PostgreSQL does not report the state of the connection. */
  readonly maxChecks: number;
  query: object | null;
  receivedBytes: number;
  checks: number;
  idleReports: number;
}

/**
 * Closes connections that will not receive a response, because PostgreSQL, its machine or the
 * network is frozen. `pg` would wait without a limit; its `query_timeout` would leave the dead
 * connection to the next request (node-postgres #3399).
 *
 * Every half second it checks all connections, so that queries themselves cost nothing. If one has
 * been silent for two seconds, it reads over a new connection from `pg_stat_activity` whether that
 * backend is active. If the backend is idle twice, or PostgreSQL does not respond, it closes the
 * connection. If the backend is active, the statement is still running.
 */
export class ConnectionWatch {
  private readonly watched = new Map<GuardedClient, Watched>();
  private timer: NodeJS.Timeout | undefined;
  /** Time at which PostgreSQL was queried; `null` once it has responded. */
  private queriedAtMs: number | null = null;
  /** Whether PostgreSQL did not respond to the last query, and nothing has arrived since. */
  private hasNoResponse = false;

  constructor(private readonly url: string) {}

  /**
   * @param statementMs Timeout of a statement on the connection. Beyond it the connection is closed
   *   if PostgreSQL does not report its state, as behind a pooler that hides process ids.
   */
  add(client: GuardedClient, statementMs = Infinity): void {
    this.watched.set(client, {
      maxChecks: (statementMs + AFTER_TIMEOUT_MS) / CHECK_INTERVAL_MS,
      query: null,
      receivedBytes: 0,
      checks: 0,
      idleReports: 0,
    });
    client.once('end', () => this.watched.delete(client));
    this.timer ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Whether PostgreSQL does not respond: connections are silent, and so is a new one. */
  get isSilent(): boolean {
    const { queriedAtMs } = this;
    return (
      this.hasNoResponse ||
      (queriedAtMs !== null && performance.now() - queriedAtMs > RESPONSE_TIMEOUT_MS)
    );
  }

  /** Returns whether PostgreSQL responds over a new connection within that time. Never throws. */
  responds(timeoutMs: number): Promise<boolean> {
    return respondsOnNewConnection(this.url, timeoutMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    const silent: GuardedClient[] = [];
    for (const [client, seen] of this.watched) {
      if (client.receivedBytes !== seen.receivedBytes) this.hasNoResponse = false;
      if (isSilent(client, seen) && seen.checks >= SILENT_CHECKS) silent.push(client);
    }
    if (silent.length === 0 || this.queriedAtMs !== null) return;
    this.queriedAtMs = performance.now();
    const activity = await findBusyBackends(
      this.url,
      silent.map(({ backendId }) => backendId),
    );
    this.queriedAtMs = null;
    this.hasNoResponse = activity.kind === 'none';
    for (const client of silent) {
      const seen = this.watched.get(client);
      if (!seen || !hasNotChanged(client, seen)) continue;
      const isIdle = activity.kind === 'busy' && !activity.processIds.has(client.backendId);
      seen.idleReports = isIdle ? seen.idleReports + 1 : 0;
      const isGone =
        activity.kind === 'none' ||
        seen.idleReports >= MIN_IDLE_REPORTS ||
        (activity.kind === 'unknown' && seen.checks > seen.maxChecks);
      if (isGone) client.destroy(new SilentDatabaseError());
    }
  }
}

/** Thrown when a connection was closed because no response came. */
export class SilentDatabaseError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('PostgreSQL does not respond.');
  }
}

function isSilent(client: GuardedClient, seen: Watched): boolean {
  if (hasNotChanged(client, seen)) {
    seen.checks += 1;
    return true;
  }
  seen.query = client.awaitedQuery;
  seen.receivedBytes = client.receivedBytes;
  seen.checks = 0;
  seen.idleReports = 0;
  return false;
}

function hasNotChanged(client: GuardedClient, { query, receivedBytes }: Watched): boolean {
  return query !== null && client.awaitedQuery === query && client.receivedBytes === receivedBytes;
}

/** Timeout for connecting, and again for the query. */
const TIMEOUT_MS = 4_000;

/** Backends of other roles are visible as well, though not their statements. */
const BUSY = `
  SELECT pg_backend_pid() AS own, ARRAY(
    SELECT pid FROM pg_stat_activity
    WHERE pid = ANY($1::int[]) AND coalesce(state, '') NOT LIKE 'idle%'
  ) AS busy`;

/** The backends that PostgreSQL reports as active over a new connection. */
export type BackendActivity =
  | { readonly kind: 'busy'; readonly processIds: ReadonlySet<number> }
  /** The state is unknown: PostgreSQL has no free connection, or a pooler hides process ids. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' };

/** Finds which backends are active. Never throws. */
async function findBusyBackends(
  url: string,
  processIds: readonly number[],
): Promise<BackendActivity> {
  const client = newClient(url, TIMEOUT_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; busy: number[] }>(BUSY, [processIds]);
    const [found] = rows;
    if (found?.own !== client.backendId) return { kind: 'unknown' };
    return { kind: 'busy', processIds: new Set(found.busy) };
  } catch (error) {
    return { kind: isPostgresError(error) ? 'unknown' : 'none' };
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Returns whether PostgreSQL responds over a new connection within that time. Never throws. */
async function respondsOnNewConnection(url: string, timeoutMs: number): Promise<boolean> {
  const client = newClient(url, timeoutMs);
  const query = client.connect().then(() => client.query('SELECT 1'));
  const hasResponded = await endsWithin(query, timeoutMs).catch(() => false);
  void client.end().catch(() => undefined);
  return hasResponded;
}

function newClient(url: string, timeoutMs: number): GuardedClient {
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'datagrid-platform watch',
  });
  // A query in progress fails by itself; without a listener the error would end the process.
  client.on('error', () => undefined);
  return client;
}

function isPostgresError(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}
