import { Client } from 'pg';
import { DataSource } from 'typeorm';
import {
  dataSourceOptions,
  isPooled,
  sessionSettings,
  type DatabaseOptions,
} from './data-source-options';
import { readHistory, readSchemaHistory, requireSchema } from './schema-state';
import { keepForRole, startupOptions, UNHURRIED } from './session-settings';

/** Any number, as long as it is always this one. */
const MIGRATION_LOCK = 4_209_731;
/** A network that swallows everything is not waited for any longer. */
const CONNECT_MS = 5_000;

/**
 * Sees to it that the schema is what is demanded.
 * @returns the names of the migrations that were run, in order.
 * @throws SchemaError where it is not, and the demand does not allow a change.
 */
export async function prepareSchema(options: DatabaseOptions): Promise<readonly string[]> {
  const { url, directUrl = url, schema = 'migrate' } = options;
  if (schema === 'migrate') return migrate(options);
  const history = await readSchemaHistory(directUrl);
  if (schema === 'create' && !history.exists) return migrate(options);
  requireSchema(history, schema);
  return [];
}

/**
 * Brings the schema up to date, and what the role's sessions are set to where a pooler hands them
 * out. Replicas that start together take turns, held apart by an advisory lock that ends with its
 * connection. Neither that connection nor those of the migrations are of a pool, and they go past
 * a pooler.
 * @returns the names of the migrations that were run, in order.
 */
export async function migrate(options: DatabaseOptions): Promise<readonly string[]> {
  const url = options.directUrl ?? options.url;
  const lock = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: startupOptions(UNHURRIED),
  });
  // Without a listener a connection that breaks would end the process; queries tell of it too.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await runMigrations({ ...options, url, directUrl: url, poolSize: 1 });
    const { unknown } = await readHistory(lock);
    if (unknown.length > 0) options.report?.newerSchema(unknown);
    if (isPooled(options)) await keepForRole(lock, sessionSettings(options));
    return applied;
  } finally {
    await lock.end();
  }
}

/** They may take their time. */
async function runMigrations(options: DatabaseOptions): Promise<readonly string[]> {
  const unhurried = { ...options, statementTimeoutMs: 0, idleTransactionTimeoutMs: 0 };
  const dataSource = await new DataSource(dataSourceOptions(unhurried, [])).initialize();
  try {
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    return applied.map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
}
