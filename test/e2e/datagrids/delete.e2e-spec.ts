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
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('DELETE /datagrids/{datagridId}', () => {
  describe('204', () => {
    it('takes the datagrid and its rows away, without a body', async () => {
      const path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
      await team.editor.api.post(`${path}/rows`, { values: { n: 1 } });
      const answer = await team.admin.api.delete(path);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expectFailure(await team.owner.api.get(path), 'not_found');
      expectFailure(await team.owner.api.get(`${path}/rows`), 'not_found');
      expectFailure(await team.owner.api.get(`${path}/rows/1`), 'not_found');
    });

    it('frees the name and leaves its neighbours alone', async () => {
      const workspace = await newWorkspace(team.owner.api);
      const kept = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }], workspace);
      await team.editor.api.post(`${kept}/rows`, { values: { n: 1 } });
      const list = `/workspaces/${workspace}/datagrids`;
      const { id } = dataOf(await team.owner.api.post(list, { name: 'Again' }), 201);
      await team.owner.api.delete(`/datagrids/${id}`);
      expect((await team.owner.api.get(list)).body.meta.total).toBe(1);
      expect((await team.owner.api.get(`${kept}/rows`)).body.meta.total).toBe(1);
      expect((await team.owner.api.post(list, { name: 'again' })).status).toBe(201);
    });
  });

  it('400: takes no parameters', async () => {
    const path = await newDatagrid(team.owner.api, []);
    const answer = await team.owner.api.delete(`${path}?cascade=true`);
    expectFailure(answer, 'invalid_request', ['cascade unknown_parameter']);
    expect((await team.owner.api.get(path)).status).toBe(200);
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().delete(`/datagrids/${NO_ID}`), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('403: is not for %s', async (role) => {
    const path = await newDatagrid(team.owner.api, []);
    expectFailure(await team[role].api.delete(path), 'forbidden');
    expect((await team.owner.api.get(path)).status).toBe(200);
  });

  it('404: finds nothing, and nothing twice', async () => {
    const path = await newDatagrid(team.owner.api, []);
    await team.owner.api.delete(path);
    expectFailure(await team.owner.api.delete(path), 'not_found');
    expectFailure(await team.owner.api.delete(`/datagrids/${NO_ID}`), 'not_found');
    expectFailure(await team.owner.api.delete('/datagrids/x'), 'not_found');
  });

  it('404: is for all but one of those who delete it at once', async () => {
    const path = await newDatagrid(team.owner.api, []);
    const calls = Array.from({ length: 8 }, () => team.owner.api.delete(path));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
  });
});
