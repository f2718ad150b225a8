import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newTeam, type Team } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { declaredRoutes } from './errors-routes';

let app: TestApp;
let team: Team;
let existing: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  existing = await newIds(team.owner);
});

afterAll(() => app.close());

/** Returns the text of a request with a Host header and the owner's key. */
function keyed(line: string, headers: readonly string[] = [], body = ''): string {
  const own = ['Host: x', `Authorization: Bearer ${team.owner.key}`];
  return rawRequest([line, ...own, ...headers], body);
}

const ORIGIN = { origin: 'https://evil.example' };

/** Returns responses of every kind to a page of another origin. */
async function responsesToPage(): Promise<ApiResponse[]> {
  const { api } = team.owner;
  const created = await api.post('/workspaces', { name: 'From a page' }, ORIGIN);
  const path = `/workspaces/${String(created.body.data.id)}`;
  const read = await api.get(path, ORIGIN);
  const etag = read.headers.get('etag') ?? '';
  const responses = [
    created,
    read,
    await api.get(path, { ...ORIGIN, 'if-none-match': etag }),
    await api.send('HEAD', path, undefined, ORIGIN),
    await api.patch(path, { description: 'x' }, ORIGIN),
    await api.post('/workspaces', { name: 'From a page' }, ORIGIN),
    await api.delete(path, ORIGIN),
    await api.get(path, ORIGIN),
    await api.get('/workspaces?page=0', ORIGIN),
    await api.get('/openapi.json', ORIGIN),
    await team.viewer.api.post('/workspaces', {}, ORIGIN),
    await app.api().get('/me', ORIGIN),
    await sendRaw(app.port, rawRequest(['GET /health/live HTTP/1.1', 'Host: x'])),
    await sendRaw(app.port, rawRequest(['GET /health/ready HTTP/1.1', 'Host: x'])),
    await sendRaw(app.port, rawRequest(['GET /nowhere HTTP/1.1', 'Host: x'])),
    await sendRaw(app.port, 'nonsense\r\n\r\n'),
  ];
  expect(responses.map(({ status }) => status)).toEqual([
    201, 200, 304, 200, 200, 409, 204, 404, 400, 200, 403, 401, 200, 200, 404, 400,
  ]);
  return responses;
}

describe('the public API', () => {
  it('sends no CORS header and no cookie to a page of another origin', async () => {
    for (const { headers } of await responsesToPage()) {
      const names = [...headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(names).not.toContain('set-cookie');
    }
  });

  it('rejects preflight requests on every path, with and without a key', async () => {
    const paths = new Set(declaredRoutes(app).map(({ path }) => path));
    for (const path of paths) {
      const target = path.replace(/:(\w+)/g, (_, name: keyof Ids) => existing[name]);
      const asks = [
        'Origin: https://evil.example',
        'Access-Control-Request-Method: PATCH',
        'Access-Control-Request-Headers: authorization, content-type',
        'Access-Control-Request-Private-Network: true',
      ];
      const line = `OPTIONS ${target} HTTP/1.1`;
      const open = path.startsWith('/health') || path.endsWith('/openapi.json');
      const bare = await sendRaw(app.port, rawRequest([line, 'Host: x', ...asks]));
      const withKey = await sendRaw(app.port, keyed(line, asks));
      expectFailure(
        bare,
        open && path.startsWith('/health') ? 'method_not_allowed' : 'unauthenticated',
      );
      expectFailure(withKey, 'method_not_allowed');
      for (const { headers } of [bare, withKey]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([]);
      }
    }
  });

  it('sends nosniff, and neither X-Powered-By nor Server, with every kind of response', async () => {
    for (const { status, headers } of await responsesToPage()) {
      expect([status, headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
    }
  });

  it('sends headers that forbid framing, scripts and use by other origins', async () => {
    const { headers } = await team.owner.api.get('/me');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';frame-ancestors 'none'",
    );
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('sends private, no-cache and an ETag with reads, and no-store with other responses', async () => {
    const responses = await responsesToPage();
    const policies = responses.map(({ status, headers }) => [
      status,
      headers.get('cache-control'),
      headers.has('etag'),
    ]);
    const read = ['private, no-cache', true];
    const rest = ['no-store', false];
    expect(policies).toEqual([
      // Responses to writes have an ETag too, for the next write.
      [201, 'no-store', true],
      [200, ...read],
      [304, ...read],
      [200, ...read],
      [200, 'no-store', true],
      [409, ...rest],
      [204, ...rest],
      [404, ...rest],
      [400, ...rest],
      [200, ...read],
      [403, ...rest],
      [401, ...rest],
      [200, ...read],
      [200, ...read],
      [404, ...rest],
      [400, ...rest],
    ]);
  });

  it('sends private, no-cache and an ETag on every route that reads', async () => {
    for (const route of routesOf(app).filter(({ method }) => method === 'GET')) {
      const { status, headers } = await team.owner.api.get(pathOf(route, existing));
      const shown = [route.path, status, headers.get('cache-control'), headers.has('etag')];
      expect(shown).toEqual([route.path, 200, 'private, no-cache', true]);
    }
  });
});
