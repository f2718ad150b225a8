import { type Scope, SCOPES, withIncludedScopes } from '../../../src/common/permission/scope';
import { accessOf } from '../../../src/platform/http/access';
import type { Route } from '../../../src/platform/http/route-table';
import { type ApiClient, FileBody } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { NO_IDS } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let owner: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  owner = await app.console(team.owner);
});

afterAll(() => app.close());

async function keyWith(scopes: readonly Scope[], by = owner): Promise<ApiClient> {
  return app.api(dataOf(await by.post('/keys', { name: 'Scoped', scopes }), 201).key);
}

const scopeOf = ({ handler }: Route): Scope => accessOf(handler) as Scope;

/**
 * Returns the routes that a key with a scope is tried on: those that it may call, and one of each other
 * scope. With two scopes, all other routes are tried too, because the guard compares nothing but scopes.
 */
function triedRoutes(scope: Scope): Route[] {
  const routes = routesOf(app).filter(({ path }) => path.includes('/:'));
  expect(routes.length).toBeGreaterThan(60);
  const granted = withIncludedScopes([scope]);
  const firsts = new Map(routes.toReversed().map((route) => [scopeOf(route), route]));
  return routes.filter(
    (route) =>
      ['rows:read', 'workspaces:read'].includes(scope) ||
      granted.includes(scopeOf(route)) ||
      firsts.get(scopeOf(route)) === route,
  );
}

describe.each(SCOPES)('a key with the scope %s', (scope) => {
  it('may call only the routes of its scopes, and the error names the missing scope', async () => {
    const api = await keyWith([scope]);
    const granted = withIncludedScopes([scope]);
    for (const route of triedRoutes(scope)) {
      const response = await api.send(route.method, pathOf(route, NO_IDS), bodyFor(route));
      if (granted.includes(scopeOf(route))) expectFailure(response, 'not_found');
      else {
        expectFailure(response, 'forbidden');
        expect(response.body.error.message).toBe(
          `This API key does not have the scope ${scopeOf(route)}.`,
        );
      }
    }
  });
});

describe('a key with scopes', () => {
  it('has every scope that its scopes include, as the console and GET /me show', async () => {
    const created = dataOf(
      await owner.post('/keys', { name: 'Webhooks', scopes: ['webhooks:write'] }),
      201,
    );
    const scopes = ['rows:read', 'webhooks:read', 'webhooks:write'];
    expect(created.scopes).toEqual(scopes);
    expect(dataOf(await app.api(created.key).get('/me'), 200).key).toMatchObject({ scopes });
  });

  it('reads rows but does not write them with rows:read', async () => {
    const grid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    const api = await keyWith(['rows:read']);
    expect((await api.get(`${grid}/rows`)).status).toBe(200);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 1 } }), 'forbidden');
    expect((await team.owner.api.get(`${grid}/rows`)).body.meta.total).toBe(0);
  });

  it('creates no columns in an import without datagrids:write', async () => {
    const grid = await newDatagrid(team.owner.api, []);
    const api = await keyWith(['rows:write']);
    const file = new FileBody('text/csv', 'n\n1\n');
    const response = await api.post(`${grid}/rows/import?createColumns=true`, file);
    expectFailure(response, 'forbidden');
    expect(response.body.error.message).toContain('datagrids:write');
  });

  it('has only those that the current role of its owner has', async () => {
    const user = await app.newUser(team.owner.accountId, 'editor');
    const api = await keyWith(['rows:write'], await app.console(user));
    const grid = await newDatagrid(team.owner.api, []);
    dataOf(await api.post(`${grid}/rows`, { values: {} }), 201);
    expect((await owner.patch(`/users/${user.userId}`, { role: 'viewer' })).status).toBe(200);
    const response = await api.post(`${grid}/rows`, { values: {} });
    expectFailure(response, 'forbidden');
    expect(response.body.error.message).toBe('The role viewer does not allow this.');
  });

  it('cannot be created with a scope that the role does not have', async () => {
    const viewer = await app.console(team.viewer);
    const body = { name: 'Too much', scopes: ['rows:write'] };
    expectFailure(await viewer.post('/keys', body), 'invalid_request', ['scopes not_a_choice']);
  });

  it('keeps them when it is rotated', async () => {
    const body = { name: 'Rotated', scopes: ['rows:read'] };
    const { id } = dataOf(await owner.post('/keys', body), 201);
    const rotated = dataOf(await owner.post(`/keys/${id}/rotation`, { keepForSeconds: 0 }), 201);
    expect(rotated.scopes).toEqual(['rows:read']);
    expectFailure(await app.api(rotated.key).get('/workspaces'), 'forbidden');
  });

  it.each([
    [{ scopes: [] }, 'scopes not_a_choice'],
    [{ scopes: ['rows:fly'] }, 'scopes not_a_choice'],
    [{ scopes: ['users:write'] }, 'scopes not_a_choice'],
    [{ scopes: ['rows:read', 'rows:read'] }, 'scopes not_a_choice'],
    [{ scopes: 'rows:read' }, 'scopes not_a_choice'],
    [{ workspaceIds: [] }, 'workspaceIds invalid_format'],
    [{ workspaceIds: ['x'] }, 'workspaceIds invalid_format'],
    [{ datagridIds: [NO_IDS.datagridId] }, 'datagridIds unknown_datagrid'],
    [{ workspaceIds: [NO_IDS.workspaceId] }, 'workspaceIds not_a_choice'],
  ])('is not created with %j', async (body, detail) => {
    const response = await owner.post('/keys', { name: 'x', ...body });
    expectFailure(response, 'invalid_request', [detail]);
  });
});
