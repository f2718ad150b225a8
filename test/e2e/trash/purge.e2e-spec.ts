import { PurgeService } from '../../../src/rows/purge/purge.service';
import { expectFailure } from '../../support/failure';
import { newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newSheet, recordsOf, restore, trashOf } from './trashed';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

const clear = (): Promise<number> => app.nest.get(PurgeService, { strict: false }).runOnce();

describe('DELETE /trash/{itemId}', () => {
  it('deletes a datagrid for good, and its rows in steps', async () => {
    const path = await newSheet(team.owner.api);
    const neighbour = await newSheet(team.owner.api);
    const countBefore = await recordsOf(app, neighbour);
    await discard(team.owner.api, path);
    const response = await team.admin.api.delete(`/trash/${idOf(path)}`);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await trashOf(team.owner.api)).not.toContain(idOf(path));
    expectFailure(await restore(team.owner.api, path), 'not_found');
    await clear();
    expect(await recordsOf(app, path)).toBe(0);
    expect(await recordsOf(app, neighbour)).toBe(countBefore);
  });

  it('deletes a workspace with everything that was ever deleted in it', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const before = await newSheet(api, workspace);
    const companion = await newSheet(api, workspace);
    await discard(api, before);
    await discard(api, `/workspaces/${workspace}?cascade=true`);
    await discard(api, `/trash/${workspace}`);
    expect(await trashOf(api)).toEqual(expect.not.arrayContaining([workspace, idOf(before)]));
    for (const id of [workspace, before, companion]) {
      expectFailure(await restore(api, id), 'not_found');
    }
    await clear();
    expect([await recordsOf(app, before), await recordsOf(app, companion)]).toEqual([0, 0]);
    const left = 'SELECT FROM workspaces WHERE id = $1';
    expect((await app.sql.query(left, [workspace])).rowCount).toBe(0);
  });

  it('deletes a datagrid whose workspace was deleted after it', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const path = await newSheet(api, workspace);
    await discard(api, path);
    await discard(api, `/workspaces/${workspace}`);
    await discard(api, `/trash/${idOf(path)}`);
    expect((await restore(api, workspace)).status).toBe(200);
    expectFailure(await restore(api, path), 'not_found');
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.owner.api.delete(`/trash/${NO_ID}?cascade=true`);
    expectFailure(response, 'invalid_request', ['cascade unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().delete(`/trash/${NO_ID}`), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    const path = await newSheet(team.owner.api);
    await discard(team.owner.api, path);
    expectFailure(await team[role].api.delete(`/trash/${idOf(path)}`), 'forbidden');
    expect((await restore(team.owner.api, path)).status).toBe(200);
  });

  it('returns 404 for an existing datagrid, a missing id and an item of another account', async () => {
    const { api } = team.owner;
    const path = await newSheet(api);
    for (const id of [idOf(path), NO_ID, 'x']) {
      expectFailure(await api.delete(`/trash/${id}`), 'not_found');
    }
    expect((await api.get(path)).status).toBe(200);
    await discard(api, path);
    const other = (await newTeam(app)).owner;
    expectFailure(await other.api.delete(`/trash/${idOf(path)}`), 'not_found');
    expect((await restore(api, path)).status).toBe(200);
  });

  it('returns 409 for a datagrid that was deleted with its workspace', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const path = await newSheet(api, workspace);
    await discard(api, `/workspaces/${workspace}?cascade=true`);
    expectFailure(await api.delete(`/trash/${idOf(path)}`), 'conflict');
    await restore(api, workspace);
    expect((await api.get(`${path}/rows`)).body.meta.total).toBe(4);
  });
});
