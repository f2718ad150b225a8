import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, newWorkspace, RFC3339, type Team } from '../../support/fixture';
import { describePaging } from '../../support/paging-contract';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newNamed, trashOf } from './trashed';

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  const workspace = await newWorkspace(team.owner.api);
  for (let n = 0; n < 25; n += 1) {
    await discard(team.owner.api, await newDatagrid(team.owner.api, [], workspace));
  }
});

afterAll(() => app.close());

describe('GET /trash', () => {
  describe('a successful response', () => {
    describePaging(() => ({ api: team.viewer.api, path: '/trash', total: 25 }));

    it('lists deleted resources, newest first', async () => {
      const { owner, viewer } = await newTeam(app);
      const { path, name } = await newNamed(owner.api);
      const first = await newDatagrid(owner.api, [], idOf(path));
      const second = await newDatagrid(owner.api, []);
      const named = (await owner.api.get(second)).body.data;
      await discard(owner.api, second);
      await discard(owner.api, first);
      await discard(owner.api, path);
      const { body } = await viewer.api.get('/trash');
      const times = { deletedAt: expect.stringMatching(RFC3339), expiresAt: expect.any(String) };
      expect(body.meta).toEqual({ total: 3, page: 1, pageSize: 3, totalPages: 1 });
      expect(body.data).toEqual([
        { kind: 'workspace', id: idOf(path), name, ...times },
        {
          kind: 'datagrid',
          id: idOf(first),
          workspaceId: idOf(path),
          name: expect.any(String),
          ...times,
        },
        {
          kind: 'datagrid',
          id: named.id,
          workspaceId: named.workspaceId,
          name: named.name,
          ...times,
        },
      ]);
      for (const { deletedAt, expiresAt } of body.data as Record<string, string>[]) {
        expect(Date.parse(expiresAt ?? '') - Date.parse(deletedAt ?? '')).toBe(WEEK_MS);
        expect(Math.abs(Date.parse(deletedAt ?? '') - Date.now())).toBeLessThan(60_000);
      }
    });

    it('lists only the workspace for everything that was deleted with it', async () => {
      const { owner } = await newTeam(app);
      const workspace = await newWorkspace(owner.api);
      const before = await newDatagrid(owner.api, [], workspace);
      await newDatagrid(owner.api, [], workspace);
      await discard(owner.api, before);
      await discard(owner.api, `/workspaces/${workspace}?cascade=true`);
      expect(await trashOf(owner.api)).toEqual([workspace, idOf(before)]);
    });

    it('contains nothing of other accounts and no existing resource', async () => {
      const { owner } = await newTeam(app);
      await newDatagrid(owner.api, []);
      expect((await owner.api.get('/trash')).body).toEqual({
        data: [],
        meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 },
      });
    });
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get('/trash'), 'unauthenticated');
  });
});
