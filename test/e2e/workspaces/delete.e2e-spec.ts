import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('DELETE /workspaces/{workspaceId}', () => {
  it('deletes an empty workspace and returns 204 without a body', async () => {
    const path = `/workspaces/${await newWorkspace(team.owner.api)}`;
    const response = await team.admin.api.delete(path);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectFailure(await team.admin.api.get(path), 'not_found');
  });

  it('makes the name available', async () => {
    const id = dataOf(await team.owner.api.post('/workspaces', { name: 'Again' }), 201).id;
    await team.owner.api.delete(`/workspaces/${id}`);
    expect((await team.owner.api.post('/workspaces', { name: 'again' })).status).toBe(201);
  });

  it('deletes all datagrids and rows if cascade is true', async () => {
    const { owner } = await newTeam(app);
    const doomed = await newWorkspace(owner.api);
    const spared = await newWorkspace(owner.api);
    const columns = [{ key: 'n', type: 'integer', unique: true }];
    const gone = await newDatagrid(owner.api, columns, doomed);
    const gone2 = await newDatagrid(owner.api, columns, doomed);
    const other = await newDatagrid(owner.api, columns, spared);
    for (const path of [gone, gone2, other]) {
      dataOf(await owner.api.post(`${path}/rows`, { values: { n: 1 } }), 201);
    }
    expect((await owner.api.delete(`/workspaces/${doomed}?cascade=true`)).status).toBe(204);
    for (const path of [`/workspaces/${doomed}`, gone, `${gone}/rows`, `${gone2}/rows/1`]) {
      expectFailure(await owner.api.get(path), 'not_found');
    }
    expect((await owner.api.get(`${other}/rows`)).body.meta.total).toBe(1);
    expect((await owner.api.get('/workspaces')).body.meta.total).toBe(1);
  });

  it('deletes an empty workspace with cascade=true and cascade=false', async () => {
    for (const cascade of ['true', 'false']) {
      const path = `/workspaces/${await newWorkspace(team.owner.api)}?cascade=${cascade}`;
      expect((await team.owner.api.delete(path)).status).toBe(204);
    }
  });

  it.each(['cascade=yes', 'cascade=', 'cascade=1', 'cascade=TRUE', 'cascade=true&cascade=true'])(
    'returns 400 for %s',
    async (query) => {
      const path = `/workspaces/${await newWorkspace(team.owner.api)}`;
      const response = await team.owner.api.delete(`${path}?${query}`);
      expectFailure(response, 'invalid_request', ['cascade invalid_format']);
      expect((await team.owner.api.get(path)).status).toBe(200);
    },
  );

  it('returns 400 for a misspelled parameter', async () => {
    const path = `/workspaces/${await newWorkspace(team.owner.api)}`;
    const response = await team.owner.api.delete(`${path}?casacde=true`);
    expectFailure(response, 'invalid_request', ['casacde unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().delete(`/workspaces/${NO_ID}`), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    const path = `/workspaces/${await newWorkspace(team.owner.api)}`;
    expectFailure(await team[role].api.delete(path), 'forbidden');
    expect((await team[role].api.get(path)).status).toBe(200);
  });

  it('returns 404 for a deleted workspace, a missing one and an invalid id', async () => {
    const path = `/workspaces/${await newWorkspace(team.owner.api)}`;
    await team.owner.api.delete(path);
    expectFailure(await team.owner.api.delete(path), 'not_found');
    expectFailure(await team.owner.api.delete(`/workspaces/${NO_ID}`), 'not_found');
    expectFailure(await team.owner.api.delete('/workspaces/x?cascade=true'), 'not_found');
  });

  it('returns 204 for one of several concurrent calls and 404 for the others', async () => {
    const workspace = await newWorkspace(team.owner.api);
    const datagrid = await newDatagrid(team.owner.api, [], workspace);
    // All calls find the workspace and wait for the same lock.
    const holder = await app.sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
      datagrid.slice('/datagrids/'.length),
    ]);
    const path = `/workspaces/${workspace}?cascade=true`;
    const calls = [1, 2, 3].map(() => team.owner.api.delete(path));
    await eventually(async () => (await waitingForLocks(app)) === 3);
    await holder.query('ROLLBACK');
    holder.release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404]);
  });

  it('returns 204 with cascade=true, and 404 for a datagrid that is created in it at the same time', async () => {
    const workspace = await newWorkspace(team.owner.api);
    const datagrid = await newDatagrid(team.owner.api, [], workspace);
    const holder = await app.sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
      datagrid.slice('/datagrids/'.length),
    ]);
    const deletion = team.owner.api.delete(`/workspaces/${workspace}?cascade=true`);
    await eventually(async () => (await waitingForLocks(app)) === 1);
    const creation = team.owner.api.post(`/workspaces/${workspace}/datagrids`, { name: 'Late' });
    await eventually(async () => (await waitingForLocks(app)) === 2);
    await holder.query('ROLLBACK');
    holder.release();
    expect((await deletion).status).toBe(204);
    expectFailure(await creation, 'not_found');
  });

  it.each(['', '?cascade=false'])(
    'returns 409 for a workspace with datagrids (%j)',
    async (query) => {
      const workspace = await newWorkspace(team.owner.api);
      const datagrid = await newDatagrid(team.owner.api, [], workspace);
      expectFailure(await team.owner.api.delete(`/workspaces/${workspace}${query}`), 'conflict');
      expect((await team.owner.api.get(datagrid)).status).toBe(200);
      await team.owner.api.delete(datagrid);
      expect((await team.owner.api.delete(`/workspaces/${workspace}`)).status).toBe(204);
    },
  );
});
