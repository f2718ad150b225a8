import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { CLAIM } from '../../../src/webhooks/delivery/lane-claim-sql';
import { LaneRepository } from '../../../src/webhooks/delivery/lane.repository';
import { newWebhook, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const [WEBHOOKS, DATAGRIDS] = [20, 400];
const BOUNDS = {
  healthy: 4,
  failing: 0,
  perAccount: 4,
  perFailingAccount: 1,
  perWebhook: 4,
  active: [],
  fullAccounts: [],
  fullFailingAccounts: [],
  leaseMs: 10_000,
};

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

let app: TestApp;
let lanes: LaneRepository;
let quiet: string;

beforeAll(async () => {
  app = await TestApp.alone('It stops the delivery of webhooks.');
  lanes = app.nest.get(LaneRepository, { strict: false });
  // The test claims the lanes itself.
  await app.stop(DeliveryService);
  await newHooks(WEBHOOKS, DATAGRIDS);
  [quiet = ''] = await newHooks(1, 1);
  await app.sql.query('UPDATE webhooks SET last_success_at = now()');
});

beforeEach(async () => {
  await app.sql.query('UPDATE datagrid_counters SET revision = 5');
  await app.sql.query(
    'UPDATE webhook_lanes SET is_open = false, leased_until = now() - make_interval(secs => 1)',
  );
  await app.sql.query('ANALYZE webhooks, webhook_lanes, datagrid_counters');
});

afterAll(() => app.close());

/** Creates webhooks of a new account with lanes that have nothing to deliver. Returns their ids. */
async function newHooks(count: number, datagrids: number): Promise<string[]> {
  const { api } = await app.newAccount();
  const id = await newWebhook(api, await newWorkspace(api));
  const { rows } = await app.sql.query<{ id: string }>(
    `INSERT INTO webhooks (id, account_id, workspace_id, url, events, secret)
    SELECT gen_random_uuid(), account_id, workspace_id, url, events, secret
    FROM webhooks, generate_series(2, $2) WHERE id = $1 RETURNING id`,
    [id, count],
  );
  const ids = [id, ...rows.map((row) => row.id)];
  await app.sql.query(
    `WITH counter AS (
      INSERT INTO datagrid_counters (datagrid_id, last_row_id, row_count, revision)
      SELECT gen_random_uuid(), 0, 0, 5 FROM generate_series(1, $2) RETURNING datagrid_id
    )
    INSERT INTO webhook_lanes (webhook_id, datagrid_id, revision)
    SELECT webhook_id, datagrid_id, 5 FROM unnest($1::uuid[]) AS webhook_id, counter`,
    [ids, datagrids],
  );
  return ids;
}

/** Returns the number of lanes that the claim reads. */
async function lanesRead(): Promise<number> {
  const { healthy, failing, perAccount, perFailingAccount, perWebhook } = BOUNDS;
  const values = [
    [],
    [],
    perWebhook,
    perAccount,
    perFailingAccount,
    healthy,
    failing,
    1,
    [],
    [],
    [],
  ];
  const client = await app.sql.connect();
  try {
    await client.query('BEGIN');
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${CLAIM.text}`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, values);
    const read = (node: PlanNode): number => {
      const own =
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      const below = (node.Plans ?? []).reduce((sum, plan) => sum + read(plan), 0);
      return below + (node['Relation Name'] === 'webhook_lanes' ? own : 0);
    };
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return plan ? read(plan) : NaN;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the claim of lanes', () => {
  it('reads no lane that has nothing to deliver', async () => {
    expect(await lanesRead()).toBe(0);
  });

  it('reads a few lanes of each webhook if all of an account have changes, and takes turns', async () => {
    await app.sql.query('UPDATE datagrid_counters SET revision = 6');
    await lanes.openMissed();
    const { rows } = await app.sql.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM webhook_lanes WHERE is_open',
    );
    expect(rows[0]?.count).toBe(WEBHOOKS * DATAGRIDS + 1);
    await app.sql.query('ANALYZE webhook_lanes');
    expect(await lanesRead()).toBeLessThan(WEBHOOKS * BOUNDS.perWebhook + 50);
    const claimed = await lanes.claim(BOUNDS);
    expect(claimed).toHaveLength(4);
    expect(claimed.map(({ webhookId }) => webhookId)).toContain(quiet);
  });

  it('opens lanes of a signaled datagrid that cannot be claimed now', async () => {
    await app.sql.query('UPDATE datagrid_counters SET revision = 6');
    const { rows } = await app.sql.query<{ id: string }>(
      'SELECT datagrid_id AS id FROM webhook_lanes GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
    );
    const ids = rows.map(({ id }) => id);
    expect(await lanes.claim({ ...BOUNDS, healthy: 2 }, ids)).toHaveLength(2);
    const open = await app.sql.query('SELECT FROM webhook_lanes WHERE is_open');
    expect(open.rows).toHaveLength(WEBHOOKS - 2);
  });
});
