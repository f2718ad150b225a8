import type { Route } from '../../../src/platform/http/route-table';
import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { type Ids, newIds, NO_IDS } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp, type Member } from '../../support/test-app';

// It creates what each route needs.
jest.setTimeout(180_000);

let app: TestApp;
let team: Team;
let outsider: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  outsider = (await newTeam(app)).owner;
});

afterAll(() => app.close());

const call = ({ api }: Member, route: Route, ids: Ids): Promise<ApiResponse> =>
  api.send(route.method, pathOf(route, ids), bodyFor(route, ids));

const routesWithIds = (): Route[] => routesOf(app).filter(({ path }) => path.includes('/:'));

/** Returns everything that a client sees, except for what differs in every response. */
function visible({ status, text, headers }: ApiResponse): object {
  const own = ['date', 'x-request-id', 'ratelimit'];
  const requestId = headers.get('x-request-id') ?? '';
  return {
    status,
    body: text.replace(requestId, ''),
    names: [...headers.keys()].sort(),
    headers: [...headers].filter(([name]) => !own.includes(name)),
  };
}

describe('ids of another account', () => {
  it('return the same 404 as random ids on every route', async () => {
    const routes = routesWithIds();
    const ids = await newIds(team.owner);
    const reads = [
      '/workspaces',
      `/datagrids/${ids.datagridId}`,
      `/datagrids/${ids.datagridId}/rows`,
    ];
    const state = async (): Promise<string[]> =>
      Promise.all(reads.map(async (path) => (await team.owner.api.get(path)).text));
    const before = await state();
    expect(routes.length).toBeGreaterThan(15);
    for (const route of routes) {
      const random = await call(outsider, route, NO_IDS);
      const foreign = await call(outsider, route, ids);
      expectFailure(random, 'not_found');
      expect({ route: `${route.method} ${route.path}`, ...visible(foreign) }).toEqual({
        route: `${route.method} ${route.path}`,
        ...visible(random),
      });
    }
    expect(await state()).toEqual(before);
  });

  it('return the same response as random ids on every route with unknown parameters or properties', async () => {
    const ids = await newIds(team.owner);
    for (const route of routesWithIds()) {
      for (const [query, body] of [
        ['?nonsense=1', bodyFor(route)],
        ['', { nonsense: 1 }],
      ] as const) {
        const sent = route.method === 'GET' || route.method === 'DELETE' ? undefined : body;
        const url = (which: Ids): string => pathOf(route, which) + query;
        const random = await outsider.api.send(route.method, url(NO_IDS), sent);
        const foreign = await outsider.api.send(route.method, url(ids), sent);
        expect(visible(foreign)).toEqual(visible(random));
      }
    }
  });

  it('work for their own account on every route', async () => {
    const unchanged = await newIds(team.owner);
    for (const route of routesWithIds()) {
      // Only writes change or delete what they name.
      const ids = route.method === 'GET' ? unchanged : await newIds(team.owner, route.path);
      const response = await call(team.owner, route, ids);
      // A workspace with datagrids is deleted only with cascade=true.
      const isFilled = route.method === 'DELETE' && route.path.endsWith(':workspaceId');
      // An import that has ended cannot be canceled.
      const isOver = route.method === 'DELETE' && route.path.endsWith(':importId');
      const outcome = response.status < 300 ? 'done' : `${response.status} ${response.text}`;
      const expected = isFilled || isOver ? expect.stringMatching(/^409 /) : 'done';
      expect([route.method, route.path, outcome]).toEqual([route.method, route.path, expected]);
    }
  });
});

describe('ids that do not belong together', () => {
  it('return 404 for the row or column of another datagrid', async () => {
    const ids = await newIds(team.owner);
    const other = await newDatagrid(team.owner.api, [{ key: 'm', type: 'integer' }]);
    const rows = Array.from({ length: 3 }, () => ({ values: {} }));
    await team.owner.api.post(`${other}/rows`, { rows });
    expect((await team.owner.api.get(`${other}/rows/3`)).status).toBe(200);
    const mixed = { ...ids, rowId: '3', key: 'm' };
    const routes = routesWithIds().filter(({ path }) => /:(rowId|key)/.test(path));
    expect(routes.length).toBeGreaterThanOrEqual(8);
    for (const route of routes) expectFailure(await call(team.owner, route, mixed), 'not_found');
    expect((await team.owner.api.get(`${other}/rows`)).body.meta.total).toBe(3);
  });

  it('return 404 for the id of a workspace as that of a datagrid and the other way round', async () => {
    const ids = await newIds(team.owner);
    const swapped = {
      ...ids,
      workspaceId: ids.datagridId,
      datagridId: ids.workspaceId,
      itemId: NO_ID,
      importId: NO_ID,
      webhookId: NO_ID,
      connectionId: NO_ID,
      scheduledImportId: NO_ID,
    };
    for (const route of routesWithIds()) {
      expectFailure(await call(team.owner, route, swapped), 'not_found');
    }
  });
});

describe('a deleted resource', () => {
  it.each<[string, RegExp, (ids: Ids) => string]>([
    ['a row', /:rowId/, (ids) => `/datagrids/${ids.datagridId}/rows/1`],
    ['a datagrid', /:datagridId/, (ids) => `/datagrids/${ids.datagridId}`],
    ['a workspace', /:/, (ids) => `/workspaces/${ids.workspaceId}?cascade=true`],
  ])('returns 404 on every route below it: %s', async (_, below, path) => {
    const ids = await newIds(team.owner);
    expect((await team.owner.api.delete(path(ids))).status).toBe(204);
    // Routes of the trash have their own tests.
    const routes = routesWithIds().filter(
      (route) => below.test(route.path) && !route.path.includes(':itemId'),
    );
    expect(routes.length).toBeGreaterThanOrEqual(8);
    for (const route of routes) expectFailure(await call(team.owner, route, ids), 'not_found');
  });
});
