import type { PoolClient } from 'pg';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { ImportRunService } from '../../../src/imports/run/import-run.service';
import { ImportService } from '../../../src/imports/import.service';
import { API, type Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importNdjson, numbered, SlowImport, valuesOf } from './sending';

const SETTINGS = { IMPORT_BATCH_ROWS: '10' };
const N = [{ key: 'n', type: 'integer' }];

let app: TestApp;
/** Another instance. */
let other: TestApp;
let team: Team;
let beats: ImportRunService['beats'];
let everyMs: number;

beforeAll(async () => {
  app = await TestApp.shared(SETTINGS);
  other = await TestApp.start({ database: app.database, settings: SETTINGS });
  ({ beats } = app.nest.get(ImportRunService));
  ({ everyMs } = beats);
  beats.everyMs = 100;
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  beats.everyMs = everyMs;
  await other.close();
  await app.close();
});

/** Runs `work` while the datagrid is locked, as by a long write. */
async function whileLocked<T>(grid: string, work: () => Promise<T>): Promise<T> {
  const client: PoolClient = await app.sql.connect();
  try {
    await client.query('BEGIN');
    const counter = 'SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
    await client.query(counter, [grid.slice('/datagrids/'.length)]);
    return await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Waits for a running import and returns it. */
const runningOf = (grid: string): Promise<Json> =>
  eventually(async () => {
    const { body } = await team.owner.api.get(`${grid}/imports`);
    return (body.data as Json[]).find(({ state }) => state === 'running');
  });

const ended = (grid: string, id: string): Promise<Json> =>
  eventually(async () => {
    const { data } = (await team.owner.api.get(`${grid}/imports/${id}`)).body;
    return data.state !== 'running' && data;
  });

const staged = async (): Promise<number> => {
  const { rows } = await app.sql.query(
    `SELECT count(*)::int AS count FROM import_lines
    WHERE datagrid_id IN (SELECT datagrid_id FROM imports WHERE account_id = ANY($1))`,
    [app.accountIds],
  );
  return rows[0].count;
};

describe('a long import', () => {
  it('returns 202, continues after its body was read and is visible on another instance', async () => {
    const { api, key } = team.owner;
    const grid = await newDatagrid(api, N);
    const imports = app.nest.get(ImportService);
    const { withinMs } = imports.response;
    imports.response.withinMs = 50;
    const response = await whileLocked(grid, async () => {
      const given = await importNdjson(api, grid, numbered(1, 55));
      const data = dataOf(given, 202);
      expect(data).toMatchObject({ state: 'running', committedRows: 0, nextLine: 1 });
      expect(data.finishedAt).toBeNull();
      expect(data.failure).toBeUndefined();
      const watched = await eventually(async () => {
        const found = dataOf(await other.api(key).get(`${grid}/imports/${data.id}`), 200);
        return found.rowsRead === 55 && found;
      });
      expect(watched).toMatchObject({
        id: data.id,
        state: 'running',
        committedRows: 0,
        nextLine: 1,
      });
      return given;
    }).finally(() => (imports.response.withinMs = withinMs));
    const location = response.headers.get('location')?.slice(API.length) ?? '';
    const report = await eventually(async () => {
      const { data } = (await other.api(key).get(location)).body;
      return data.state === 'completed' && data;
    });
    expect(report).toMatchObject({ created: 55, committedRows: 55, nextLine: null });
    expect(report.rowsPerSecond).toBeGreaterThan(0);
    await eventually(async () => (await staged()) === 0);
  });

  it('stops reading from its sender while the database is behind', async () => {
    const grid = await newDatagrid(team.owner.api, [{ key: 's', type: 'text' }]);
    const sent = SlowImport.start(app, team.owner, grid);
    await whileLocked(grid, async () => {
      // Long lines, so that few of them fit in the network buffers.
      for (let n = 0; n < 600; n += 1) sent.write(`{"s":"${'x'.repeat(20_000)}"}\n`);
      await eventually(async () => (await waitingForLocks(app)) > 0);
      const most = await eventually(async () => (await staged()) >= 200 && staged());
      expect(most).toBeLessThanOrEqual(230);
      const { id } = await runningOf(grid);
      dataOf(await team.owner.api.get(`${grid}/imports/${id}`), 200);
    });
    sent.cut();
    const { id } = (await team.owner.api.get(`${grid}/imports`)).body.data[0];
    const report = await ended(grid, id);
    expect(report).toMatchObject({ state: 'failed', failure: { code: 'invalid_request' } });
    expect(report.nextLine).toBe(Number(report.committedRows) + 1);
    await eventually(async () => (await staged()) === 0);
  });

  // With a key, the cancellation is committed together with its stored response.
  it.each([
    ['', {}],
    [' with an Idempotency-Key', { 'idempotency-key': 'cancel' }],
  ])('stops on DELETE%s and keeps its committed rows', async (_, headers) => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const sent = SlowImport.start(app, team.owner, grid);
    sent.write(numbered(1, 35));
    const { id } = await runningOf(grid);
    await eventually(async () => (await api.get(grid)).body.data.rowCount === 30);
    const path = `${grid}/imports/${id}`;
    expect((await team.editor.api.delete(path, headers)).status).toBe(204);
    expect((await sent.response).status).toBe(409);
    const report = await ended(grid, id);
    expect(report).toMatchObject({ state: 'cancelled', committedRows: 30, nextLine: 31 });
    expect(await valuesOf(api, grid)).toHaveLength(30);
    // Cancelling again changes nothing.
    expect((await api.delete(`${grid}/imports/${id}`)).status).toBe(204);
    await eventually(async () => (await staged()) === 0);
  });

  it('stops on DELETE from another instance', async () => {
    const { api, key } = team.owner;
    const grid = await newDatagrid(api, N);
    const sent = SlowImport.start(app, team.owner, grid);
    sent.write(numbered(1, 3));
    const { id } = await runningOf(grid);
    expect((await other.api(key).delete(`${grid}/imports/${id}`)).status).toBe(204);
    expect((await sent.response).body.error.code).toBe('conflict');
    expect(await ended(grid, id)).toMatchObject({ state: 'cancelled', committedRows: 0 });
    expect((await api.get(grid)).body.data.rowCount).toBe(0);
  });

  it('returns 409 for a cancellation after its end', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const { id } = dataOf(await importNdjson(api, grid, '{}'), 201);
    expectFailure(await api.delete(`${grid}/imports/${id}`), 'conflict');
    expectFailure(await api.delete(`${grid}/imports/${NO_ID}`), 'not_found');
  });
});

describe('a running import', () => {
  /** Starts an import of three batches and waits until the first two are committed. */
  async function begin(grid: string, from = team.owner): Promise<SlowImport> {
    const sent = SlowImport.start(app, from, grid);
    sent.write(numbered(1, 25));
    await eventually(async () => (await team.owner.api.get(grid)).body.data.rowCount === 20);
    return sent;
  }

  it('fails with 404 if its datagrid is deleted', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const sent = await begin(grid);
    const { id } = await runningOf(grid);
    expect((await api.delete(grid)).status).toBe(204);
    expectFailure(await api.get(`${grid}/imports/${id}`), 'not_found');
    expectFailure(await api.delete(`${grid}/imports/${id}`), 'not_found');
    sent.end(numbered(26, 60));
    const response = await sent.response;
    expect([response.status, response.body.error.code]).toEqual([404, 'not_found']);
    expect(response.headers.location).toBe(`${API}${grid}/imports/${id}`);
    expectFailure(await api.get(`${grid}/imports`), 'not_found');
    dataOf(await api.post(`/trash/${grid.slice('/datagrids/'.length)}/restore`), 200);
    const [report] = (await api.get(`${grid}/imports`)).body.data;
    expect(report).toMatchObject({ state: 'failed', committedRows: 20, nextLine: 21 });
    expect((await api.get(grid)).body.data.rowCount).toBe(20);
  });

  it.each<[string, (grid: string) => Promise<unknown>]>([
    ['its column is removed', (grid) => team.owner.api.delete(`${grid}/columns/n`)],
    [
      'its column is changed',
      (grid) => team.owner.api.patch(`${grid}/columns/n`, { type: 'number' }),
    ],
    [
      'another column becomes required',
      async (grid) => {
        await team.owner.api.post(`${grid}/columns`, { key: 'r', type: 'text' });
        await team.owner.api.post(`${grid}/rows/delete`, { filter: {} });
        return team.owner.api.patch(`${grid}/columns/r`, { required: true });
      },
    ],
  ])('fails with 409 if %s', async (_, change) => {
    const grid = await newDatagrid(team.owner.api, N);
    const sent = await begin(grid);
    await change(grid);
    sent.end(numbered(26, 60));
    const { status, body } = await sent.response;
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    const [report] = (await team.owner.api.get(`${grid}/imports`)).body.data;
    expect(report).toMatchObject({ state: 'failed', committedRows: 20, nextLine: 21 });
  });

  it('continues if other columns change', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const sent = await begin(grid);
    dataOf(await api.post(`${grid}/columns`, { key: 'other', type: 'text', unique: true }), 201);
    dataOf(await api.patch(`${grid}/columns/n`, { title: 'Number', indexed: true }), 200);
    sent.end(numbered(26, 60));
    expect((await sent.response).status).toBe(201);
    expect((await api.get(grid)).body.data.rowCount).toBe(60);
  });

  it('continues if a column is removed that no line names', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, [...N, { key: 'x', type: 'text' }]);
    const sent = await begin(grid);
    expect((await api.delete(`${grid}/columns/x`)).status).toBe(204);
    sent.end(numbered(26, 60));
    expect((await sent.response).status).toBe(201);
    expect((await api.get(grid)).body.data.rowCount).toBe(60);
  });

  it('fails with 409 if a later line names a removed column, and stores no value of it', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, [...N, { key: 'x', type: 'text' }]);
    const sent = await begin(grid);
    expect((await api.delete(`${grid}/columns/x`)).status).toBe(204);
    sent.write(numbered(26, 45));
    await eventually(async () => (await api.get(grid)).body.data.rowCount === 40);
    sent.end(`{"n":46,"x":"late"}\n${numbered(47, 60)}`);
    const { status, body } = await sent.response;
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect((await valuesOf(api, grid)).filter((values) => 'x' in values)).toEqual([]);
  });

  it('fails with 401 if its key is revoked', async () => {
    const editor = await app.newUser(team.owner.accountId, 'editor');
    const grid = await newDatagrid(team.owner.api, N);
    const sent = await begin(grid, editor);
    await app.nest.get(ApiKeyService).revoke(editor.keyId, 'operator');
    sent.end(numbered(26, 60));
    const { status, headers } = await sent.response;
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const [report] = (await team.owner.api.get(`${grid}/imports`)).body.data;
    expect(report).toMatchObject({ state: 'failed', committedRows: 20, nextLine: 21 });
    expect(report.failure.code).toBe('unauthenticated');
  });

  it('fails if its sender disconnects', async () => {
    const grid = await newDatagrid(team.owner.api, N);
    const sent = await begin(grid);
    const { id } = await runningOf(grid);
    sent.cut();
    const report = await ended(grid, id);
    expect(report).toMatchObject({ state: 'failed', failure: { code: 'invalid_request' } });
    expect(report).toMatchObject({ committedRows: 20, nextLine: 21 });
  });
});

describe('GET /datagrids/{datagridId}/imports', () => {
  it('returns a page, newest first, without the rejected lines', async () => {
    const { api } = team.viewer;
    const grid = await newDatagrid(team.owner.api, N);
    const ids: string[] = [];
    for (const text of ['{"n":1}', '[]', '{}']) {
      await importNdjson(team.owner.api, grid, text);
      ids.unshift((await api.get(`${grid}/imports?limit=1`)).body.data[0].id);
    }
    const { body } = await api.get(`${grid}/imports?limit=2`);
    expect(body.meta).toEqual({ total: 3, page: 1, pageSize: 2, totalPages: 2 });
    expect((body.data as Json[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((body.data as Json[]).map(({ state }) => state)).toEqual(['completed', 'failed']);
    expect(body.data[0]).not.toHaveProperty('errors');
    const last = (await api.get(`${grid}/imports?page=2&limit=2`)).body.data;
    expect((last as Json[]).map(({ id }) => id)).toEqual(ids.slice(2));
    const none = await newDatagrid(team.owner.api, N);
    expect((await api.get(`${none}/imports`)).body).toEqual({
      data: [],
      meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 },
    });
  });
});
