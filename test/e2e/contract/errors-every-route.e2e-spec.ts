import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserService } from '../../../src/auth/user/user.service';
import { ERROR_STATUS, type ErrorCode } from '../../../src/common/error/app-error';
import { accessOf } from '../../../src/platform/http/access';
import type { Route } from '../../../src/platform/http/route-table';
import type { ApiResponse } from '../../support/api-client';
import { newTeam, NO_ID, type Team } from '../../support/fixture';
import { type Ids, newIds, NO_IDS } from '../../support/ids';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { declaredRoutes, hasBody, isWrite } from './errors-routes';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
let team: Team;
let existing: Ids;

const MISSING: Ids = { ...NO_IDS, key: 'none', rowId: '999' };
const NONSENSE: Ids = {
  workspaceId: 'x',
  datagridId: '1',
  key: 'No',
  rowId: '-1',
  itemId: 'x',
  importId: 'x',
  viewId: 'x',
  queryId: 'x',
  webhookId: 'x',
  connectionId: 'x',
  scheduledImportId: 'x',
};

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  existing = await newIds(team.owner);
});

afterAll(() => app.close());

/** Calls each route, and asserts that each response is an error with this code. */
async function expectOfAll(
  routes: readonly Route[],
  code: ErrorCode,
  call: (route: Route) => Promise<ApiResponse>,
): Promise<void> {
  expect(routes.length).toBeGreaterThan(0);
  const outcomes: string[] = [];
  for (const route of routes) {
    const response = await call(route);
    const got = response.status < 400 ? String(response.status) : expectErrorShape(response);
    outcomes.push(`${route.method} ${route.path}: ${got}`);
  }
  expect(outcomes).toEqual(routes.map(({ method, path }) => `${method} ${path}: ${code}`));
}

describe('the error format', () => {
  it('is checked on every declared route', () => {
    expect(routesOf(app).length).toBeGreaterThan(20);
    expect(declaredRoutes(app).length).toBe(routesOf(app).length + 3);
  });

  it.each([undefined, 'mk_bad'])('is used for 401 on every route with the key %s', async (key) => {
    await expectOfAll(routesOf(app), 'unauthenticated', (route) =>
      app.api(key).send(route.method, pathOf(route, existing), bodyFor(route)),
    );
  });

  it('is used for 403 on every route that writes if the role does not allow it', async () => {
    await expectOfAll(routesOf(app).filter(isWrite), 'forbidden', (route) =>
      team.viewer.api.send(route.method, pathOf(route, existing), bodyFor(route)),
    );
  });

  it('is used for 403 on every route if the user is suspended', async () => {
    const { owner } = await newTeam(app);
    const values = await newIds(owner);
    // The last active owner cannot be suspended.
    await app.newUser(owner.accountId, 'owner');
    await app.nest.get(UserService).setSuspended(owner.email, true);
    await expectOfAll(routesOf(app), 'account_suspended', (route) =>
      owner.api.send(route.method, pathOf(route, values), bodyFor(route)),
    );
  });

  it.each<[string, Ids]>([
    ['missing', MISSING],
    ['malformed', NONSENSE],
  ])('is used for 404 on every route with ids if they are %s', async (_, values) => {
    const routes = routesOf(app).filter(({ path }) => path.includes(':'));
    await expectOfAll(routes, 'not_found', (route) =>
      team.owner.api.send(route.method, pathOf(route, values), bodyFor(route)),
    );
  });

  it.each(['{"name":', '[]', 'null', '"x"', '{"no such member":1}', '{"name":1,"values":1}'])(
    'is used for 400 on every route with a body if it is %s',
    async (body) => {
      await expectOfAll(routesOf(app).filter(hasBody), 'invalid_request', (route) =>
        team.owner.api.send(route.method, pathOf(route, existing), body),
      );
    },
  );

  it('is used for 400 on every route without a body if one is sent, unless it is empty', async () => {
    const routes = routesOf(app).filter(
      (route) => !hasBody(route) && !route.path.endsWith('/import'),
    );
    expect(routes.some(({ method }) => method === 'GET')).toBe(true);
    const send = async (route: Route, body: string, ids: Ids): Promise<ApiResponse> =>
      team.owner.api.send(route.method, pathOf(route, ids), body);
    for (const body of ['{"filter":{}}', '[]', 'x'.repeat(1_000)]) {
      await expectOfAll(routes, 'invalid_request', (route) => send(route, body, existing));
    }
    const byId = routes.filter(({ path }) => path.includes(':'));
    for (const body of ['', '{}', ' { } ', 'null']) {
      await expectOfAll(byId, 'not_found', (route) => send(route, body, MISSING));
    }
  });

  it('is used for 400 on every route if a parameter is unknown', async () => {
    await expectOfAll(routesOf(app), 'invalid_request', (route) =>
      team.owner.api.send(route.method, `${pathOf(route, existing)}?colour=red`, bodyFor(route)),
    );
    const open = declaredRoutes(app).filter(({ handler }) => accessOf(handler) === 'public');
    await expectOfAll(open, 'invalid_request', ({ path }) =>
      sendRaw(app.port, rawRequest([`GET ${path}?colour=red HTTP/1.1`, 'Host: x'])),
    );
  });

  it('is used for 405 on every route if the method is wrong', async () => {
    await expectOfAll(declaredRoutes(app), 'method_not_allowed', ({ path }) => {
      const line = `OPTIONS ${path.replace(/:\w+/g, NO_ID)} HTTP/1.1`;
      const lines = [line, 'Host: x', `Authorization: Bearer ${team.viewer.key}`];
      return sendRaw(app.port, rawRequest(lines));
    });
  });

  it('is used for 405 if the method is wrong and parameters are sent', async () => {
    const response = await team.owner.api.put('/workspaces?cascade=true', {});
    expect(expectErrorShape(response)).toBe('method_not_allowed');
  });

  it('is used for 415 on every route with a body if the content type is wrong', async () => {
    await expectOfAll(routesOf(app).filter(hasBody), 'unsupported_media_type', (route) =>
      team.owner.api.send(route.method, pathOf(route, existing), '{}', {
        'content-type': 'text/plain',
      }),
    );
  });

  it('is used for 413 if a body is too large', async () => {
    const body = `"${'x'.repeat(10 * 1024 * 1024)}"`;
    const [route] = routesOf(app).filter(hasBody);
    await expectOfAll(route ? [route] : [], 'payload_too_large', (one) =>
      team.owner.api.send(one.method, pathOf(one, existing), body),
    );
  });

  it.each([
    '',
    '/nowhere',
    '/workspaces/x/y/z',
    '/Workspaces',
    '/ME',
    '/%zz',
    '/nowhere?page=1',
    '?x',
  ])('is used for 404 below the API at %j', async (path) => {
    expect(expectErrorShape(await team.owner.api.get(path))).toBe('not_found');
  });

  it.each(['/api', '/API/v1/public/me', '/favicon.ico', '/docs/nothing', '/%zz', '*'])(
    'is used for 404 outside the API at %s',
    async (target) => {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const request = rawRequest([`${method} ${target} HTTP/1.1`, 'Host: x']);
      expect(expectErrorShape(await sendRaw(app.port, request))).toBe('not_found');
    },
  );
});

describe('the list of error codes', () => {
  const listed = Object.entries(ERROR_STATUS).map(([code, status]) => `${String(status)} ${code}`);
  const read = (path: string): string => readFileSync(join(__dirname, '../../..', path), 'utf8');

  it('in the documentation has every code with its status, and no other', () => {
    const [, section = ''] = read('docs/api/errors.md').split('\n## Error codes\n');
    const [table = ''] = section.split('\n## ');
    const rows = [...table.matchAll(/^\| (\d{3}) +\| `(\w+)` /gm)];
    expect(rows.map(([, status, code]) => `${String(status)} ${String(code)}`)).toEqual(listed);
  });

  it('in the OpenAPI description has every code, and no other', () => {
    const { components } = JSON.parse(read('docs/openapi.json')) as {
      components: { schemas: { ErrorContent: { properties: { code: { enum: string[] } } } } };
    };
    const { code } = components.schemas.ErrorContent.properties;
    expect(code.enum).toEqual(Object.keys(ERROR_STATUS));
  });
});
