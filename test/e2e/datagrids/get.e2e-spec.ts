import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}', () => {
  describe('a valid request', () => {
    it.each(['owner', 'admin', 'editor', 'viewer'] as const)(
      'returns the datagrid to %s',
      async (role) => {
        const { status, body, headers } = await team[role].api.get(path);
        expect(status).toBe(200);
        expect(Object.keys(body)).toEqual(['data']);
        expect(Object.keys(body.data)).toEqual([
          'id',
          'workspaceId',
          'name',
          'description',
          'history',
          'columns',
          'rowCount',
          'revision',
          'createdAt',
          'updatedAt',
        ]);
        expect(headers.get('cache-control')).toBe('private, no-cache');
      },
    );

    it('returns the exact number of rows and a revision that each write raises by one', async () => {
      const own = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
      const rows = `${own}/rows`;
      const numbers = async (): Promise<object> => {
        const { rowCount, revision } = (await team.viewer.api.get(own)).body.data;
        return { rowCount, revision };
      };
      await team.editor.api.post(rows, { values: { n: 1 } });
      expect(await numbers()).toEqual({ rowCount: 1, revision: 1 });
      await team.editor.api.post(rows, { rows: [{ values: {} }, { values: {} }] });
      expect(await numbers()).toEqual({ rowCount: 3, revision: 2 });
      await team.editor.api.patch(`${rows}/1`, { values: { n: 2 } });
      expect(await numbers()).toEqual({ rowCount: 3, revision: 3 });
      await team.editor.api.put(`${rows}/1`, { values: {} });
      expect(await numbers()).toEqual({ rowCount: 3, revision: 4 });
      await team.editor.api.delete(`${rows}/2`);
      expect(await numbers()).toEqual({ rowCount: 2, revision: 5 });
    });

    it('returns unchanged counts after rejected writes', async () => {
      const own = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer', unique: true }]);
      const rows = `${own}/rows`;
      await team.editor.api.post(rows, { values: { n: 1 } });
      const before = (await team.viewer.api.get(own)).body;
      const responses = await Promise.all([
        team.editor.api.post(rows, { values: { n: 1 } }),
        team.editor.api.post(rows, { rows: [{ values: { n: 7 } }, { values: { n: 7 } }] }),
        team.editor.api.patch(`${rows}/1`, { values: { n: 'x' } }),
        team.editor.api.delete(`${rows}/9`),
        team.editor.api.put(`${rows}/9`, { values: {} }),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([409, 409, 400, 404, 404]);
      expect((await team.viewer.api.get(own)).body).toEqual(before);
      expect((await team.editor.api.post(rows, { values: { n: 2 } })).body.data).toMatchObject({
        id: 2,
        revision: 2,
      });
    });
  });

  it('returns 400 for any parameter', async () => {
    const response = await team.viewer.api.get(`${path}?include=rows`);
    expectFailure(response, 'invalid_request', ['include unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get(path), 'unauthenticated');
  });

  it.each([NO_ID, '1', '%00', `${NO_ID}%0d%0aX: y`])('returns 404 for the id %s', async (id) => {
    expectFailure(await team.owner.api.get(`/datagrids/${id}`), 'not_found');
  });
});
