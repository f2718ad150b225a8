import { API } from '../../support/api-client';
import { RouteTable } from '../../../src/platform/http/route-table';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

describe('the alias records of rows', () => {
  it('exists for every route of the public API', () => {
    const routes = app.nest.get(RouteTable, { strict: false }).all();
    const named = (name: string): string[] =>
      routes
        .filter(({ path }) => path.startsWith(API) && path.includes(`/${name}`))
        .map(({ method, path }) => `${method} ${path.replace(`/${name}`, '/*')}`)
        .sort();
    expect(named('rows').length).toBeGreaterThanOrEqual(6);
    expect(named('records')).toEqual(named('rows'));
  });

  it('addresses the same rows', async () => {
    const { api } = team.editor;
    const records = `${datagrid}/records`;
    const created = dataOf(await api.post(records, { values: { n: 1 } }), 201);
    expect((await api.get(`${datagrid}/rows/${created.id}`)).body.data).toEqual(created);
    const changed = dataOf(await api.patch(`${records}/${created.id}`, { values: { n: 2 } }), 200);
    const replaced = dataOf(await api.put(`${records}/${created.id}`, { values: { n: 3 } }), 200);
    expect([changed.values, replaced.values]).toEqual([{ n: 2 }, { n: 3 }]);
    expect((await api.get(records)).body).toEqual((await api.get(`${datagrid}/rows`)).body);
    expect((await api.delete(`${records}/${created.id}`)).status).toBe(204);
    expect((await api.get(`${datagrid}/rows/${created.id}`)).status).toBe(404);
  });

  it('returns its own links', async () => {
    const { headers } = await team.viewer.api.get(`${datagrid}/records?limit=1`);
    expect(headers.get('link') ?? '').not.toContain('/rows');
  });

  it('returns the same errors', async () => {
    expect((await app.api().get(`${datagrid}/records`)).status).toBe(401);
    expect((await team.viewer.api.post(`${datagrid}/records`, { values: {} })).status).toBe(403);
    expect((await team.editor.api.post(`${datagrid}/records`, { values: { x: 1 } })).status).toBe(
      400,
    );
  });
});
