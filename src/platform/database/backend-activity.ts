import { endsWithin } from '../time/ends-within';
import { GuardedClient } from './guarded-client';

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
  /** PostgreSQL responds but cannot tell: it has no free connection, or a pooler hides process ids. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' };

/** Finds which backends are active. Never throws. */
export async function findBusyBackends(
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

/** Whether PostgreSQL responds over a new connection within that time. Never throws. */
export async function respondsOnNewConnection(url: string, timeoutMs: number): Promise<boolean> {
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
