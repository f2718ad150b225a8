import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { describePaging } from '../../support/paging-contract';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let workspace: string;
let path: string;
const datagrids: string[] = [];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  workspace = await newWorkspace(team.owner.api);
  path = `/workspaces/${workspace}/datagrids`;
  const columns = [{ key: 'n', type: 'integer' }];
  for (let n = 0; n < 25; n += 1) {
    datagrids.push(await newDatagrid(team.owner.api, columns, workspace));
  }
});

afterAll(() => app.close());

describe('GET /workspaces/{workspaceId}/datagrids', () => {
  describe('a valid request', () => {
    describePaging(() => ({ api: team.viewer.api, path, total: 25 }));

    it('returns the datagrids oldest first, each as a single read returns it', async () => {
      await team.editor.api.post(`${datagrids[3] ?? ''}/rows`, { values: { n: 1 } });
      const { body } = await team.viewer.api.get(`${path}?limit=200`);
      const ids = (body.data as { id: string }[]).map(({ id }) => `/datagrids/${id}`);
      expect(ids).toEqual(datagrids);
      const fourth = await team.viewer.api.get(datagrids[3] ?? '');
      expect(body.data[3]).toEqual(fourth.body.data);
      expect(fourth.body.data).toMatchObject({ rowCount: 1, revision: 1 });
    });

    it('returns no datagrid of another workspace', async () => {
      const other = await newWorkspace(team.owner.api);
      const { body } = await team.viewer.api.get(`/workspaces/${other}/datagrids`);
      expect(body).toEqual({ data: [], meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 } });
    });
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get(path), 'unauthenticated');
  });

  it.each([NO_ID, 'x'])('returns 404 for the workspace %s', async (id) => {
    expectFailure(await team.owner.api.get(`/workspaces/${id}/datagrids`), 'not_found');
  });
});
