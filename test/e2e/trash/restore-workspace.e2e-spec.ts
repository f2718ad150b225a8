import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newNamed, newSheet, restore, trashOf } from './trashed';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /trash/{itemId}/restore of a workspace', () => {
  it('restores the workspace with everything that was deleted with it', async () => {
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
    // Deletion and restoration are two changes of each datagrid.
    for (const datagrid of (before[1] as { data: { revision: number }[] }).data) {
      datagrid.revision += 2;
    }
    expect(await read()).toEqual(before);
    expect(await trashOf(api)).not.toContain(idOf(path));
    const taken = await api.post(`${sheets[1] ?? ''}/rows`, { values: { n: 4 } });
    expectFailure(taken, 'conflict', ['values.n duplicate']);
  });

  it('does not restore a datagrid that was deleted earlier and can be restored separately', async () => {
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

  it('does not restore a datagrid that was deleted separately after an earlier restore', async () => {
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

  it('restores a workspace that contained only deleted datagrids', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    await discard(api, await newDatagrid(api, [], workspace));
    await discard(api, `/workspaces/${workspace}?cascade=false`);
    expect((await restore(api, workspace)).status).toBe(200);
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    const workspace = await newWorkspace(team.owner.api);
    await discard(team.owner.api, `/workspaces/${workspace}`);
    expectFailure(await restore(team[role].api, workspace), 'forbidden');
  });

  it('returns 404 for an existing workspace, a purged one and one of another account', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    expectFailure(await restore(api, workspace), 'not_found');
    await discard(api, `/workspaces/${workspace}`);
    expectFailure(await restore((await newTeam(app)).owner.api, workspace), 'not_found');
    await discard(api, `/trash/${workspace}`);
    expectFailure(await restore(api, workspace), 'not_found');
  });

  it('returns 409 and restores nothing if its name is in use', async () => {
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
