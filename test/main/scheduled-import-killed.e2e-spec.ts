import { ImportClaimRepository } from '../../src/scheduled-imports/import-claim.repository';
import { Importing } from '../e2e/connections/importing';
import { ALLOW_LOCAL, Warehouse } from '../e2e/connections/warehouse';
import { eventually } from '../support/eventually';
import { type Member, TestApp } from '../support/test-app';
import { problemsOf } from '../support/verify';
import { ServiceProcess } from './service-process';

const ROWS = 2_000;
/** Each row of the result takes some time. */
const QUERY = `SELECT 'c' || n AS code, pg_sleep(0.002)::text AS city FROM generate_series(1, ${String(ROWS)}) n`;
/** A lease of 15 seconds, and the start of a process. */
const PATIENCE_MS = 60_000;

// Each program takes its time to start.
jest.setTimeout(180_000);

let warehouse: Warehouse;
let app: TestApp;
let owner: Member;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.shared();
  // Only the processes run imports.
  const { claims } = app.nest.get(ImportClaimRepository, { strict: false });
  jest.spyOn(claims, 'listDue').mockResolvedValue([]);
  owner = await app.newAccount();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
  await warehouse.close();
});

const startService = (): Promise<ServiceProcess> =>
  ServiceProcess.ready({
    ...ALLOW_LOCAL,
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
    IMPORT_BATCH_ROWS: '100',
  });

/** Starts a run in a process, and waits until it has written some rows. */
async function begin(): Promise<{ service: ServiceProcess; importing: Importing; path: string }> {
  const service = await startService();
  const settings = warehouse.settings('public');
  const target = { type: 'postgresql', settings, secret: warehouse.password };
  const importing = await Importing.start(app, owner, target, [
    { key: 'code', type: 'text', unique: true },
    { key: 'city', type: 'text' },
  ]);
  const path = await importing.create({ query: QUERY, missingRows: 'delete' });
  expect((await owner.api.post(`${path}/run`)).status).toBe(204);
  await eventually(async () => (await rowCount(importing)) > 0, PATIENCE_MS);
  return { service, importing, path };
}

async function rowCount({ datagrid }: Importing): Promise<number> {
  return (await owner.api.get(datagrid)).body.data.rowCount as number;
}

/** Waits for the run of another process, which finds the rows of the first one. */
async function expectComplete(importing: Importing, path: string): Promise<void> {
  const next = await startService();
  const run = await eventually(
    async () => (await importing.get(path)).lastRun ?? undefined,
    PATIENCE_MS,
  );
  expect(run).toMatchObject({ rowsRead: ROWS, rejected: 0, deleted: 0, error: null });
  expect(run.unchanged).toBeGreaterThan(0);
  expect(Number(run.created) + Number(run.unchanged)).toBe(ROWS);
  expect(await rowCount(importing)).toBe(ROWS);
  await next.stop();
  expect(await problemsOf(app)).toEqual([]);
}

it('a scheduled import runs again after its process was killed, and has each row once', async () => {
  const { service, importing, path } = await begin();
  await service.stop('SIGKILL');
  expect(await rowCount(importing)).toBeLessThan(ROWS);
  await expectComplete(importing, path);
});

it('a scheduled import ends with its query when the service is told to stop, and runs again elsewhere', async () => {
  const { service, importing, path } = await begin();
  expect([await service.stop('SIGTERM'), service.stderr()]).toEqual([0, '']);
  expect(await rowCount(importing)).toBeLessThan(ROWS);
  await eventually(async () => {
    const { rows } = await warehouse.sql.query(
      "SELECT FROM pg_stat_activity WHERE application_name = 'datagrid import' AND state = 'active'",
    );
    return rows.length === 0;
  });
  await expectComplete(importing, path);
});
