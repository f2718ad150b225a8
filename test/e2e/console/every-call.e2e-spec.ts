import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf } from '../../../src/platform/http/access';
import type { Route } from '../../../src/platform/http/route-table';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { CONSOLE, ConsoleClient } from '../../support/console-client';
import {
  consoleBody,
  consolePath,
  consoleRoutes,
  sessionRoutes,
} from '../../support/console-routes';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
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

type Values = Readonly<Record<string, string>>;

/** Ids of existing resources by the first word of a path, and the key of the service account. */
let existing: Values;

beforeAll(async () => {
  const key = dataOf(await owner.post('/keys', { name: 'x' }), 201).id;
  const service = await newServiceAccount();
  const [session] = (await owner.get('/sessions')).body.data;
  const grid = await newDatagrid(team.owner.api, [{ key: 'u', type: 'text' }]);
  existing = {
    users: team.viewer.userId,
    keys: key,
    'service-accounts': service.id,
    serviceKey: service.keyId,
    sessions: session.id,
    factors: NO_ID,
    providers: NO_ID,
    scim: NO_ID,
    applications: NO_ID,
    datagrids: grid.slice('/datagrids/'.length),
  };
});

/** Returns ids of existing resources for the parameters of a route. No call of these tests changes them. */
function valuesFor({ path }: Route): Values {
  const kind = path.slice(CONSOLE.length + 1).split('/')[0] ?? '';
  const keyId = existing['serviceKey'] ?? '';
  return { id: existing[kind] ?? '', keyId, key: 'u', token: 'A'.repeat(43) };
}

/** Creates a service account with a key. */
async function newServiceAccount(): Promise<{ readonly id: string; readonly keyId: string }> {
  const body = { name: 'service', role: 'viewer' };
  const { id } = dataOf(await owner.post('/service-accounts', body), 201);
  const key = dataOf(await owner.post(`/service-accounts/${id}/keys`, { name: 'x' }), 201);
  return { id, keyId: key.id };
}

const call = (
  client: ApiClient,
  route: Route,
  values: Values,
  body: unknown = consoleBody(route),
): Promise<ApiResponse> => client.send(route.method, consolePath(route, values), body);

/**
 * Returns the calls of the table in docs/console/calls.md, such as `GET /console/api/keys/:id/usage`.
 * Methods may share a path in it, and `…` stands for the path before it.
 */
function documentedCalls(): string[] {
  const table = readFileSync(join(__dirname, '../../../docs/console/calls.md'), 'utf8');
  const cells = [...table.matchAll(/^\| (`[A-Z].*?) +\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => {
    const calls: string[] = [];
    let methods: string[] = [];
    let before = '';
    for (const [, method = '', path] of cell.matchAll(/`([A-Z]+)(?: ([^`?]+)[^`]*)?`/g)) {
      methods.push(method);
      if (path === undefined) continue;
      before = path.replace('…', before).replaceAll(/\{(\w+)\}/g, ':$1');
      calls.push(...methods.map((each) => `${each} ${before}`));
      methods = [];
    }
    return calls;
  });
}

const isRead = ({ method }: Route): boolean => method === 'GET';
/** Unknown fields of forms are ignored, as OAuth 2.0 demands. */
const takesForm = ({ path }: Route): boolean => path.endsWith('/providers/:id/logout');
const hasBody = (route: Route): boolean => consoleBody(route) !== undefined;

describe('every call of the console', () => {
  it('appears in these tests', () => {
    expect(consoleRoutes(app).length).toBeGreaterThan(12);
    expect(sessionRoutes(app).length).toBe(consoleRoutes(app).length - 12);
  });

  it('appears in docs/console/calls.md, which lists no other', () => {
    const calls = consoleRoutes(app).map(({ method, path }) => `${method} ${path}`);
    expect(documentedCalls().sort()).toEqual(calls.sort());
  });

  it('returns 401 with WWW-Authenticate without a session, even with an API key', async () => {
    const withKey = new ApiClient(app.origin, team.owner.key, CONSOLE);
    for (const client of [new ConsoleClient(app.origin), withKey]) {
      for (const route of sessionRoutes(app)) {
        const response = await call(client, route, valuesFor(route));
        expectFailure(response, 'unauthenticated');
        expect(response.headers.get('www-authenticate')).toBe('Cookie');
      }
    }
  });

  it('returns 403 without the CSRF token if it is not a read', async () => {
    const cookie = { cookie: `datagrid_session=${owner.token ?? ''}` };
    const bare = new ApiClient(app.origin, undefined, CONSOLE, cookie);
    const routes = sessionRoutes(app).filter((route) => !isRead(route));
    expect(routes.length).toBeGreaterThan(7);
    for (const route of routes) {
      expectFailure(await call(bare, route, valuesFor(route)), 'forbidden');
    }
    expect((await owner.get('/session')).status).toBe(200);
  });

  it('returns 403 for a suspended user', async () => {
    const member = await app.newUser(team.owner.accountId, 'admin');
    const session = await app.console(member);
    await app.sql.query('UPDATE users SET suspended = true WHERE id = $1', [member.userId]);
    for (const route of sessionRoutes(app)) {
      expectFailure(await call(session, route, valuesFor(route)), 'account_suspended');
    }
  });

  it('returns 404 for an id of another account and for an unknown one', async () => {
    const otherAccount = await app.console(await app.newAccount());
    const routes = sessionRoutes(app).filter(({ path }) => path.includes('/:'));
    expect(routes.length).toBeGreaterThan(4);
    for (const route of routes) {
      const values = valuesFor(route);
      for (const id of [values['id'] ?? '', NO_ID, 'x', '1']) {
        expectFailure(await call(otherAccount, route, { ...values, id }), 'not_found');
      }
    }
  });

  it('returns 400 for an unknown property or parameter', async () => {
    const anonymous = new ConsoleClient(app.origin);
    for (const route of consoleRoutes(app)) {
      const values = valuesFor(route);
      const isOpen = accessOf(route.handler) === 'public';
      const client = isOpen ? anonymous : owner;
      const query = `${consolePath(route, values)}?colour=red`;
      const withQuery = await client.send(route.method, query, consoleBody(route));
      expectFailure(withQuery, 'invalid_request', ['colour unknown_parameter']);
      if (!hasBody(route) || takesForm(route)) continue;
      const body = { ...consoleBody(route), nonsense: 1 };
      const sent = await call(client, route, values, body);
      expectFailure(sent, 'invalid_request', ['nonsense unknown_property']);
      for (const wrong of ['{"a":', '[]', 'null']) {
        expect((await call(client, route, values, wrong)).status).toBe(400);
      }
    }
  });

  it('returns 405 with Allow for a wrong method, and 404 at an unknown path', async () => {
    for (const route of consoleRoutes(app)) {
      const path = consolePath(route, valuesFor(route));
      const response = await owner.send('OPTIONS', path);
      expectFailure(response, 'method_not_allowed');
      expect(response.headers.get('allow')).toContain(route.method);
    }
    for (const path of ['', '/', '/nowhere', '/Keys', '/keys/x/y/z']) {
      expectFailure(await owner.get(path), 'not_found');
      expectFailure(await new ConsoleClient(app.origin).get(path), 'unauthenticated');
    }
  });

  it('grants nothing to a page of another origin', async () => {
    const response = await owner.get('/session', { origin: 'https://evil.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
