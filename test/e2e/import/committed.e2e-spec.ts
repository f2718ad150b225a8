import type { PoolClient } from 'pg';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';
import { importNdjson, numbered } from './sending';

/** Key of the advisory lock that an import's last statement waits for. */
const LOCK = 4711;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '10' });
  owner = await app.newAccount();
  await app.sql.query(`
    CREATE FUNCTION wait_at_end() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(${String(LOCK)}); RETURN NEW; END';
    CREATE TRIGGER wait_at_end BEFORE UPDATE ON imports FOR EACH ROW
      WHEN (NEW.state = 'completed') EXECUTE FUNCTION wait_at_end()`);
});

afterAll(async () => {
  await app.sql.query('DROP FUNCTION wait_at_end CASCADE');
  await app.close();
});

/** Runs `work` while an import has committed all of its rows and waits to store its final state. */
async function beforeTheEnd<T>(work: () => Promise<T>): Promise<T> {
  const client: PoolClient = await app.sql.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await eventually(async () => (await waitingForLocks(app)) > 0);
    return await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    client.release();
  }
}

const idOf = (grid: string): string => grid.slice('/datagrids/'.length);

describe('an import that is committed when its datagrid is deleted', () => {
  it('returns 201 with its report and Location, and has the same report once the datagrid is restored', async () => {
    const { api } = owner;
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const sent = importNdjson(api, grid, numbered(1, 25));
    await beforeTheEnd(async () => {
      expect((await api.delete(grid)).status).toBe(204);
    });
    const response = await sent;
    const report = dataOf(response, 201);
    expect(report).toMatchObject({ state: 'completed', created: 25, committedRows: 25 });
    const location = `${API}${grid}/imports/${String(report.id)}`;
    expect(response.headers.get('location')).toBe(location);
    expect((await api.get(location.slice(API.length))).status).toBe(404);
    dataOf(await api.post(`/trash/${idOf(grid)}/restore`), 200);
    expect(dataOf(await api.get(location.slice(API.length)), 200)).toEqual(report);
    expect((await api.get(grid)).body.data.rowCount).toBe(25);
  });

  it('returns 201 if the datagrid is also purged before the report is read', async () => {
    const { api } = owner;
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const sent = importNdjson(api, grid, numbered(1, 5));
    await beforeTheEnd(async () => {
      expect((await api.delete(grid)).status).toBe(204);
      expect((await api.delete(`/trash/${idOf(grid)}`)).status).toBe(204);
    });
    const response = await sent;
    expect(dataOf(response, 201)).toMatchObject({ state: 'completed', created: 5 });
    expect(response.headers.get('location')).toContain(`${grid}/imports/`);
  });

  it('replays its response for the Idempotency-Key while the datagrid is in the trash', async () => {
    const { api } = owner;
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const send = (): ReturnType<typeof importNdjson> =>
      importNdjson(api, grid, numbered(1, 5), '', { 'idempotency-key': 'committed' });
    const first = dataOf(await send(), 201);
    expect((await api.delete(grid)).status).toBe(204);
    const again = await send();
    expect(dataOf(again, 201)).toEqual(first);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});
