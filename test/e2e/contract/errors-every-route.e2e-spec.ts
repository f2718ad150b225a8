import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserService } from '../../../src/auth/user/user.service';
import { ERROR_STATUS, type ErrorCode } from '../../../src/common/error/error-code';
import { accessOf } from '../../../src/platform/http/access';
import type { Route } from '../../../src/platform/http/route-table';
import type { Answer } from '../../support/api-client';
import { newTeam, NO_ID, type Team } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { declaredRoutes, hasBody, isWrite, newPathValues, type PathValues } from './errors-routes';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
let team: Team;
let existing: PathValues;

const MISSING: PathValues = {
  workspaceId: NO_ID,
  datagridId: NO_ID,
  key: 'none',
  rowId: '999',
  itemId: NO_ID,
  importId: NO_ID,
};
const NONSENSE: PathValues = {
  workspaceId: 'x',
  datagridId: '1',
  key: 'No',
  rowId: '-1',
  itemId: 'x',
  importId: 'x',
};

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  existing = await newPathValues(team.owner.api);
});

afterAll(() => app.close());

/** Calls each route and holds each answer, all of which must be failures of that code. */
async function expectOfAll(
  routes: readonly Route[],
  code: ErrorCode,
  call: (route: Route) => Promise<Answer>,
): Promise<void> {
  expect(routes.length).toBeGreaterThan(0);
  const outcomes: string[] = [];
  for (const route of routes) {
    const answer = await call(route);
    const got = answer.status < 400 ? String(answer.status) : expectErrorShape(answer);
    outcomes.push(`${route.method} ${route.path}: ${got}`);
  }
  expect(outcomes).toEqual(routes.map(({ method, path }) => `${method} ${path}: ${code}`));
}

describe('promise 28: everything from 400 up has the one shape, on every route', () => {
  it('knows the routes', () => {
    expect(routesOf(app).length).toBeGreaterThan(20);
    expect(declaredRoutes(app).length).toBe(routesOf(app).length + 3);
  });

  it.each([undefined, 'mk_bad'])('401: with %s for a key', async (key) => {
    await expectOfAll(routesOf(app), 'unauthenticated', (route) =>
      app.api(key).send(route.method, pathOf(route, existing), bodyFor(route)),
    );
  });

  it('403: for a role that may not', async () => {
    await expectOfAll(routesOf(app).filter(isWrite), 'forbidden', (route) =>
      team.viewer.api.send(route.method, pathOf(route, existing), bodyFor(route)),
    );
  });

  it('403: for a suspended owner', async () => {
    const { owner } = await newTeam(app);
    const values = await newPathValues(owner.api);
    // The last one cannot be.
    await app.newUser(owner.accountId, 'owner');
    await app.nest.get(UserService).setSuspended(owner.email, true);
    await expectOfAll(routesOf(app), 'account_suspended', (route) =>
      owner.api.send(route.method, pathOf(route, values), bodyFor(route)),
    );
  });

  it.each<[string, PathValues]>([
    ['missing', MISSING],
    ['no ids at all', NONSENSE],
  ])('404: where what is named is %s', async (_, values) => {
    const routes = routesOf(app).filter(({ path }) => path.includes(':'));
    await expectOfAll(routes, 'not_found', (route) =>
      team.owner.api.send(route.method, pathOf(route, values), bodyFor(route)),
    );
  });

  it.each(['{"name":', '[]', 'null', '"x"', '{"no such member":1}', '{"name":1,"values":1}'])(
    '400: for the body %s',
    async (body) => {
      await expectOfAll(routesOf(app).filter(hasBody), 'invalid_request', (route) =>
        team.owner.api.send(route.method, pathOf(route, existing), body),
      );
    },
  );

  it('400: for an unknown parameter', async () => {
    await expectOfAll(routesOf(app), 'invalid_request', (route) =>
      team.owner.api.send(route.method, `${pathOf(route, existing)}?colour=red`, bodyFor(route)),
    );
    const open = declaredRoutes(app).filter(({ handler }) => accessOf(handler) === 'public');
    await expectOfAll(open, 'invalid_request', ({ path }) =>
      sendRaw(app.port, rawRequest([`GET ${path}?colour=red HTTP/1.1`, 'Host: x'])),
    );
  });

  it('405: for a wrong method', async () => {
    await expectOfAll(declaredRoutes(app), 'method_not_allowed', ({ path }) => {
      const line = `OPTIONS ${path.replace(/:\w+/g, NO_ID)} HTTP/1.1`;
      const lines = [line, 'Host: x', `Authorization: Bearer ${team.viewer.key}`];
      return sendRaw(app.port, rawRequest(lines));
    });
  });

  it('405: for a wrong method with parameters too', async () => {
    const answer = await team.owner.api.put('/workspaces?cascade=true', {});
    expect(expectErrorShape(answer)).toBe('method_not_allowed');
  });

  it('415: for a wrong content type', async () => {
    await expectOfAll(routesOf(app).filter(hasBody), 'unsupported_media_type', (route) =>
      team.owner.api.send(route.method, pathOf(route, existing), '{}', {
        'content-type': 'text/plain',
      }),
    );
  });

  it('413: for a body that is too large', async () => {
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
  ])('404: below the API, %s', async (path) => {
    expect(expectErrorShape(await team.owner.api.get(path))).toBe('not_found');
  });

  it.each(['/api', '/API/v1/public/me', '/favicon.ico', '/docs/nothing', '/%zz', '*'])(
    '404: elsewhere, %s',
    async (target) => {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const request = rawRequest([`${method} ${target} HTTP/1.1`, 'Host: x']);
      expect(expectErrorShape(await sendRaw(app.port, request))).toBe('not_found');
    },
  );
});

describe('promise 29: codes come from the documented list', () => {
  const listed = Object.entries(ERROR_STATUS).map(([code, status]) => `${String(status)} ${code}`);
  const read = (path: string): string => readFileSync(join(__dirname, '../../..', path), 'utf8');

  it('docs/api.md has each of them with its status, and no other', () => {
    const [, section = ''] = read('docs/api.md').split('\n## Errors\n');
    const [table = ''] = section.split('\n## ');
    const rows = [...table.matchAll(/^\| (\d{3}) +\| `(\w+)` /gm)];
    expect(rows.map(([, status, code]) => `${String(status)} ${String(code)}`)).toEqual(listed);
  });

  it('the description has the same list', () => {
    const { components } = JSON.parse(read('docs/openapi.json')) as {
      components: { schemas: { ErrorContentDto: { properties: { code: { enum: string[] } } } } };
    };
    const { code } = components.schemas.ErrorContentDto.properties;
    expect(code.enum).toEqual(Object.keys(ERROR_STATUS));
  });
});
