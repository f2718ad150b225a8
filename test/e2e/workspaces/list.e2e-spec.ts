import { expectFailure } from '../../support/failure';
import { newTeam, newWorkspace, type Team } from '../../support/fixture';
import { describePaging } from '../../support/paging-contract';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
const ids: string[] = [];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  for (let n = 0; n < 25; n += 1) ids.push(await newWorkspace(team.owner.api));
});

afterAll(() => app.close());

describe('GET /workspaces', () => {
  describe('a successful response', () => {
    describePaging(() => ({ api: team.viewer.api, path: '/workspaces', total: 25 }));

    it('lists the same workspaces as single reads, oldest first', async () => {
      const { body } = await team.viewer.api.get('/workspaces?limit=200');
      expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual(ids);
      const first = await team.viewer.api.get(`/workspaces/${ids[0] ?? ''}`);
      expect(body.data[0]).toEqual(first.body.data);
    });

    it('is an empty page for an account without workspaces', async () => {
      const other = await newTeam(app);
      const { body, headers } = await other.owner.api.get('/workspaces');
      expect(body).toEqual({ data: [], meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 } });
      expect(headers.get('link')).toBeNull();
    });

    it('contains only workspaces of the account', async () => {
      const other = await newTeam(app);
      const own = await newWorkspace(other.owner.api);
      const { body } = await other.owner.api.get('/workspaces');
      expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual([own]);
      expect(body.meta.total).toBe(1);
    });
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get('/workspaces'), 'unauthenticated');
  });
});
