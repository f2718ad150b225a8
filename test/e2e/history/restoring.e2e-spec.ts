import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const row = (id: number): string => `${datagrid}/rows/${String(id)}`;
const restore = (
  id: number,
  revision: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> =>
  team.editor.api.send('POST', `${row(id)}/restore`, { revision }, headers);
const create = async (values: object): Promise<ApiResponse['body']> =>
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { values }), 201);
const update = async (id: number, values: object): Promise<ApiResponse['body']> =>
  dataOf(await team.editor.api.patch(row(id), { values }), 200);
const remove = async (id: number): Promise<void> => {
  expect((await team.editor.api.delete(row(id))).status).toBe(204);
};

describe('POST /datagrids/{datagridId}/rows/{rowId}/restore', () => {
  it('gives a row the values of an earlier revision, as a new write', async () => {
    await create({ sku: 'a', n: 1 });
    await update(1, { sku: null, n: 2 });
    const response = await restore(1, 1);
    const restored = dataOf(response, 200);
    expect(restored).toMatchObject({ id: 1, values: { sku: 'a', n: 1 }, revision: 3 });
    const current = await team.viewer.api.get(row(1));
    expect(current.body.data).toEqual(restored);
    expect(response.headers.get('etag')).toBe(current.headers.get('etag'));
    const entries = dataOf(await team.viewer.api.get(`${row(1)}/history`), 200);
    expect(entries).toMatchObject([{ revision: 3 }, { values: { n: 2 } }, { values: { n: 1 } }]);
  });

  it('creates a deleted row again, with its id, its creation time and its place in pages', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => ({ values: { sku: `R-${String(n)}`, n } }));
    dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
    const before = dataOf(await team.viewer.api.get(row(300)), 200);
    dataOf(
      await team.editor.api.post(`${datagrid}/rows/delete`, { filter: { n: { $gt: 280 } } }),
      200,
    );
    const restored = dataOf(await restore(300, 1), 200);
    expect(restored).toEqual({ ...before, revision: 3, updatedAt: restored.updatedAt });
    const page = await team.viewer.api.get(`${datagrid}/rows?page=29&limit=10`);
    expect(page.body.meta.total).toBe(282);
    expect(page.body.data).toMatchObject([{ id: 281 }, { id: 300 }]);
    const found = await team.viewer.api.get(`${datagrid}/rows?filter={"n":299}`);
    expect(found.body.data).toEqual([restored]);
    const again = await team.editor.api.post(`${datagrid}/rows`, { values: { sku: 'R-299' } });
    expect(again.status).toBe(409);
    const entries = dataOf(await team.viewer.api.get(`${row(300)}/history`), 200);
    expect(entries).toMatchObject([
      { revision: 3, operation: 'created', values: { n: 299 } },
      { revision: 2, operation: 'deleted', values: null },
      { revision: 1, operation: 'created', values: { n: 299 } },
    ]);
  });

  it('is read by clients that follow the changes', async () => {
    await create({ n: 1 });
    await remove(1);
    const { nextCursor } = (await team.viewer.api.get(`${datagrid}/changes?cursor=latest`)).body
      .meta;
    const restored = dataOf(await restore(1, 1), 200);
    const { data } = (await team.viewer.api.get(`${datagrid}/changes?cursor=${nextCursor}`)).body;
    expect(data).toEqual([{ op: 'set', row: restored }]);
  });

  it('returns 409 if a unique value is used by another row, and changes nothing', async () => {
    await create({ sku: 'a' });
    await update(1, { sku: 'b' });
    await create({ sku: 'a' });
    const before = (await team.viewer.api.get(datagrid)).text;
    const message = 'must be unique, but row 2 already has this value';
    const rejected = await restore(1, 1);
    expect(rejected.status).toBe(409);
    expect(rejected.body.error.details).toEqual([
      { field: 'values.sku', code: 'duplicate', message },
    ]);
    await remove(1);
    expect((await restore(1, 1)).status).toBe(409);
    await update(2, { sku: 'c' });
    dataOf(await restore(1, 1), 200);
    expect((await team.viewer.api.get(datagrid)).text).not.toBe(before);
  });

  it('returns 409 with each column that the values no longer fit', async () => {
    const { api } = team.owner;
    await create({ sku: 'not a number' });
    await update(1, { sku: '17', n: 5 });
    dataOf(await api.patch(`${datagrid}/columns/n`, { required: true }), 200);
    const conflicting = await restore(1, 1);
    expect(conflicting.status).toBe(409);
    expect(conflicting.body.error).toMatchObject({
      message: 'The values of revision 1 do not fit the columns of the datagrid.',
      details: [{ field: 'values.n', code: 'required', message: 'must have a value' }],
    });
  });

  it('leaves out values of removed columns', async () => {
    await create({ sku: 'a', n: 1 });
    await update(1, { n: 2 });
    expect((await team.owner.api.delete(`${datagrid}/columns/sku`)).status).toBe(204);
    expect(dataOf(await restore(1, 1), 200).values).toEqual({ n: 1 });
  });

  it('honors If-Match, also for a deleted row', async () => {
    await create({ n: 1 });
    const old = (await team.viewer.api.get(row(1))).headers.get('etag') ?? '';
    await update(1, { n: 2 });
    const now = (await team.viewer.api.get(row(1))).headers.get('etag') ?? '';
    expectFailure(await restore(1, 1, { 'If-Match': old }), 'precondition_failed');
    dataOf(await restore(1, 1, { 'If-Match': now }), 200);
    await remove(1);
    expectFailure(await restore(1, 1, { 'If-Match': now }), 'precondition_failed');
    expectFailure(await restore(1, 1, { 'If-Match': '*' }), 'precondition_failed');
    dataOf(await restore(1, 1), 200);
  });

  it('runs once for requests with one Idempotency-Key', async () => {
    await create({ n: 1 });
    await update(1, { n: 2 });
    const key = { 'Idempotency-Key': 'restore-1' };
    const first = dataOf(await restore(1, 1, key), 200);
    expect(dataOf(await restore(1, 1, key), 200)).toEqual(first);
    expect(dataOf(await team.viewer.api.get(row(1)), 200).revision).toBe(3);
  });

  it('returns 404 for an unknown row, an unknown version and a deletion', async () => {
    await create({ n: 1 });
    await remove(1);
    expectFailure(await restore(2, 1), 'not_found');
    for (const revision of [2, 3, 100]) {
      const missing = await restore(1, revision);
      expectFailure(missing, 'not_found');
      expect(missing.body.error.message).toBe('Version not found.');
    }
  });

  it.each([0, -1, 1.5, '1', null, undefined, 2 ** 53])(
    'returns 400 for revision %s',
    async (bad) => {
      const rejected = await restore(1, bad);
      expect(rejected.status).toBe(400);
      expect(rejected.body.error.details).toMatchObject([{ field: 'revision' }]);
    },
  );

  it('returns 403 to a viewer, and if the quota of rows is used', async () => {
    expectFailure(await team.viewer.api.post(`${row(1)}/restore`, { revision: 1 }), 'forbidden');
    const limited = await TestApp.start({ database: app.database, settings: { QUOTA_ROWS: '1' } });
    try {
      const owner = await limited.newAccount();
      datagrid = await newDatagrid(owner.api, COLUMNS);
      dataOf(await owner.api.patch(datagrid, { history: true }), 200);
      dataOf(await owner.api.post(`${datagrid}/rows`, { values: { n: 1 } }), 201);
      expect((await owner.api.delete(row(1))).status).toBe(204);
      dataOf(await owner.api.post(`${datagrid}/rows`, { values: { n: 2 } }), 201);
      const body = { revision: 1 };
      expectFailure(await owner.api.post(`${row(1)}/restore`, body), 'quota_exceeded');
      expect((await owner.api.delete(row(2))).status).toBe(204);
      dataOf(await owner.api.post(`${row(1)}/restore`, body), 200);
    } finally {
      await limited.close();
    }
  });
});
