import { SyncMetrics } from '../../../src/connections/sync/sync-metrics';
import { SyncService } from '../../../src/connections/sync/sync.service';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { TestApp } from '../../support/test-app';
import { ALLOW_LOCAL, Warehouse } from './warehouse';

let app: TestApp;
let warehouse: Warehouse;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.start({ settings: { ...METRICS_ON, ...ALLOW_LOCAL } });
});

afterAll(async () => {
  await app.close();
  await warehouse.close();
});

it('the metrics count runs, rows, and tables by state, and show the lag, without names of accounts', async () => {
  const { api, accountId } = await app.newAccount();
  const workspaceId = await newWorkspace(api);
  const datagrid = await newDatagrid(api, [], workspaceId);
  const datagridIds = [datagrid.slice('/datagrids/'.length)];
  const addRow = async (): Promise<void> => {
    dataOf(await api.post(`${datagrid}/rows`, { values: {} }), 201);
  };
  await addRow();
  await addRow();
  await addRow();
  const settings = warehouse.settings('metrics');
  const body = { type: 'postgresql', settings, secret: warehouse.password, datagridIds };
  const connect = async (change: Json): Promise<string> => {
    const path = `/workspaces/${workspaceId}/connections`;
    return dataOf(await api.post(path, { ...body, name: 'Warehouse', ...change }), 201).id;
  };
  const late = await connect({});
  await connect({ settings: { ...settings, schema: 'hourly' }, intervalSeconds: 3_600 });
  await connect({ settings: { ...settings, database: 'missing' } });
  await connect({ settings: { ...settings, schema: 'paused' }, enabled: false });

  const url = await metricsUrl(app);
  const scrape = async (): Promise<Scrape> => {
    await app.nest.get(SyncMetrics).readTotals();
    return Scrape.of(url);
  };
  const states = (now: Scrape): Json =>
    Object.fromEntries(
      ['synced', 'behind', 'loading', 'failing'].map((state) => [
        state,
        now.sum('datagrid_sync_tables', { type: 'postgresql', state }),
      ]),
    );
  /** Begins syncs now, and not with the next poll up to a second later. */
  const poll = (): Promise<number> => app.nest.get(SyncService, { strict: false }).runOnce();
  const first = await eventually(async () => {
    await poll();
    const now = await scrape();
    const { synced, failing } = states(now);
    return synced === 2 && failing === 1 && now.sum('datagrid_syncs_running') === 0 && now;
  });
  expect(states(first)).toEqual({ synced: 2, behind: 0, loading: 0, failing: 1 });
  expect(first.sum('datagrid_sync_rows_total', { type: 'postgresql' })).toBe(6);
  expect(first.sum('datagrid_sync_bytes_total', { type: 'postgresql' })).toBeGreaterThan(0);
  expect(first.sum('datagrid_sync_runs_total', { outcome: 'succeeded' })).toBeGreaterThanOrEqual(2);
  expect(first.sum('datagrid_sync_runs_total', { outcome: 'configuration' })).toBe(1);
  expect(first.sum('datagrid_sync_lag_seconds')).toBe(0);

  const delay =
    "UPDATE connection_tables SET next_run_at = now() + '1 hour' WHERE connection_id = $1";
  await app.sql.query(delay, [late]);
  await addRow();
  const second = await scrape();
  expect(states(second)).toEqual({ synced: 0, behind: 2, loading: 0, failing: 1 });
  // The other one lacks the same change, for less than its interval.
  expect(second.sum('datagrid_sync_lag_seconds')).toBeGreaterThan(0);
  await app.sql.query(
    'UPDATE connection_tables SET next_run_at = now() - make_interval(secs => 1) WHERE connection_id = $1',
    [late],
  );
  const third = await eventually(async () => {
    await poll();
    const now = await scrape();
    return states(now).synced === 1 && now;
  });
  expect(states(third)).toEqual({ synced: 1, behind: 1, loading: 0, failing: 1 });
  expect(third.sum('datagrid_sync_lag_seconds')).toBe(0);
  for (const name of [accountId, workspaceId, '127.0.0.1']) expect(third.text).not.toContain(name);
});
