import { Client } from 'pg';
import { DataSource } from 'typeorm';
import {
  type DatabaseOptions,
  dataSourceOptions,
  isPooled,
  sessionSettings,
} from './data-source-options';
import { readHistory, readSchemaHistory, requireSchema } from './schema-state';
import { storeSettingsForRole, startupOptions, NO_TIMEOUTS } from './session-settings';

/** Key of the advisory lock. Any number works, but it must never change. */
const MIGRATION_LOCK = 4_209_731;
/** Connection timeout, for networks that silently drop packets. */
const CONNECT_MS = 5_000;

/**
 * Brings the schema into the required state, or checks that it is.
 * @returns the names of the migrations that were run, in order.
 * @throws SchemaError if the schema does not match and `schema` does not allow changes.
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
 * Updates the schema, and, if sessions come from a pooler, the settings stored with the role.
 * Instances that start at the same time take turns, by means of an advisory lock that ends with its
 * connection. That connection and those of the migrations bypass the pools and any pooler.
 * @returns the names of the migrations that were run, in order.
 */
export async function migrate(options: DatabaseOptions): Promise<readonly string[]> {
  const url = options.directUrl ?? options.url;
  const lock = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: startupOptions(NO_TIMEOUTS),
  });
  // Without a listener, a broken connection would end the process. Queries report the error too.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const { missing, unknown } = await readHistory(lock);
    if (missing.length > 0) options.report?.migrating(missing);
    const applied = await runMigrations({ ...options, url, directUrl: url, poolSize: 1 });
    if (unknown.length > 0) options.report?.newerSchema(unknown);
    if (isPooled(options)) await storeSettingsForRole(lock, sessionSettings(options));
    return applied;
  } finally {
    await lock.end();
  }
}

/** Runs the migrations without timeouts for statements and idle transactions. */
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

/** Migrations that this process ran when it started. */
export class AppliedMigrations {
  /** Names of the migrations, in the order in which they ran. */
  names: readonly string[] = [];
}
