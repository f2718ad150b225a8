import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';
import { ALLOW_LOCAL, Warehouse } from './warehouse';

const COLUMNS = [{ key: 'code', type: 'text', unique: true }];
const ENDLESS = 'SELECT pg_sleep(600)::text AS code';

let warehouse: Warehouse;
let app: TestApp;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.start({
    settings: { ...ALLOW_LOCAL, MAX_CONCURRENT_SCHEDULED_IMPORTS: '2' },
  });
});

afterAll(async () => {
  await app.close();
  await warehouse.close();
});

const target = (settings: Json = {}): Json => ({
  type: 'postgresql',
  settings: { ...warehouse.settings('public'), ...settings },
  secret: warehouse.password,
});

const start = async (settings?: Json): Promise<Importing> =>
  Importing.start(app, await app.newAccount(), target(settings), COLUMNS);

/** Returns the number of sessions of the warehouse that run a query of an import. */
async function countQueries(): Promise<number> {
  const { rows } = await warehouse.sql.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'datagrid import'
       AND state = 'active' AND position('pg_sleep' IN query) > 0`,
  );
  return rows.length;
}

/** Starts endless queries, and waits until one of them runs. */
async function startEndless(importing: Importing, owner: Member, count = 1): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const path = await importing.create({ query: ENDLESS });
    await owner.api.post(`${path}/run`);
    paths.push(path);
  }
  await eventually(async () => (await countQueries()) > 0);
  return paths;
}

describe('a scheduled import', () => {
  it('ends its query if it is paused, also on the server', async () => {
    const importing = await start();
    const [path = ''] = await startEndless(importing, importing.owner);
    expect(await importing.get(path)).toMatchObject({ status: 'running' });
    await importing.patch(path, { enabled: false });
    expect(await importing.get(path)).toMatchObject({ status: 'paused' });
    await eventually(async () => (await countQueries()) === 0);
    await importing.owner.api.post(`${path}/run`);
    await importing.patch(path, { query: "SELECT 'a' AS code" });
    expect((await importing.get(path)).lastRun).toBeUndefined();
    await importing.patch(path, { enabled: true });
    expect(await importing.nextRun(path, null)).toMatchObject({ created: 1 });
  });

  it('ends its query if its connection is paused or deleted', async () => {
    for (const end of ['pause', 'delete']) {
      const importing = await start();
      const { api } = importing.owner;
      await startEndless(importing, importing.owner);
      if (end === 'pause') await importing.patch(importing.connection, { enabled: false });
      else await api.delete(importing.connection);
      await eventually(async () => (await countQueries()) === 0);
      expect(await importing.rows()).toEqual([]);
    }
  });

  it('of one account that never end delay none of another account', async () => {
    const hostile = await start();
    const paths = await startEndless(hostile, hostile.owner, 4);
    const importing = await start();
    const path = await importing.create({ query: "SELECT 'a' AS code" });
    for (const result of [{ created: 1 }, { unchanged: 1 }]) {
      expect(await importing.run(path)).toMatchObject(result);
    }
    expect(await countQueries()).toBe(1);
    for (const each of paths) await hostile.patch(each, { enabled: false });
    await eventually(async () => (await countQueries()) === 0);
  });

  it('says that its database cannot be reached, and goes on once the settings are corrected', async () => {
    const importing = await start({ port: 1 });
    const path = await importing.create({ query: "SELECT 'a' AS code", intervalSeconds: 3600 });
    const { lastRun, nextRunAt, ...found } = await eventually(async () => {
      const read = await importing.get(path);
      return read.lastError !== null && read;
    });
    expect(found).toMatchObject({
      status: 'failing',
      lastError:
        'The host rejects connections at this port. Check `port`, and that the server is running.',
    });
    expect(lastRun.error).toBe(found.lastError);
    // It is repeated soon, not after an hour.
    expect(Date.parse(nextRunAt) - Date.now()).toBeLessThan(60_000);
    const { settings, secret } = target();
    await importing.patch(importing.connection, { settings, secret });
    expect(await importing.nextRun(path, lastRun.id)).toMatchObject({ created: 1, error: null });
    expect(await importing.get(path)).toMatchObject({ status: 'active', lastError: null });
  });

  it('is counted in the metrics, by its type and outcome', async () => {
    const measured = await TestApp.start({ settings: { ...ALLOW_LOCAL, ...METRICS_ON } });
    try {
      const own = await Importing.start(measured, await measured.newAccount(), target(), COLUMNS);
      await own.import({ query: "SELECT 'a' AS code UNION ALL SELECT NULL" });
      await own.import({ query: 'SELECT nothing' });
      const scrape = await Scrape.of(await metricsUrl(measured));
      const runs = 'datagrid_scheduled_import_runs_total';
      expect(scrape.sum(runs, { type: 'postgresql', outcome: 'succeeded' })).toBe(1);
      expect(scrape.sum(runs, { type: 'postgresql', outcome: 'configuration' })).toBe(1);
      const rows = 'datagrid_scheduled_import_rows_total';
      expect(scrape.sum(rows, { outcome: 'created' })).toBe(1);
      expect(scrape.sum(rows, { outcome: 'rejected' })).toBe(1);
      expect(scrape.sum('datagrid_scheduled_imports_running', { state: 'slow' })).toBe(0);
    } finally {
      await measured.close();
    }
  });

  it('waits while its datagrid is in the trash', async () => {
    const importing = await start();
    const { api } = importing.owner;
    const path = await importing.create({ query: "SELECT 'a' AS code", intervalSeconds: 3600 });
    const first = await importing.nextRun(path, null);
    await api.delete(importing.datagrid);
    expect((await api.get(path)).status).toBe(404);
    const id = path.split('/').at(-1);
    await app.sql.query(
      'UPDATE scheduled_imports SET next_run_at = now() - make_interval(secs => 1) WHERE id = $1',
      [id],
    );
    expect((await api.post(`/trash/${importing.datagridId}/restore`)).status).toBe(200);
    expect(await importing.nextRun(path, first.id)).toMatchObject({ unchanged: 1 });
  });

  it('exceeds neither the row quota of the account nor its limit of rows', async () => {
    const small = await TestApp.start({
      settings: { ...ALLOW_LOCAL, MAX_SCHEDULED_IMPORT_ROWS: '50', QUOTA_ROWS: '20' },
    });
    try {
      const owner = await small.newAccount();
      const own = await Importing.start(small, owner, target(), COLUMNS);
      const rows = (count: number): string =>
        `SELECT 'c' || n AS code FROM generate_series(1, ${String(count)}) n`;
      expect((await own.import({ query: rows(60) })).error).toMatch(/more than 50 rows/);
      expect((await own.import({ query: rows(30) })).error).toMatch(/20 rows/);
      expect(await own.rows()).toEqual([]);
      expect(await own.import({ query: rows(20) })).toMatchObject({ created: 20, error: null });
    } finally {
      await small.close();
    }
  });
});
