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
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: 'datagrid-platform watch',
  });
  // What is under way fails by itself; without a listener the fault would end the process.
  client.on('error', () => undefined);
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

function isSaidByPostgres(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}
