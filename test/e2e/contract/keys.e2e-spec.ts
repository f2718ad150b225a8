import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { createApiKeyToken } from '../../../src/auth/api-key/api-key-token';
import { isForSessions } from '../../../src/platform/http/access';
import { RouteTable } from '../../../src/platform/http/route-table';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Returns the key with a wrong checksum. */
const misspelt = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

describe('the full API key', () => {
  it('is in no response, not even if the request contains it', async () => {
    const { api, key } = team.owner;
    const workspace = await newWorkspace(api);
    const datagrid = await newDatagrid(api, [{ key: 'n', type: 'integer' }], workspace);
    const responses = [
      await api.get('/me'),
      await api.get(`/workspaces/${workspace}`),
      await api.get(datagrid),
      await api.get(`${datagrid}/rows`),
      await api.get('/nothing'),
      await api.get(`/${key}`),
      await api.post('/workspaces', '{'),
      await app.api(misspelt(key)).get('/me'),
    ];
    for (const { text, headers } of responses) {
      const shown = text + [...headers].flat().join('\n');
      expect(shown).not.toContain(key.slice(3, 33));
      expect(shown).not.toContain(key.slice(0, -1));
    }
  });

  it('cannot be read from the service after it was created', async () => {
    const keys = app.nest.get(ApiKeyService);
    const listed = JSON.stringify(await keys.listOf(team.viewer.userId));
    const one = JSON.stringify(await keys.get(team.viewer.keyId));
    expect(one).toContain(team.viewer.key.slice(0, 8));
    expect(one + listed).not.toContain(team.viewer.key.slice(8, -4));
    expect(one + listed).not.toContain('hash');
  });

  it.each(['x', ''])('is not found under the malformed id %j', async (id) => {
    await expect(app.nest.get(ApiKeyService).get(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an API key', () => {
  const comparable = ({ status, text, headers }: ApiResponse): object => ({
    status,
    text: text.replace(headers.get('x-request-id') ?? '', ''),
    names: [...headers.keys()].sort(),
    challenge: headers.get('www-authenticate'),
  });

  it('returns the same 401 with WWW-Authenticate if it is unknown, revoked, expired, malformed, misspelled or missing', async () => {
    const keys = app.nest.get(ApiKeyService);
    const revoked = await keys.create(team.viewer.userId, 'Revoked', null, 'operator');
    await keys.revoke(revoked.id, 'operator');
    const past = new Date(Date.now() - 1_000);
    const expired = await keys.create(team.viewer.userId, 'Expired', past, 'operator');
    const tokens = {
      unknown: createApiKeyToken(),
      revoked: revoked.key,
      expired: expired.key,
      malformed: 'mk_short',
      misspelt: misspelt(team.viewer.key),
      foreign: 'eyJhbGciOiJub25lIn0.e30.',
      prefixless: team.viewer.key.slice(3),
    };
    const first = await app.api().get('/me');
    expectFailure(first, 'unauthenticated');
    expect(first.headers.get('www-authenticate')).toBe('Bearer');
    for (const [what, token] of Object.entries(tokens)) {
      const response = await app.api(token).get('/me');
      expect({ what, ...comparable(response) }).toEqual({ what, ...comparable(first) });
    }
  });

  it('returns 401 with WWW-Authenticate on every route if it is missing', async () => {
    const routes = routesOf(app);
    expect(routes.length).toBeGreaterThan(20);
    for (const route of routes) {
      const { method, path } = route;
      const url = pathOf(route, {
        workspaceId: NO_ID,
        datagridId: NO_ID,
        queryId: NO_ID,
        rowId: '1',
        key: 'n',
        itemId: NO_ID,
        importId: NO_ID,
        viewId: NO_ID,
        webhookId: NO_ID,
        connectionId: NO_ID,
        scheduledImportId: NO_ID,
      });
      const response = await app.api().send(method, url);
      expect({ method, path, status: response.status }).toEqual({ method, path, status: 401 });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});

describe('an API key outside the Authorization header', () => {
  it.each(['key', 'api_key', 'apiKey', 'access_token', 'token', 'authorization'])(
    'is not accepted in the query parameter %s',
    async (name) => {
      const response = await app.api().get(`/workspaces?${name}=${team.owner.key}`);
      expectFailure(response, 'unauthenticated');
    },
  );

  it('is not accepted in the body', async () => {
    const { key } = team.owner;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = { name: 'X', key, access_token: key };
    expectFailure(await app.api().post('/workspaces', body), 'unauthenticated');
    const response = await app.api().post('/workspaces', `access_token=${key}`, form);
    expectFailure(response, 'unauthenticated');
  });

  it.each(['x-api-key', 'api-key', 'cookie', 'proxy-authorization'])(
    'is not accepted in the header %s',
    async (header) => {
      const sent = { [header]: `Bearer ${team.owner.key}` };
      expectFailure(await app.api().get('/me', sent), 'unauthenticated');
    },
  );
});

describe('an Authorization header', () => {
  const head = ['GET /api/v1/public/me HTTP/1.1', 'Host: localhost'];

  it.each<[string, (key: string) => string[]]>([
    ['doubled', (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    [
      'doubled, a good one last',
      (key) => ['Authorization: Bearer x', `authorization: Bearer ${key}`],
    ],
    ['of 8 kB', (key) => [`Authorization: Bearer ${key}${'a'.repeat(8_192)}`]],
    ['with 8 kB of spaces', (key) => [`Authorization: Bearer${' '.repeat(8_192)}${key}`]],
    ['with two spaces', (key) => [`Authorization: Bearer  ${key}`]],
    ['with a tab', (key) => [`Authorization: Bearer\t${key}`]],
    ['with two keys', (key) => [`Authorization: Bearer ${key}, Bearer ${key}`]],
    ['without a scheme', (key) => [`Authorization: ${key}`]],
    ['of another scheme', (key) => [`Authorization: Basic ${Buffer.from(key).toString('base64')}`]],
    ['with no key', () => ['Authorization: Bearer']],
    ['folded over two lines', (key) => ['Authorization: Bearer', ` ${key}`]],
    ['with a space before the colon', (key) => [`Authorization : Bearer ${key}`]],
  ])('returns 400 or 401 if it is malformed: %s', async (_, lines) => {
    const request = rawRequest([...head, ...lines(team.owner.key)]);
    const { status, body } = await sendRaw(app.port, request);
    expect([400, 401]).toContain(status);
    expect(['invalid_request', 'unauthenticated']).toContain(body.error.code);
  });

  it('is accepted with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const request = rawRequest([...head, `Authorization: ${scheme} ${team.owner.key}`]);
      expect((await sendRaw(app.port, request)).status).toBe(200);
    }
  });
});

describe('managing API keys with an API key', () => {
  it('returns 401 on every route about keys, which need a session', async () => {
    const routes = app.nest.get(RouteTable, { strict: false }).all();
    const aboutKeys = routes.filter(({ path }) => /\bkeys?\b/i.test(path.replaceAll(/:\w+/g, '')));
    expect(aboutKeys.length).toBeGreaterThan(0);
    expect(aboutKeys.filter(({ handler }) => !isForSessions(handler))).toEqual([]);
    const withKey = new ApiClient(app.origin, team.owner.key, '');
    for (const { method, path } of aboutKeys) {
      const response = await withKey.send(method, path.replace(/:\w+/, team.owner.keyId));
      expectFailure(response, 'unauthenticated');
    }
  });

  it.each(['/keys', '/api-keys', '/me/keys', '/users/me/keys'])(
    'returns 404 at %s, which does not exist',
    async (path) => {
      expectFailure(await team.owner.api.get(path), 'not_found');
      expectFailure(await team.owner.api.post(path, { name: 'New' }), 'not_found');
    },
  );
});
