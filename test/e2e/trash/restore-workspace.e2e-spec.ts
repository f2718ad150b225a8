import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newNamed, newSheet, restore, trashOf } from './trashed';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /trash/{itemId}/restore, of a workspace', () => {
  describe('200', () => {
    it('brings it back with all that went with it', async () => {
      const { api } = team.admin;
      const { path } = await newNamed(api);
      const sheets = [await newSheet(api, idOf(path)), await newSheet(api, idOf(path))];
      const read = async (): Promise<unknown[]> => {
        const paths = [path, `${path}/datagrids`, ...sheets.map((sheet) => `${sheet}/rows`)];
        return Promise.all(paths.map(async (each) => (await api.get(each)).body));
      };
      const before = await read();
      await discard(api, `${path}?cascade=true`);
      expect(dataOf(await restore(api, path), 200)).toEqual((before[0] as { data: unknown }).data);
      // Of each datagrid, deletion and restoration are two changes.
      for (const datagrid of (before[1] as { data: { revision: number }[] }).data) {
        datagrid.revision += 2;
      }
      expect(await read()).toEqual(before);
      expect(await trashOf(api)).not.toContain(idOf(path));
      const taken = await api.post(`${sheets[1] ?? ''}/rows`, { values: { n: 4 } });
      expectFailure(taken, 'conflict', ['values.n duplicate']);
    });

    it('leaves in the trash what was there before, to be restored by itself', async () => {
      const { api } = team.owner;
      const workspace = await newWorkspace(api);
      const before = await newSheet(api, workspace);
      const companion = await newSheet(api, workspace);
      await discard(api, before);
      await discard(api, `/workspaces/${workspace}?cascade=true`);
      expect((await restore(api, workspace)).status).toBe(200);
      const { data } = (await api.get(`/workspaces/${workspace}/datagrids`)).body;
      expect((data as { id: string }[]).map(({ id }) => id)).toEqual([idOf(companion)]);
      expect(await trashOf(api)).toContain(idOf(before));
      expect(dataOf(await restore(api, before), 200)).toMatchObject({ rowCount: 4 });
    });

    it('forgets who went with whom: a datagrid deleted later is an item of its own', async () => {
      const { api } = team.owner;
      const workspace = await newWorkspace(api);
      const sheet = await newSheet(api, workspace);
      await discard(api, `/workspaces/${workspace}?cascade=true`);
      await restore(api, workspace);
      await discard(api, sheet);
      await discard(api, `/workspaces/${workspace}`);
      await restore(api, workspace);
      expectFailure(await api.get(sheet), 'not_found');
      expect((await restore(api, sheet)).status).toBe(200);
    });

    it('may be in the trash though it held nothing but trash', async () => {
      const { api } = team.owner;
      const workspace = await newWorkspace(api);
      await discard(api, await newDatagrid(api, [], workspace));
      await discard(api, `/workspaces/${workspace}?cascade=false`);
      expect((await restore(api, workspace)).status).toBe(200);
    });
  });

  it.each(['editor', 'viewer'] as const)('403: is not for %s', async (role) => {
    const workspace = await newWorkspace(team.owner.api);
    await discard(team.owner.api, `/workspaces/${workspace}`);
    expectFailure(await restore(team[role].api, workspace), 'forbidden');
  });

  it('404: finds nothing that lives, that was purged, or of another account', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    expectFailure(await restore(api, workspace), 'not_found');
    await discard(api, `/workspaces/${workspace}`);
    expectFailure(await restore((await newTeam(app)).owner.api, workspace), 'not_found');
    await discard(api, `/trash/${workspace}`);
    expectFailure(await restore(api, workspace), 'not_found');
  });

  it('409: where its name is taken again; nothing of it comes back', async () => {
    const { api } = team.owner;
    const { path, name } = await newNamed(api);
    const sheet = await newSheet(api, idOf(path));
    await discard(api, `${path}?cascade=true`);
    const second = dataOf(await api.post('/workspaces', { name: name.toUpperCase() }), 201).id;
    expectFailure(await restore(api, path), 'conflict', ['name duplicate']);
    expectFailure(await api.get(path), 'not_found');
    expectFailure(await api.get(sheet), 'not_found');
    await discard(api, `/workspaces/${second}`);
    expect((await restore(api, path)).status).toBe(200);
    expect((await api.get(sheet)).status).toBe(200);
    expectFailure(await restore(api, second), 'conflict', ['name duplicate']);
  });
});
