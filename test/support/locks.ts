import type { TestApp } from './test-app';

const WAITING = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** On a Citus cluster, a statement waits on the node of its datagrid. */
const WAITING_ON_ALL_NODES = `
  SELECT sum(n.result::int)::int AS count FROM (
    SELECT count::text AS result FROM (${WAITING}) coordinator
    UNION ALL SELECT result FROM run_command_on_workers($worker$${WAITING}$worker$)
  ) n`;

/** Returns the number of database sessions that are waiting for a lock. */
export async function waitingForLocks(app: TestApp): Promise<number> {
  const isCitus = process.env['CITUS_URL'] !== undefined;
  const { rows } = await app.sql.query<{ count: number }>(isCitus ? WAITING_ON_ALL_NODES : WAITING);
  return rows[0]?.count ?? 0;
}
