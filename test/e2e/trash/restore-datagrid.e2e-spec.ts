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
import { discard, idOf, newSheet, restore, trashOf } from './trashed';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /trash/{itemId}/restore of a datagrid', () => {
  it('restores the name, columns, counters and rows', async () => {
    const { api } = team.admin;
    const path = await newSheet(api);
    const read = async (): Promise<unknown[]> => {
      const paths = [path, `${path}/rows`, `${path}/rows/5`, `${path}/columns/n`];
      return Promise.all(paths.map(async (each) => (await api.get(each)).body));
    };
    const before = await read();
    await discard(api, path);
    const restored = dataOf(await restore(api, path), 200);
    const [datagrid, ...others] = before as { data: object }[];
    // Deletion and restoration are two changes.
    expect(datagrid?.data).toMatchObject({ rowCount: 4, revision: 3 });
    expect(restored).toEqual({ ...datagrid?.data, revision: 5 });
    expect(await read()).toEqual([{ data: restored }, ...others]);
    expect(await trashOf(api)).not.toContain(idOf(path));
  });

  it('restores the state of ids, revisions and unique values', async () => {
    const { api } = team.editor;
    const path = await newSheet(team.owner.api);
    await discard(team.owner.api, path);
    await restore(team.owner.api, path);
    const created = dataOf(await api.post(`${path}/rows`, { values: { n: 99 } }), 201);
    expect([created.id, created.revision]).toEqual([6, 6]);
    const taken = await api.post(`${path}/rows`, { values: { n: 0 } });
    expectFailure(taken, 'conflict', ['values.n duplicate']);
    // The value of the deleted row is available.
    expect((await api.post(`${path}/rows`, { values: { n: 1 } })).status).toBe(201);
    const { body } = await api.get(`${path}/rows?filter={"n":99}`);
    expect([body.meta.total, body.data[0].id]).toEqual([1, 6]);
  });

  it('restores a datagrid more than once', async () => {
    const path = await newSheet(team.owner.api);
    for (let n = 0; n < 3; n += 1) {
      await discard(team.owner.api, path);
      expect((await restore(team.owner.api, path)).status).toBe(200);
    }
    expect((await team.owner.api.get(`${path}/rows`)).body.meta.total).toBe(4);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await restore(app.api(), NO_ID), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    const path = await newDatagrid(team.owner.api, []);
    await discard(team.owner.api, path);
    expectFailure(await restore(team[role].api, path), 'forbidden');
    expect(await trashOf(team[role].api)).toContain(idOf(path));
  });

  it('returns 404 for an existing datagrid, a missing id and an item of another account', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, []);
    for (const item of [path, NO_ID, 'x']) expectFailure(await restore(api, item), 'not_found');
    await discard(api, path);
    const other = await newTeam(app);
    expectFailure(await restore(other.owner.api, path), 'not_found');
    expect((await restore(api, path)).status).toBe(200);
    expectFailure(await restore(api, path), 'not_found');
  });

  it('returns 409 until its name is available', async () => {
    const { api } = team.owner;
    const list = `/workspaces/${await newWorkspace(api)}/datagrids`;
    const first = `/datagrids/${dataOf(await api.post(list, { name: 'Name' }), 201).id}`;
    await discard(api, first);
    const second = `/datagrids/${dataOf(await api.post(list, { name: 'NAME' }), 201).id}`;
    expectFailure(await restore(api, first), 'conflict', ['name duplicate']);
    expectFailure(await api.get(first), 'not_found');
    expect((await api.get(list)).body.meta.total).toBe(1);
    await api.patch(second, { name: 'Other' });
    expect(dataOf(await restore(api, first), 200).name).toBe('Name');
  });

  it('returns 409 if its workspace was deleted after it', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const path = await newSheet(api, workspace);
    await discard(api, path);
    await discard(api, `/workspaces/${workspace}`);
    expectFailure(await restore(api, path), 'conflict');
    expect((await restore(api, workspace)).status).toBe(200);
    expectFailure(await api.get(path), 'not_found');
    expect((await restore(api, path)).status).toBe(200);
  });

  it('returns 409 if it was deleted with its workspace', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const path = await newSheet(api, workspace);
    await discard(api, `/workspaces/${workspace}?cascade=true`);
    expectFailure(await restore(api, path), 'conflict');
    expectFailure(await api.get(path), 'not_found');
  });
});
