import type { ApiResponse, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, RFC3339, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

const list = (query = ''): Promise<ApiResponse> =>
  team.viewer.api.get(`${datagrid}/trash/rows${query}`);

const createRows = async (count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, n) => ({ values: { n } }));
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
};

describe('GET /datagrids/{datagridId}/trash/rows', () => {
  it('is empty for a datagrid that has never lost a row', async () => {
    await createRows(1);
    const { body } = await list();
    expect(body).toEqual({ data: [], meta: { pageSize: 0, nextCursor: null } });
  });

  it('lists each row with its values, and when and by whom it was deleted', async () => {
    await createRows(1);
    const row = dataOf(await team.admin.api.patch(`${datagrid}/rows/1`, { values: { n: 5 } }), 200);
    expect((await team.editor.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    const [deleted] = dataOf(await list(), 200);
    expect(deleted).toEqual({
      id: 1,
      values: { n: 5 },
      removedColumns: [],
      revision: 3,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      deletedAt: expect.stringMatching(RFC3339),
      expiresAt: expect.stringMatching(RFC3339),
      userId: team.editor.userId,
      keyId: team.editor.keyId,
    });
    expect(Date.parse(deleted.expiresAt) - Date.parse(deleted.deletedAt)).toBe(7 * 86_400_000);
  });

  it('returns pages, newest first, whose cursors continue where a page ended', async () => {
    await createRows(5);
    expect((await team.editor.api.delete(`${datagrid}/rows/4`)).status).toBe(204);
    dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const ids: number[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const { body }: { body: Json } = await list(`?limit=2&cursor=${cursor}`);
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id));
      cursor = body.meta.nextCursor;
      pages += 1;
      // A row that was deleted after the first page is newer than it.
      if (pages === 1) {
        await createRows(1);
        expect((await team.editor.api.delete(`${datagrid}/rows/6`)).status).toBe(204);
      }
    }
    expect(ids).toEqual([5, 3, 2, 1, 4]);
    expect(pages).toBe(3);
  });

  it('returns a page with fewer rows if they are large', async () => {
    datagrid = await newDatagrid(team.owner.api, [{ key: 'text', type: 'json' }]);
    // Random values, which PostgreSQL cannot compress.
    const rows = Array.from({ length: 6 }, () => ({
      values: { text: Array.from({ length: 1_500 }, () => Math.random()) },
    }));
    dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
    dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const first = await list();
    expect(first.body.data.length).toBeLessThan(6);
    expect(first.body.data[0]).toMatchObject({ id: 6, values: rows[5]?.values });
    const second = await list(`?cursor=${first.body.meta.nextCursor as string}`);
    expect(second.body.data[0].id).toBe(6 - (first.body.data.length as number));
  });

  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['cursor=abc', 'cursor', 'invalid_format'],
    ['cursor=a&cursor=b', 'cursor', 'duplicate_parameter'],
    ['page=2', 'page', 'unknown_parameter'],
  ])('returns 400 for ?%s', async (query, field, code) => {
    expectFailure(await list(`?${query}`), 'invalid_request', [`${field} ${code}`]);
  });

  it('returns 400 for a cursor of another datagrid', async () => {
    await createRows(2);
    dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const { nextCursor } = (await list('?limit=1')).body.meta;
    datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    const rejected = await list(`?cursor=${nextCursor as string}`);
    expectFailure(rejected, 'invalid_request', ['cursor cursor_mismatch']);
  });
});
