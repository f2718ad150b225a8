import { WorkspaceFeedRepository } from '../../src/changes/workspace/workspace-feed.repository';
import {
  bitsFor,
  Buckets,
  type WorkspacePosition,
} from '../../src/changes/workspace/workspace-cursor';
import type { Bench } from '../prepare';
import { type Figure, quantile, watchCpu } from './figures';

const DATAGRIDS = 10_000;
const READS = 60;

const FILL = `
  WITH created AS (
    INSERT INTO datagrids (id, account_id, workspace_id, name, name_key)
    SELECT gen_random_uuid(), $1, $2, 'Filled ' || n, 'filled ' || n
    FROM generate_series(1, $3::int) n RETURNING id
  )
  INSERT INTO datagrid_counters (datagrid_id, revision, last_written_at)
  SELECT id, 1, now() FROM created`;

const WRITE = `
  UPDATE datagrid_counters SET revision = revision + 1
  WHERE datagrid_id = (SELECT id FROM datagrids WHERE workspace_id = $1 ORDER BY id LIMIT 1)`;

/** Measures the statement of the feed of a large workspace, with its round trip. */
export async function measureWorkspaces(bench: Bench): Promise<Figure[]> {
  const { sql, accountId, workspaceId } = bench;
  await sql.query(FILL, [accountId, workspaceId, DATAGRIDS]);
  await sql.query('ANALYZE datagrids, datagrid_counters');
  const repository = bench.app.get(WorkspaceFeedRepository, { strict: false });
  const none = await repository.read(accountId, workspaceId, BEGINNING, 0);
  if (!none) throw new Error('The workspace is missing.');
  const position = { known: none.buckets, next: 0, open: null };
  const measure = async (what: string, from: WorkspacePosition, limit: number): Promise<Figure> => {
    const cpu = watchCpu();
    const times: number[] = [];
    for (let n = 0; n < READS; n += 1) {
      const startedMs = performance.now();
      await repository.read(accountId, workspaceId, from, limit);
      times.push(performance.now() - startedMs);
    }
    return {
      measure: `workspace of ${DATAGRIDS.toLocaleString('en')} datagrids, ${what}`,
      target: '',
      measured: `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      isMet: null,
      clientCpu: cpu(),
    };
  };
  const head = await measure('nothing has changed', position, 100);
  await sql.query(WRITE, [workspaceId]);
  return [
    head,
    await measure('one datagrid has changed', position, 100),
    await measure('first page of 1,000', BEGINNING, 1_000),
  ];
}

const BEGINNING: WorkspacePosition = {
  known: Buckets.empty(bitsFor(DATAGRIDS)),
  next: 0,
  open: null,
};
