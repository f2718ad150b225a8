import type { Json } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { dataOf } from '../../support/fixture';
import { httpRequest } from '../../support/http-request';
import { OauthApplication, register, sendForm, tokensOf } from '../../support/oauth-application';
import { TestApp } from '../../support/test-app';

const PUBLIC_URL = 'https://data.example.com';
const VALID = { redirect_uris: ['https://app.example.com/callback'] };

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.alone('It has another URL, and fills the table of applications.', {
    settings: { PUBLIC_URL, MCP: 'off' },
  });
});

afterAll(() => app.close());

const API = { resource: `${PUBLIC_URL}/api/v1/public` };

/** Returns for how long a registration is kept, rounded; `null` if it is deleted. */
async function daysLeft(id: unknown): Promise<number | null> {
  const { rows } = await app.sql.query<{ days: number }>(
    'SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM oauth_clients WHERE id = $1',
    [id],
  );
  return rows[0]?.days ?? null;
}

async function countClients(): Promise<number | undefined> {
  const sql = 'SELECT count(*)::int FROM oauth_clients';
  return (await app.sql.query<{ count: number }>(sql)).rows[0]?.count;
}

/** Replaces all registrations by 10,000 that expire after a time. */
async function flood(after: string): Promise<void> {
  await app.sql.query('DELETE FROM oauth_clients');
  await app.sql.query(
    `INSERT INTO oauth_clients (id, name, redirect_uris, expires_at)
     SELECT gen_random_uuid(), 'Flood', '{}', now() + $1::interval FROM generate_series(1, 10000)`,
    [after],
  );
}

async function newApplication(): Promise<{
  readonly console: ConsoleClient;
  readonly application: OauthApplication;
}> {
  const console = await app.console(await app.newAccount());
  return { console, application: await OauthApplication.registered(app.origin) };
}

const named = (client_name: string): object => ({ ...VALID, client_name });

const INVALID: readonly [string, unknown, string][] = [
  ['no object', [], 'invalid_client_metadata'],
  ['no redirect URI', {}, 'invalid_client_metadata'],
  ['an empty list of redirect URIs', { redirect_uris: [] }, 'invalid_client_metadata'],
  [
    'many redirect URIs',
    { redirect_uris: Array(11).fill('https://a.example/b') },
    'invalid_client_metadata',
  ],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['plain HTTP', { redirect_uris: ['http://a.example/b'] }, 'invalid_redirect_uri'],
  ['a name that runs backwards', { ...VALID, client_name: 'a\u202eb' }, 'invalid_client_metadata'],
  ['a name of a letter that is not shown', named('\u3164'), 'invalid_client_metadata'],
  ['a name with a letter that is not shown', named('a\u1160b'), 'invalid_client_metadata'],
  ['a name of empty Braille', named('\u2800'), 'invalid_client_metadata'],
  ['a name of marks', named('\u0301\u0302'), 'invalid_client_metadata'],
  ['a name of punctuation', named('“”'), 'invalid_client_metadata'],
  ['an empty name', named(' '), 'invalid_client_metadata'],
  ['a long name', { ...VALID, client_name: 'a'.repeat(101) }, 'invalid_client_metadata'],
  ['a name that is no text', { ...VALID, client_name: 5 }, 'invalid_client_metadata'],
  [
    'only another grant',
    { ...VALID, grant_types: ['client_credentials'] },
    'invalid_client_metadata',
  ],
  ['only another response', { ...VALID, response_types: ['token'] }, 'invalid_client_metadata'],
];

describe('the registration of an application', () => {
  it.each(INVALID)('is rejected with %s', async (_, metadata, error) => {
    expect(await register(app.origin, metadata)).toEqual({
      status: 400,
      body: { error, error_description: expect.any(String) },
    });
  });

  it.each(['a\0b', 'a\ud800'])('is rejected with the name %j', async (client_name) => {
    expect(await register(app.origin, { ...VALID, client_name })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  });

  it('names an application without a name by the scheme that its redirect URI has', async () => {
    const redirect_uris = ['com.evil.app://app.example.com/callback'];
    expect(await register(app.origin, { redirect_uris })).toMatchObject({
      body: { client_name: 'com.evil.app' },
    });
  });

  it.each(['Ärzte', '日本', 'R2', 'γ'])('accepts the name %s', async (client_name) => {
    expect(await register(app.origin, named(client_name))).toMatchObject({
      status: 201,
      body: { client_name },
    });
  });

  it('gives no secret, and ignores what it does not know', async () => {
    const more = {
      token_endpoint_auth_method: 'client_secret_basic',
      logo_uri: 'https://a.example',
    };
    expect(await register(app.origin, { ...VALID, ...more })).toEqual({
      status: 201,
      body: {
        client_id: expect.any(String),
        client_id_issued_at: expect.any(Number),
        client_name: 'app.example.com',
        redirect_uris: VALID.redirect_uris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    });
  });

  it('deletes applications without a grant after 30 days', async () => {
    const { body } = await register(app.origin, VALID);
    expect(await daysLeft(body.client_id)).toBe(30);
    await app.sql.query('UPDATE oauth_clients SET expires_at = now() WHERE id = $1', [
      body.client_id,
    ]);
    await register(app.origin, VALID);
    expect(await daysLeft(body.client_id)).toBeNull();
  });

  it('makes room for others in place of those unused longest', async () => {
    await flood('1 hour');
    const { body } = await register(app.origin, VALID);
    expect(await daysLeft(body.client_id)).toBe(30);
    expect(await countClients()).toBe(10_000);
  });

  it('makes room for itself if all others have just registered', async () => {
    await flood('30 days');
    const { body } = await register(app.origin, VALID);
    expect(await daysLeft(body.client_id)).toBe(30);
    expect(await countClients()).toBe(10_000);
  });

  it('works, and works again, if many others are kept for long', async () => {
    await flood('400 days');
    const first = await register(app.origin, VALID);
    const second = await register(app.origin, VALID);
    expect(await daysLeft(first.body.client_id)).toBe(30);
    expect(await daysLeft(second.body.client_id)).toBe(30);
    expect(await countClients()).toBe(10_002);
  });

  it('is kept for a grant from the exchange of the code until the grant is revoked', async () => {
    const { console: session, application } = await newApplication();
    const url = await application.allowed(session, { lifetimeDays: 365 }, API);
    expect(await daysLeft(application.clientId)).toBe(30);
    tokensOf(await application.exchange(url.searchParams.get('code') ?? '', API));
    expect(await daysLeft(application.clientId)).toBe(395);
    const short = await application.tokens(session, { lifetimeDays: 7 }, API);
    expect(await daysLeft(application.clientId)).toBe(395);
    const [, long] = (await session.get('/applications')).body.data as Json[];
    expect((await session.delete(`/applications/${String(long?.id)}`)).status).toBe(204);
    expect(await daysLeft(application.clientId)).toBe(37);
    const form = { token: short.refresh, client_id: application.clientId };
    expect((await sendForm(app.origin, '/oauth/revoke', form)).status).toBe(200);
    expect(await daysLeft(application.clientId)).toBe(30);
  });

  it('is limited for one client address, and documents in its place for one account', async () => {
    const limited = await TestApp.alone('It limits registrations.', {
      settings: { clientRegistrationLimit: 3, connectionTestLimit: 3 },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await register(limited.origin, VALID)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    const id = 'https://localhost/client.json';
    const query = new OauthApplication(limited.origin, id, 'https://localhost/callback').query();
    const identify = async (session: ConsoleClient): Promise<number> =>
      (await session.post('/applications/request', { query })).status;
    const busy = await limited.console(await limited.newAccount());
    for (let n = 0; n < 3; n++) expect(await identify(busy)).toBe(409);
    expect(await identify(busy)).toBe(429);
    expect(await identify(await limited.console(await limited.newAccount()))).toBe(409);
    await limited.close();
  });
});

const get = async (
  { origin }: TestApp,
  path: string,
  host?: string,
): Promise<{ status: number; body: unknown }> => {
  const headers = host === undefined ? {} : { host };
  const { status, text } = await httpRequest(`${origin}/.well-known/${path}`, 'GET', headers);
  return { status, body: JSON.parse(text) as unknown };
};

describe('a service with PUBLIC_URL and without the MCP server', () => {
  it('names its URL in the metadata, whatever host a client sends', async () => {
    for (const host of [undefined, 'localhost', 'evil.example']) {
      expect(await get(app, 'oauth-authorization-server', host)).toMatchObject({
        status: 200,
        body: { issuer: PUBLIC_URL, token_endpoint: `${PUBLIC_URL}/oauth/token` },
      });
    }
    expect((await get(app, 'oauth-protected-resource/mcp')).status).toBe(404);
  });

  it('gives tokens for the API only, and its URL as issuer', async () => {
    const session = await app.console(await app.newAccount());
    const application = await OauthApplication.registered(app.origin);
    const ask = async (resource: string | undefined): Promise<Record<string, unknown>> => {
      const query = application.query({ resource });
      return dataOf(await session.post('/applications/request', { query }), 200);
    };
    const wrong = { problem: 'The resource is not of this installation.' };
    for (const base of [app.origin, PUBLIC_URL])
      expect(await ask(`${base}/mcp`)).toMatchObject(wrong);
    expect(await ask(`${app.origin}/api/v1/public`)).toMatchObject(wrong);
    expect(await ask(undefined)).toMatchObject({ problem: null, audience: 'api' });
    const resource = `${PUBLIC_URL}/api/v1/public`;
    const url = await application.allowed(session, {}, { resource });
    expect(url.searchParams.get('iss')).toBe(PUBLIC_URL);
    const code = url.searchParams.get('code') ?? '';
    const { access } = tokensOf(await application.exchange(code, { resource }));
    expect((await application.api(access).get('/me')).status).toBe(200);
  });
});

describe('a service without PUBLIC_URL', () => {
  let local: TestApp;

  beforeAll(async () => {
    local = await TestApp.shared();
  });

  afterAll(() => local.close());

  it('has metadata on the local machine only', async () => {
    const known = await get(local, 'oauth-authorization-server', 'localhost:3000');
    expect(known).toMatchObject({ status: 200, body: { issuer: 'http://localhost:3000' } });
    const path = 'oauth-protected-resource/mcp';
    for (const host of ['data.example.com', 'localhost.evil.example'])
      expect((await get(local, path, host)).status).toBe(409);
    const { headers } = await httpRequest(`${local.origin}/mcp`, 'POST', { host: 'evil.example' });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });
});
