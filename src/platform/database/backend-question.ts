import { endsWithin } from '../time/ends-within';
import { GuardedClient } from './guarded-client';

/** For connecting, and again for the answer. */
const PATIENCE_MS = 4_000;

/** Also those of another role are seen, if not what they do. */
const BUSY = `
  SELECT pg_backend_pid() AS own, ARRAY(
    SELECT pid FROM pg_stat_activity
    WHERE pid = ANY($1::int[]) AND coalesce(state, '') NOT LIKE 'idle%'
  ) AS busy`;

/** What PostgreSQL says, over a new connection, of those that are there. */
export type BackendAnswer =
  | { readonly kind: 'busy'; readonly processIds: ReadonlySet<number> }
  /** It answers, but cannot say: all its connections are taken, or a pooler stands before it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' };

/** Asks which of its processes are at work. Never throws. */
export async function askBackends(
  url: string,
  processIds: readonly number[],
): Promise<BackendAnswer> {
  const client = newClient(url, PATIENCE_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; busy: number[] }>(BUSY, [processIds]);
    const [found] = rows;
    if (found?.own !== client.backendId) return { kind: 'unknown' };
    return { kind: 'busy', processIds: new Set(found.busy) };
  } catch (error) {
    return { kind: isSaidByPostgres(error) ? 'unknown' : 'none' };
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Whether it answers over a new connection within that time. Never throws. */
export async function answersAnew(url: string, patienceMs: number): Promise<boolean> {
  const client = newClient(url, patienceMs);
  const asked = client.connect().then(() => client.query('SELECT 1'));
  const hasAnswered = await endsWithin(asked, patienceMs).catch(() => false);
  void client.end().catch(() => undefined);
  return hasAnswered;
}

function newClient(url: string, patienceMs: number): GuardedClient {
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'datagrid-platform watch',
  });
  // What is in progress fails by itself; without a listener the fault would end the process.
  client.on('error', () => undefined);
  return client;
}

function isSaidByPostgres(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}
