import { Client } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** Any number, as long as it is always this one. */
const MIGRATION_LOCK = 4_209_731;

/**
 * Brings the schema up to date. Replicas that start together take turns, held apart by an
 * advisory lock that ends with its connection; that connection is not one of the pool's, which
 * may be as small as one. Nor are those of the migrations: they may take their time.
 */
export async function migrate(dataSource: DataSource, url: string): Promise<void> {
  const lock = new Client({ connectionString: url });
  // Without a listener a connection that breaks would end the process; queries tell of it too.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const unhurried = await new DataSource(withoutTimeouts(dataSource.options, url)).initialize();
    try {
      await unhurried.runMigrations({ transaction: 'each' });
    } finally {
      await unhurried.destroy();
    }
  } finally {
    await lock.end();
  }
}

function withoutTimeouts(options: DataSourceOptions, url: string): DataSourceOptions {
  const extra = options.extra as { options: string };
  const unlimited = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
  return {
    ...options,
    extra: { ...extra, connectionString: url, options: `${extra.options} ${unlimited}` },
  };
}
