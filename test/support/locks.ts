import type { TestApp } from './test-app';

/** Returns the number of database sessions that are waiting for a lock. */
export async function waitingForLocks(app: TestApp): Promise<number> {
  const { rows } = await app.sql.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows[0]?.count ?? 0;
}
