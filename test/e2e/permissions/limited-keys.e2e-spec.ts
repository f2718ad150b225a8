import type { Route } from '../../../src/platform/http/route-table';
import type { ApiClient, ApiResponse } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { type Ids, newIds, NO_IDS } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

// It creates what each route needs.
jest.setTimeout(180_000);

let app: TestApp;
let team: Team;
let owner: ConsoleClient;
/** Resources of the same account, in two workspaces. */
let own: Ids;
let other: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  owner = await app.console(team.owner);
  own = await newIds(team.owner);
  other = await newIds(team.owner);
});

afterAll(() => app.close());

async function keyOf(limits: object): Promise<ApiClient> {
  return app.api(dataOf(await owner.post('/keys', { name: 'Limited', ...limits }), 201).key);
}

const call = (api: ApiClient, route: Route, ids: Ids): Promise<ApiResponse> =>
  api.send(route.method, pathOf(route, ids), bodyFor(route, ids));

const isOfWorkspace = ({ path }: Route): boolean => path.includes('/:workspaceId');
const isOfDatagrid = ({ path }: Route): boolean => path.includes('/datagrids/:datagridId');
const isOfAccount = (route: Route): boolean =>
  !isOfWorkspace(route) && !isOfDatagrid(route) && !/\/(me|workspaces)$/.test(route.path);
const isRead = ({ method }: Route): boolean => method === 'GET';

async function expectHidden(api: ApiClient, routes: readonly Route[]): Promise<void> {
  for (const route of routes) {
    const random = await call(api, route, NO_IDS);
    const hidden = await call(api, route, other);
    expectFailure(random, 'not_found');
    expectFailure(hidden, 'not_found');
    expect(hidden.body.error.message).toBe(random.body.error.message);
  }
}

describe('a key that is limited to a workspace', () => {
  it('does not find what is in another workspace, on every route', async () => {
    const api = await keyOf({ workspaceIds: [own.workspaceId] });
    const routes = routesOf(app).filter((route) => isOfWorkspace(route) || isOfDatagrid(route));
    expect(routes.length).toBeGreaterThan(60);
    await expectHidden(api, routes);
    expect((await team.owner.api.get(`/datagrids/${other.datagridId}/rows`)).body.meta.total).toBe(
      1,
    );
  });

  it('reads everything in its workspace', async () => {
    const api = await keyOf({ workspaceIds: [own.workspaceId.toUpperCase()] });
    const routes = routesOf(app).filter((route) => isRead(route) && !isOfAccount(route));
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      const response = await call(api, route, own);
      expect({ route: route.path, status: response.status }).toEqual({
        route: route.path,
        status: 200,
      });
    }
  });

  it('writes in its workspace, also in a datagrid that is created later', async () => {
    const api = await keyOf({ workspaceIds: [own.workspaceId] });
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }], own.workspaceId);
    dataOf(await api.post(`${grid}/rows`, { values: { n: 1 } }), 201);
    expect((await api.delete(grid)).status).toBe(204);
  });

  it('lists only its workspace', async () => {
    const api = await keyOf({ workspaceIds: [own.workspaceId] });
    const { body } = await api.get('/workspaces');
    expect(body.data).toEqual([expect.objectContaining({ id: own.workspaceId })]);
    expect(body.meta).toEqual({ total: 1, page: 1, pageSize: 1, totalPages: 1 });
  });

  it('may not call the routes of the whole account', async () => {
    const api = await keyOf({ workspaceIds: [own.workspaceId] });
    const routes = routesOf(app).filter(isOfAccount);
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toHaveLength(5);
    for (const route of routes) expectFailure(await call(api, route, own), 'forbidden');
    expectFailure(await api.post('/workspaces', { name: 'Another' }), 'forbidden');
  });
});

describe('a key that is limited to a datagrid', () => {
  it('does not find other datagrids, nor any workspace, on every route', async () => {
    const api = await keyOf({ datagridIds: [own.datagridId] });
    await expectHidden(
      api,
      routesOf(app).filter((route) => isOfWorkspace(route) || isOfDatagrid(route)),
    );
    const isSql = ({ path }: Route): boolean => /\/sql(\/tables)?$/.test(path);
    for (const route of routesOf(app).filter((each) => isOfWorkspace(each) && !isSql(each))) {
      expectFailure(await call(api, route, own), 'not_found');
    }
    expect((await api.get('/workspaces')).body.data).toEqual([]);
  });

  it('reads everything of its datagrid', async () => {
    const api = await keyOf({ datagridIds: [own.datagridId] });
    for (const route of routesOf(app).filter((each) => isRead(each) && isOfDatagrid(each))) {
      expect((await call(api, route, own)).status).toBe(200);
    }
  });

  it('reads its datagrid as the only table of the workspace', async () => {
    const api = await keyOf({ datagridIds: [own.datagridId] });
    await newDatagrid(team.owner.api, [], own.workspaceId);
    const tables = dataOf(await api.get(`/workspaces/${own.workspaceId}/sql/tables`), 200);
    expect(tables).toMatchObject([{ datagridId: own.datagridId }]);
  });

  it('may also be limited to a workspace, and then reads both', async () => {
    const workspaceId = await newWorkspace(team.owner.api);
    const grid = await newDatagrid(team.owner.api, [], workspaceId);
    const api = await keyOf({ datagridIds: [own.datagridId], workspaceIds: [workspaceId] });
    expect((await api.get(grid)).status).toBe(200);
    expect((await api.get(`/datagrids/${own.datagridId}`)).status).toBe(200);
    expectFailure(await api.get(`/datagrids/${other.datagridId}`), 'not_found');
  });
});

describe('a stored response', () => {
  it('is repeated for keys with the same limits only', async () => {
    const limits = { datagridIds: [own.datagridId] };
    const headers = { 'idempotency-key': 'limits' };
    const create = (api: ApiClient): Promise<ApiResponse> =>
      api.post(`/datagrids/${own.datagridId}/rows`, { values: {} }, headers);
    const first = await create(await keyOf(limits));
    expect(first.status).toBe(201);
    expect((await create(await keyOf(limits))).body).toEqual(first.body);
    for (const api of [team.owner.api, await keyOf({ ...limits, scopes: ['rows:write'] })])
      expectFailure(await create(api), 'idempotency_key_reused');
  });
});

describe('a key cannot be limited to', () => {
  it('a workspace or datagrid of another account, or in the trash', async () => {
    const outsider = await newIds(await app.newAccount());
    const { workspaceId, datagridId } = outsider;
    const limits = [{ workspaceIds: [workspaceId] }, { datagridIds: [datagridId] }];
    for (const limit of [...limits, { datagridIds: [own.itemId] }]) {
      const response = await owner.post('/keys', { name: 'x', ...limit });
      expect(response.status).toBe(400);
    }
  });
});

describe('a DuckDB file, which all workspaces of the account share', () => {
  const settings = { file: 'analytics' };

  it('is not open to a key that is limited to a workspace, or to a user with a role only there', async () => {
    const { workspaceId, datagridId } = own;
    const connections = `/workspaces/${workspaceId}/connections`;
    const body = { name: 'Files', type: 'duckdb', settings, enabled: false };
    const { id } = dataOf(await team.owner.api.post(connections, body), 201);
    const member = await app.newUser(team.owner.accountId, 'viewer');
    const workspaceRoles = [{ workspaceId, role: 'admin' }];
    dataOf(await owner.patch(`/users/${member.userId}`, { workspaceRoles }), 200);
    for (const api of [await keyOf({ workspaceIds: [workspaceId] }), member.api]) {
      const query = { query: "SELECT 'x' AS u" };
      const scheduled = { name: 'Read', datagridId, keyColumns: ['u'], ...query };
      const imports = `${connections}/${id}/imports`;
      for (const response of [
        await api.post(connections, { ...body, name: 'Mine' }),
        await api.post(`${connections}/test`, { type: 'duckdb', settings }),
        await api.patch(`${connections}/${id}`, { settings: { file: 'other' } }),
        await api.post(`${imports}/preview`, query),
        await api.post(imports, scheduled),
      ]) {
        expectFailure(response, 'forbidden');
      }
      expect((await api.get(`${connections}/${id}`)).status).toBe(200);
    }
  });
});
