import { FileBody, type ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

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

afterAll(() => app.close());

interface Entry {
  readonly revision: number;
  readonly operation: string;
  readonly values: { readonly n?: number } | null;
}

const by = (member: keyof Team): object => ({
  userId: team[member].userId,
  keyId: team[member].keyId,
});
const history = (id: number, query = ''): Promise<ApiResponse> =>
  team.viewer.api.get(`${datagrid}/rows/${String(id)}/history${query}`);
const create = async (values: object): Promise<ApiResponse['body']> =>
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { values }), 201);
const update = async (id: number, values: object): Promise<ApiResponse['body']> =>
  dataOf(await team.admin.api.patch(`${datagrid}/rows/${String(id)}`, { values }), 200);

describe('GET /datagrids/{datagridId}/rows/{rowId}/history', () => {
  it('returns each write of the row, newest first, with its author, time and values', async () => {
    const created = await create({ sku: 'a', n: 1 });
    const updated = await update(1, { n: 2 });
    await create({ sku: 'other' });
    const { status, body } = await history(1);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          revision: 2,
          operation: 'updated',
          at: updated.updatedAt,
          ...by('admin'),
          values: { sku: 'a', n: 2 },
          removedColumns: [],
        },
        {
          revision: 1,
          operation: 'created',
          at: created.createdAt,
          ...by('editor'),
          values: { sku: 'a', n: 1 },
          removedColumns: [],
        },
      ],
      meta: { pageSize: 2, nextCursor: null },
    });
  });

  it('returns the deletion of a deleted row first', async () => {
    await create({ n: 1 });
    expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    const [deleted, created] = dataOf(await history(1), 200);
    expect(deleted).toMatchObject({ revision: 2, operation: 'deleted', values: null });
    expect(deleted).toMatchObject(by('owner'));
    expect(created).toMatchObject({ revision: 1, operation: 'created', values: { n: 1 } });
  });

  it('returns the writes of batches, upserts, imports and deletions by filter', async () => {
    await create({ sku: 'a', n: 1 });
    const operations = [{ op: 'update', id: 1, values: { n: 2 } }];
    const { api } = team.editor;
    dataOf(await api.post(`${datagrid}/rows/batch`, { mode: 'atomic', operations }), 200);
    const rows = [{ values: { sku: 'a', n: 3 } }];
    dataOf(await api.put(`${datagrid}/rows`, { matchOn: ['sku'], rows }), 200);
    const csv = new FileBody('text/csv', 'sku,n\na,4\n');
    dataOf(await api.post(`${datagrid}/rows/import?mode=upsert&matchOn=sku`, csv), 201);
    dataOf(await api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const entries = dataOf(await history(1), 200) as Entry[];
    expect(entries.map(({ operation, values }) => [operation, values?.n])).toEqual([
      ['deleted', undefined],
      ['updated', 4],
      ['updated', 3],
      ['updated', 2],
      ['created', 1],
    ]);
    for (const entry of entries) expect(entry).toMatchObject(by('editor'));
  });

  it('returns pages of every size, each entry once', async () => {
    await create({ n: 0 });
    for (let n = 1; n < 8; n += 1) await update(1, { n });
    expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    const all = dataOf(await history(1), 200);
    expect(all).toHaveLength(9);
    for (const limit of [1, 2, 3, 4, 5, 7, 8, 9, 10]) {
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: ApiResponse = await history(1, `?limit=${String(limit)}&cursor=${cursor}`);
        expect(page.body.meta.pageSize).toBeLessThanOrEqual(limit);
        seen.push(...dataOf(page, 200));
        cursor = page.body.meta.nextCursor;
      }
      expect(seen).toEqual(all);
    }
  });

  it('returns fewer entries on a page if the values are large, but every entry', async () => {
    await create({ sku: 'x'.repeat(900_000) });
    for (let n = 1; n <= 3; n += 1) {
      const sku = Array.from({ length: 20_000 }, () => Math.random())
        .join()
        .slice(0, 300_000);
      await update(1, { sku });
    }
    const seen: number[] = [];
    let cursor: string | null = '';
    let pages = 0;
    for (; cursor !== null; pages += 1) {
      const page: ApiResponse = await history(1, `?cursor=${cursor}`);
      const entries = dataOf(page, 200) as Entry[];
      seen.push(...entries.map(({ revision }) => revision));
      cursor = page.body.meta.nextCursor;
    }
    expect(seen).toEqual([4, 3, 2, 1]);
    expect(pages).toBeGreaterThan(2);
  });

  it('names columns that were removed after the write, whose values can no longer be read', async () => {
    const { api } = team.owner;
    await create({ sku: 'secret', n: 1 });
    await update(1, { n: 2 });
    expect((await api.delete(`${datagrid}/columns/sku`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'sku', type: 'integer' }), 201);
    await update(1, { sku: 7 });
    const response = await history(1);
    expect(response.text).not.toContain('secret');
    const entries = dataOf(response, 200) as { values: object; removedColumns: string[] }[];
    expect(entries.map(({ values, removedColumns }) => [values, removedColumns])).toEqual([
      [{ sku: 7, n: 2 }, []],
      [{ n: 2 }, ['sku']],
      [{ n: 1 }, ['sku']],
    ]);
  });

  it('returns a write without values if they were replaced while history was off', async () => {
    const { api } = team.owner;
    await create({ n: 1 });
    await update(1, { n: 2 });
    dataOf(await api.patch(datagrid, { history: false }), 200);
    await update(1, { n: 3 });
    await update(1, { n: 4 });
    dataOf(await api.patch(datagrid, { history: true }), 200);
    await update(1, { n: 5 });
    const entries = dataOf(await history(1), 200) as Entry[];
    expect(entries.map(({ revision, values }) => [revision, values?.n])).toEqual([
      [5, 5],
      [4, 4],
      [2, undefined],
      [1, 1],
    ]);
    expect(entries.map(({ operation }) => operation)).toEqual([
      'updated',
      'updated',
      'updated',
      'created',
    ]);
  });

  it('returns the row as it is if history was never on', async () => {
    datagrid = await newDatagrid(team.owner.api, COLUMNS);
    await create({ n: 1 });
    await update(1, { n: 2 });
    expect(dataOf(await history(1), 200)).toMatchObject([
      { revision: 2, operation: 'updated', values: { n: 2 } },
    ]);
    expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    expectFailure(await history(1), 'not_found');
  });

  it('returns 404 for a row that never existed, with and without a cursor', async () => {
    await create({ n: 0 });
    for (let n = 1; n < 3; n += 1) await update(1, { n });
    expectFailure(await history(2), 'not_found');
    const { nextCursor } = (await history(1, '?limit=1')).body.meta;
    const gone = `/datagrids/${NO_ID.slice(0, -12)}${datagrid.slice(-12)}/rows/1/history`;
    expectFailure(await team.viewer.api.get(`${gone}?cursor=${nextCursor}`), 'not_found');
  });

  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['limit=x', 'limit', 'invalid_format'],
    ['cursor=x', 'cursor', 'invalid_format'],
    ['cursor=a&cursor=b', 'cursor', 'duplicate_parameter'],
    ['page=2', 'page', 'unknown_parameter'],
  ])('returns 400 for %s', async (query, field, code) => {
    const rejected = await history(1, `?${query}`);
    expect(rejected.status).toBe(400);
    expect(rejected.body.error.details).toMatchObject([{ field, code }]);
  });

  it('returns 400 for the cursor of another row', async () => {
    await create({ n: 0 });
    await update(1, { n: 1 });
    const { nextCursor } = (await history(1, '?limit=1')).body.meta;
    const rejected = await history(2, `?cursor=${nextCursor}`);
    expect(rejected.status).toBe(400);
    expect(rejected.body.error.details).toMatchObject([{ code: 'cursor_mismatch' }]);
  });
});
