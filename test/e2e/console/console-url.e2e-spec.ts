import { csrfTokenOf, SESSION_COOKIE } from '../../../src/auth/session/session-cookie';
import type { Route } from '../../../src/platform/http/route-table';
import { API, ApiClient, FileBody, type ApiResponse } from '../../support/api-client';
import { CONSOLE, ConsoleClient, sessionHeaders } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { isWrite } from '../contract/errors-routes';

let app: TestApp;
let team: Team;
let session: ConsoleClient;
let existing: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  session = await app.console(team.owner);
  existing = await newIds(team.owner);
});

afterAll(() => app.close());

const call = (
  client: ApiClient,
  route: Route,
  values: Ids = existing,
  headers?: Record<string, string>,
): Promise<ApiResponse> =>
  client.send(route.method, `/data${pathOf(route, values)}`, bodyFor(route, values), headers);

/** Creates a client of the public API under the path of the console, for fixtures. */
const dataClient = ({ token = '' }: ConsoleClient): ApiClient =>
  new ApiClient(app.origin, undefined, `${CONSOLE}/data`, sessionHeaders(token));

// It creates what each route needs.
jest.setTimeout(180_000);

describe('every public API route under /console/api/data', () => {
  it('works with a session as with a key', async () => {
    const routes = routesOf(app);
    expect(routes.length).toBeGreaterThan(20);
    for (const route of routes) {
      // Only writes change or delete what they name.
      const api = dataClient(session);
      const values = route.method === 'GET' ? existing : await newIds({ api }, route.path);
      const response = await call(session, route, values);
      // A workspace that is not empty, and an import that has ended.
      const isConflict = route.method === 'DELETE' && /:(workspaceId|importId)$/.test(route.path);
      const outcome = response.status < 300 ? 'done' : String(response.status);
      expect([route.method, route.path, outcome]).toEqual([
        route.method,
        route.path,
        isConflict ? '409' : 'done',
      ]);
    }
  });

  it('returns 401 without a session, even with a key', async () => {
    const withKey = new ApiClient(app.origin, team.owner.key, CONSOLE);
    const anonymous = new ConsoleClient(app.origin);
    for (const route of routesOf(app)) {
      for (const client of [withKey, anonymous]) {
        const response = await call(client, route);
        expectFailure(response, 'unauthenticated');
        expect(response.headers.get('www-authenticate')).toBe('Cookie');
      }
    }
  });

  it('returns 403 for a write without a valid CSRF token or from another origin', async () => {
    const { token = '' } = session;
    const cookie = `${SESSION_COOKIE}=${token}`;
    const other = (await app.console(team.owner)).token ?? '';
    const bare = new ApiClient(app.origin, undefined, CONSOLE, { cookie });
    const unsafe = routesOf(app).filter(({ method }) => method !== 'GET');
    expect(unsafe.length).toBeGreaterThan(10);
    const firsts = new Map(unsafe.toReversed().map((route) => [route.method, route]));
    for (const route of unsafe) {
      const onEvery = [{}, { 'x-csrf-token': csrfTokenOf(token), origin: 'https://evil.example' }];
      const onFirst = [
        { 'x-csrf-token': '' },
        { 'x-csrf-token': csrfTokenOf(other) },
        { 'x-csrf-token': csrfTokenOf(token), 'sec-fetch-site': 'cross-site' },
      ];
      const isFirst = firsts.get(route.method) === route;
      for (const headers of isFirst ? [...onEvery, ...onFirst] : onEvery) {
        expectFailure(await call(bare, route, existing, headers), 'forbidden');
      }
    }
    expect((await bare.get('/data/workspaces')).status).toBe(200);
  });

  it('returns 403 for a write by a viewer', async () => {
    const viewer = await app.console(team.viewer);
    for (const route of routesOf(app).filter(isWrite)) {
      expectFailure(await call(viewer, route), 'forbidden');
    }
    expect((await viewer.get('/data/workspaces')).body.meta.total).toBeGreaterThan(0);
  });

  it('returns 404 for ids of another account', async () => {
    const otherAccount = await app.console(await app.newAccount());
    for (const route of routesOf(app).filter(({ path }) => path.includes('/:'))) {
      expectFailure(await call(otherAccount, route), 'not_found');
    }
  });

  it.each(['', '/nowhere', '?x=1', '/workspaces/x/y/z', '/%zz'])(
    'returns 404 for an unknown path: %s',
    async (path) => {
      expectFailure(await session.get(`/data${path}`), 'not_found');
    },
  );

  it('returns 405 with Allow for a wrong method', async () => {
    const response = await session.put('/data/workspaces', {});
    expectFailure(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

describe('the public API itself', () => {
  it('returns 401 for a session without a key', async () => {
    const headers = sessionHeaders(session.token ?? '');
    for (const route of routesOf(app)) {
      const response = await app
        .api()
        .send(route.method, pathOf(route, existing), bodyFor(route), headers);
      expectFailure(response, 'unauthenticated');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});

describe('the public API under the path of the console', () => {
  it('returns Link and Location headers with the path of the console', async () => {
    const workspaceId = await newWorkspace(dataClient(session));
    const path = `/workspaces/${workspaceId}/datagrids`;
    for (let n = 0; n < 2; n += 1) await newDatagrid(dataClient(session), [], workspaceId);
    const page = await session.get(`/data${path}?limit=1`);
    const next = `<${CONSOLE}/data${path}?page=2&limit=1>; rel="next"`;
    expect(page.headers.get('link')).toContain(next);
    expect(page.headers.get('link')).not.toContain(API);
    const [{ id }] = page.body.data;
    const file = new FileBody('text/csv', '');
    const started = await session.post(
      `/data/datagrids/${id}/rows/import?createColumns=true`,
      file,
    );
    const place = started.headers.get('location') ?? '';
    expect(place).toMatch(new RegExp(`^${CONSOLE}/data/datagrids/${id}/imports/`));
    expect((await session.get(place.slice(CONSOLE.length))).status).toBe(200);
  });

  it('supports If-Match, If-None-Match and Idempotency-Key', async () => {
    const grid = await newDatagrid(dataClient(session), [{ key: 'n', type: 'integer' }]);
    const path = `/data${grid}/rows`;
    const key = { 'idempotency-key': 'once' };
    const first = await session.post(path, { values: { n: 1 } }, key);
    const again = await session.post(path, { values: { n: 1 } }, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { id } = dataOf(first, 201);
    const etag = first.headers.get('etag') ?? '';
    const patch = (n: number): Promise<ApiResponse> =>
      session.patch(`${path}/${id}`, { values: { n } }, { 'if-match': etag });
    expect((await patch(2)).status).toBe(200);
    expectFailure(await patch(3), 'precondition_failed');
    const page = await session.get(path);
    const known = { 'if-none-match': page.headers.get('etag') ?? '' };
    expect((await session.get(path, known)).status).toBe(304);
  });

  it('returns the signed-in user for /me', async () => {
    const { data } = (await session.get('/data/me')).body;
    expect(data).toMatchObject({
      key: { name: 'Console', expiresAt: expect.any(String) },
      user: { id: team.owner.userId },
      role: 'owner',
    });
  });

  it('rejects forged headers and unusual spellings of its path', async () => {
    const headers = {
      'x-forwarded-prefix': '/console/api/data',
      'x-original-url': `${CONSOLE}/data/me`,
    };
    expectFailure(await app.api().get('/me', headers), 'unauthenticated');
    const odd = new ApiClient(app.origin, undefined, '', sessionHeaders(session.token ?? ''));
    expect((await odd.get('/console/api/database')).status).toBe(404);
    for (const path of [
      '/console/api//data/me',
      '/CONSOLE/api/data/me',
      '/console%2Fapi/data/me',
    ]) {
      expectFailure(await odd.get(path), 'not_found');
    }
  });

  it('logs the user and no key', async () => {
    await session.get('/data/workspaces', { 'x-request-id': 'of-the-console' });
    // The log line is written after the response was sent.
    const line = await eventually(() =>
      app.logs
        .map((each) => JSON.parse(each))
        .find(({ requestId, msg }) => requestId === 'of-the-console' && msg === 'request'),
    );
    expect(line).toMatchObject({
      route: `${API}/workspaces`,
      userId: team.owner.userId,
      accountId: team.owner.accountId,
    });
    expect(line).not.toHaveProperty('keyId');
  });
});

describe('the rate limit of the console', () => {
  it('counts all sessions of a user together and apart from their keys', async () => {
    const limited = await TestApp.start({
      database: app.database,
      settings: { RATE_LIMIT_REQUESTS: '3' },
    });
    try {
      const member = await app.newAccount();
      const [one, two] = [await limited.console(member), await limited.console(member)];
      const statuses = [
        await one.get('/session'),
        await two.get('/data/workspaces'),
        await one.get('/nowhere'),
        await two.get('/session'),
      ].map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 404, 429]);
      expect((await limited.api(member.key).get('/me')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('an import that was started with a session', () => {
  it('fails with 401 once the session ends', async () => {
    const limited = await TestApp.start({
      database: app.database,
      settings: { IMPORT_BATCH_ROWS: '1' },
    });
    try {
      const own = await limited.console(team.owner);
      const grid = await newDatagrid(dataClient(session), [{ key: 'n', type: 'integer' }]);
      const rows = new ReadableStream<Uint8Array>({
        async start(controller): Promise<void> {
          const lines = (count: number): Uint8Array => Buffer.from('{"n":1}\n'.repeat(count));
          controller.enqueue(lines(3));
          // Waits for the import to begin, because a session that has ended cannot start it.
          const begun = async (): Promise<boolean> =>
            (await dataClient(session).get(`${grid}/imports`)).body.meta.total > 0;
          await eventually(begun);
          await own.delete('/session');
          controller.enqueue(lines(3));
          controller.close();
        },
      });
      const response = await fetch(`${limited.origin}${CONSOLE}/data${grid}/rows/import`, {
        method: 'POST',
        body: rows,
        duplex: 'half',
        headers: { 'content-type': 'application/x-ndjson', ...sessionHeaders(own.token ?? '') },
      });
      expect(response.status).toBe(401);
    } finally {
      await limited.close();
    }
  });
});
