import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('DELETE /datagrids/{datagridId}', () => {
  describe('a valid request', () => {
    it('deletes the datagrid and its rows, and returns no body', async () => {
      const path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
      await team.editor.api.post(`${path}/rows`, { values: { n: 1 } });
      const response = await team.admin.api.delete(path);
      expect([response.status, response.text]).toEqual([204, '']);
      expectFailure(await team.owner.api.get(path), 'not_found');
      expectFailure(await team.owner.api.get(`${path}/rows`), 'not_found');
      expectFailure(await team.owner.api.get(`${path}/rows/1`), 'not_found');
    });

    it('frees the name and leaves other datagrids unchanged', async () => {
      const workspace = await newWorkspace(team.owner.api);
      const sibling = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }], workspace);
      await team.editor.api.post(`${sibling}/rows`, { values: { n: 1 } });
      const list = `/workspaces/${workspace}/datagrids`;
      const { id } = dataOf(await team.owner.api.post(list, { name: 'Again' }), 201);
      await team.owner.api.delete(`/datagrids/${id}`);
      expect((await team.owner.api.get(list)).body.meta.total).toBe(1);
      expect((await team.owner.api.get(`${sibling}/rows`)).body.meta.total).toBe(1);
      expect((await team.owner.api.post(list, { name: 'again' })).status).toBe(201);
    });
  });

  it('returns 400 for any parameter', async () => {
    const path = await newDatagrid(team.owner.api, []);
    const response = await team.owner.api.delete(`${path}?cascade=true`);
    expectFailure(response, 'invalid_request', ['cascade unknown_parameter']);
    expect((await team.owner.api.get(path)).status).toBe(200);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().delete(`/datagrids/${NO_ID}`), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 to the role %s', async (role) => {
    const path = await newDatagrid(team.owner.api, []);
    expectFailure(await team[role].api.delete(path), 'forbidden');
    expect((await team.owner.api.get(path)).status).toBe(200);
  });

  it('returns 404 for a deleted, unknown or malformed id', async () => {
    const path = await newDatagrid(team.owner.api, []);
    await team.owner.api.delete(path);
    expectFailure(await team.owner.api.delete(path), 'not_found');
    expectFailure(await team.owner.api.delete(`/datagrids/${NO_ID}`), 'not_found');
    expectFailure(await team.owner.api.delete('/datagrids/x'), 'not_found');
  });

  it('returns 404 to all but one of several concurrent deletions', async () => {
    const path = await newDatagrid(team.owner.api, []);
    const calls = Array.from({ length: 8 }, () => team.owner.api.delete(path));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
  });
});
