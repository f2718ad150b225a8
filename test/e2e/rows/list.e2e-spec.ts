import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.newAccount();
  const workspace = await owner.api.post('/workspaces', { name: 'W' });
  const created = await owner.api.post(`/workspaces/${workspace.body.data.id}/datagrids`, {
    name: 'Numbers',
    columns: [{ key: 'n', type: 'integer' }],
  });
  datagrid = `/datagrids/${created.body.data.id}`;
  const rows = Array.from({ length: 45 }, (_, n) => ({ values: { n } }));
  await owner.api.post(`${datagrid}/rows`, { rows });
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}/rows', () => {
  describe('200', () => {
    it('gives page 1 of at most 20 rows where nothing is asked', async () => {
      const { status, body, headers } = await owner.api.get(`${datagrid}/rows`);
      expect(status).toBe(200);
      expect(body.meta).toEqual({ total: 45, page: 1, pageSize: 20, totalPages: 3 });
      expect(body.data.map((row: { id: number }) => row.id)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      expect(body.data[4]).toEqual({
        id: 5,
        values: { n: 4 },
        revision: 1,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: body.data[4].createdAt,
      });
      expect(headers.get('link')).toContain('rel="next"');
      expect(headers.get('cache-control')).toBe('private, no-cache');
    });

    it('gives the rest on the last page, and nothing past it', async () => {
      const last = await owner.api.get(`${datagrid}/rows?page=3`);
      expect(last.body.meta).toEqual({ total: 45, page: 3, pageSize: 5, totalPages: 3 });
      const past = await owner.api.get(`${datagrid}/rows?page=4`);
      expect(past.body).toEqual({
        data: [],
        meta: { total: 45, page: 4, pageSize: 0, totalPages: 3 },
      });
    });

    it('skips what was deleted', async () => {
      for (const id of [1, 2, 30]) {
        expect((await owner.api.delete(`${datagrid}/rows/${id}`)).status).toBe(204);
      }
      const { body } = await owner.api.get(`${datagrid}/rows?page=2&limit=21`);
      expect(body.meta).toEqual({ total: 42, page: 2, pageSize: 21, totalPages: 2 });
      expect(body.data[0].id).toBe(24);
      expect(body.data[20].id).toBe(45);
    });

    it('is answered under records too', async () => {
      const rows = await owner.api.get(`${datagrid}/rows?limit=3`);
      const records = await owner.api.get(`${datagrid}/records?limit=3`);
      expect(records.body).toEqual(rows.body);
    });
  });
});
