import { Client } from 'pg';
import { ConfigError } from '../config/app-config';
import { isUnavailable } from './database-error';

const CONNECT_TIMEOUT_MS = 5_000;

const LIMIT = `
  SELECT current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int AS limit`;

/**
 * Checks that PostgreSQL allows the connections of an instance with several workers. If it is unavailable
 * just now, checks nothing.
 * @param url URL of PostgreSQL itself.
 * @param needed Connections that the instance opens at most.
 * @throws ConfigError naming the settings to change.
 */
export async function requireConnections(
  url: string,
  needed: number,
  workers: number,
): Promise<void> {
  const limit = await readLimit(url).catch((error: unknown) => {
    if (isUnavailable(error)) return Infinity;
    throw error;
  });
  if (needed <= limit) return;
  throw new ConfigError(
    `Wrong setting: with WORKERS=${String(workers)} the service may open ${String(needed)} connections, ` +
      `and PostgreSQL allows ${String(limit)}. Raise max_connections of PostgreSQL by ` +
      `${String(needed - limit)}, or set a smaller DATABASE_POOL_SIZE or fewer WORKERS.`,
  );
}

async function readLimit(url: string): Promise<number> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'datagrid-platform start',
  });
  // The query in progress reports a broken connection, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ limit: number }>(LIMIT);
    return rows[0]?.limit ?? Infinity;
  } finally {
    await client.end().catch(() => undefined);
  }
}
