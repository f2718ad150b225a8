import { randomUUID } from 'node:crypto';
import { expectFailure } from '../support/failure';
import { newDatagrid, newTeam, type Team } from '../support/fixture';
import { rawRequest, sendRaw } from '../support/raw-http';
import { pathOf, routesOf } from '../support/routes';
import { TestApp } from '../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('unknown routes', () => {
  it.each([
    '',
    '/',
    '/nothing',
    '/Workspaces',
    '/workspaces/1/2/3',
    '//me',
    '/me/me',
    '/.',
    '/%2e%2e/me',
    '/me%2f',
    '/%zz',
    '/workspaces/%E0%A4%A',
    '/%',
  ])('return 401 without a key and 404 with one below the API: %j', async (path) => {
    const line = `GET /api/v1/public${path} HTTP/1.1`;
    const anonymous = await sendRaw(app.port, rawRequest([line, 'Host: localhost']));
    expectFailure(anonymous, 'unauthenticated');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });

  it.each([
    '/api',
    '/api/v1',
    '/api/v1/publicity',
    '/api/v2/public/me',
    '/API/v1/public/me',
    '/%zz',
    '/health',
    '/../api/v1/public/me',
  ])('return 404 with or without a key outside the API: %j', async (path) => {
    const line = `GET ${path} HTTP/1.1`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost'])), 'not_found');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('a path of the API', () => {
  it('returns 405 with Allow for every method that it does not support', async () => {
    const methodsOf = new Map<string, Set<string>>();
    const id = randomUUID();
    const names = [
      'workspaceId',
      'datagridId',
      'itemId',
      'importId',
      'viewId',
      'queryId',
      'webhookId',
      'connectionId',
      'scheduledImportId',
    ];
    const parameters = Object.fromEntries(names.map((name) => [name, id]));
    for (const route of routesOf(app)) {
      const path = pathOf(route, { ...parameters, rowId: '1', key: 'a' });
      const methods = methodsOf.get(path) ?? new Set<string>();
      methods.add(route.method);
      if (route.method === 'GET') methods.add('HEAD');
      methodsOf.set(path, methods);
    }
    expect([...(methodsOf.get(`/datagrids/${id}/rows/batch`) ?? [])]).toEqual(['POST']);
    const { api } = team.owner;
    let rejected = 0;
    for (const [path, allowed] of methodsOf) {
      for (const method of METHODS.filter((each) => !allowed.has(each))) {
        const { status, headers } = await api.send(method, path);
        expect([method, path, status, headers.get('allow')]).toEqual([
          method,
          path,
          405,
          [...allowed].sort().join(', '),
        ]);
        rejected += 1;
      }
    }
    expect(rejected).toBeGreaterThan(60);
  });

  it('returns 404 for a row id that is not a number, whatever the method', async () => {
    const grid = await newDatagrid(team.owner.api, []);
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      expectFailure(await team.owner.api.send(method, `${grid}/rows/batches`), 'not_found');
    }
  });
});

describe('the message of a 404', () => {
  it('names the route that does not exist', async () => {
    const { body } = await team.owner.api.get('/nothing/here?a=1');
    expect(body.error.message).toBe('No route matches GET /api/v1/public/nothing/here.');
    const long = await team.owner.api.post(`/${'x'.repeat(5_000)}`);
    expect(long.body.error.message.length).toBeLessThan(250);
  });

  it('names the kind of resource, and is the same for one of another account', async () => {
    const other = await newTeam(app);
    const foreign = await newDatagrid(other.owner.api, []);
    const workspace = (await other.owner.api.get(foreign)).body.data.workspaceId as string;
    const { api } = team.owner;
    const grid = await newDatagrid(api, []);
    const id = randomUUID();
    const cases = [
      [`/workspaces/${workspace}`, `/workspaces/${id}`, 'Workspace'],
      [foreign, `/datagrids/${id}`, 'Datagrid'],
      [`${foreign}/rows`, `/datagrids/${id}/rows`, 'Datagrid'],
      [`${foreign}/rows/1`, `/datagrids/${id}/rows/1`, 'Row'],
      [`${grid}/rows/1`, `${grid}/rows/x`, 'Row'],
      [`${grid}/columns/a`, `${grid}/columns/-`, 'Column'],
      [`${grid}/imports/${id}`, `${grid}/imports/x`, 'Import'],
    ] as const;
    for (const [first, second, kind] of cases) {
      const bodies = [await api.get(first), await api.get(second)].map(({ text }) =>
        text.replace(/"requestId":"[^"]*"/, ''),
      );
      const error = `{"error":{"code":"not_found","message":"${kind} not found.",}}`;
      expect([first, ...bodies]).toEqual([first, error, error]);
    }
  });
});
