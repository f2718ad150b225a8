import { ImportLeftoverRepository } from '../../src/imports/job/import.repository';
import { ApiClient, type Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { problemsOf } from '../support/verify';
import { importNdjson, numbered, SlowImport } from '../e2e/import/sending';
import { ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

beforeEach(async () => {
  grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

const start = (): Promise<ServiceProcess> =>
  ServiceProcess.ready({
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
    IMPORT_BATCH_ROWS: '10',
  });

const port = async (service: ServiceProcess): Promise<number> =>
  Number(new URL(await service.origin()).port);

/** Starts an import through the process. Its first batches are committed and one is staged. */
async function begin(service: ServiceProcess): Promise<SlowImport> {
  const sent = SlowImport.start({ port: await port(service) }, owner, grid);
  sent.write(numbered(1, 47));
  await eventually(async () => (await owner.api.get(grid)).body.data.rowCount === 40);
  return sent;
}

const report = async (): Promise<Json> => {
  const { id } = (await owner.api.get(`${grid}/imports`)).body.data[0];
  return dataOf(await owner.api.get(`${grid}/imports/${id}`), 200);
};

async function expectWholeAfter(nextLine: number): Promise<void> {
  dataOf(await importNdjson(owner.api, grid, numbered(nextLine, 100)), 201);
  const { rows } = await app.sql.query<{ n: number }>(
    `SELECT ("values" ->> 'n')::int AS n FROM rows WHERE datagrid_id = $1 ORDER BY id`,
    [grid.slice('/datagrids/'.length)],
  );
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(await problemsOf(app)).toEqual([]);
}

const staged = async (): Promise<number> => {
  const { rows } = await app.sql.query('SELECT count(*)::int AS count FROM import_lines');
  return rows[0].count;
};

it('a killed import is reported as failed by other instances soon, and can be continued', async () => {
  const service = await start();
  await begin(service);
  expect(await report()).toMatchObject({ state: 'running' });
  await service.stop('SIGKILL');
  const failed = await eventually(async () => {
    const found = await report();
    return found.state !== 'running' && found;
  });
  expect(failed).toMatchObject({ state: 'failed', committedRows: 40, nextLine: 41 });
  expect(failed.failure).toEqual({
    code: 'unavailable',
    message: 'The service or its database stopped while the import was running.',
  });
  await eventually(async () => (await staged()) === 0);
  await expectWholeAfter(failed.nextLine);
});

it('an import ends at once with its report when the service is told to stop', async () => {
  const service = await start();
  const sent = await begin(service);
  const stopped = service.stop('SIGTERM');
  const { status, headers, body } = await sent.response;
  expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
  expect([await stopped, service.stderr()]).toEqual([0, '']);
  const failed = await report();
  expect(headers.location).toContain(failed.id);
  expect(failed).toMatchObject({ state: 'failed', committedRows: 40, nextLine: 41 });
  expect(await staged()).toBe(0);
  await expectWholeAfter(failed.nextLine);
});

it('a killed import is reported as failed after the next start if there is no other instance', async () => {
  const service = await start();
  await begin(service);
  // Only the other process ends it.
  const leftovers = app.nest.get(ImportLeftoverRepository, { strict: false });
  jest.spyOn(leftovers, 'list').mockResolvedValue([]);
  await service.stop('SIGKILL');
  expect(await report()).toMatchObject({ state: 'running' });
  const next = await start();
  const api = new ApiClient(`http://127.0.0.1:${String(await port(next))}`, owner.key);
  const failed = await eventually(async () => {
    const [found] = (await api.get(`${grid}/imports`)).body.data;
    return found.state !== 'running' && found;
  });
  expect(failed).toMatchObject({ state: 'failed', committedRows: 40, nextLine: 41 });
  await next.stop();
});
