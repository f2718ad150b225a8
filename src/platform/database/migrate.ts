import { Client } from 'pg';
import type { DataSource } from 'typeorm';

/** Any number, as long as it is always this one. */
const MIGRATION_LOCK = 4_209_731;

/**
 * Brings the schema up to date. Replicas that start together take turns, held apart by an
 * advisory lock that ends with its connection; that connection is not one of the pool's, which
 * may be as small as one.
 * @returns the names of the migrations that were run, in order.
 */
export async function migrate(dataSource: DataSource, url: string): Promise<readonly string[]> {
  const lock = new Client({ connectionString: url });
  // Without a listener a connection that breaks would end the process; queries tell of it too.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    return applied.map(({ name }) => name);
  } finally {
    await lock.end();
  }
}
