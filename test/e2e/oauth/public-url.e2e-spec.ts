import { dataOf } from '../../support/fixture';
import { httpRequest } from '../../support/http-request';
import { OauthApplication, tokensOf } from '../../support/oauth-application';
import { TestApp } from '../../support/test-app';

const PUBLIC_URL = 'https://data.example.com';

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
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.alone('It has another URL.', { settings: { PUBLIC_URL, MCP: 'off' } });
  });

  afterAll(() => app.close());

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
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.shared();
  });

  afterAll(() => app.close());

  it('has metadata on the local machine only', async () => {
    const local = await get(app, 'oauth-authorization-server', 'localhost:3000');
    expect(local).toMatchObject({ status: 200, body: { issuer: 'http://localhost:3000' } });
    const path = 'oauth-protected-resource/mcp';
    for (const host of ['data.example.com', 'localhost.evil.example'])
      expect((await get(app, path, host)).status).toBe(409);
    const { headers } = await httpRequest(`${app.origin}/mcp`, 'POST', { host: 'evil.example' });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });
});
