import {
  auth,
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ConsoleClient } from '../../support/console-client';
import { dataOf } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;
let ids: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  console_ = await app.console(owner);
  ids = await newIds(owner);
});

afterAll(() => app.close());

/** What an assistant remembers between the steps, as the official SDK asks for it. */
class Assistant implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:7777/callback';
  readonly clientMetadata = {
    client_name: 'Assistant',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  page: URL | undefined;
  saved: OAuthTokens | undefined;
  client: OAuthClientInformationMixed | undefined;
  private verifier = '';
  private discovery: OAuthDiscoveryState | undefined;

  state(): string {
    return 'the state of the assistant';
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.saved;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }
  redirectToAuthorization(page: URL): void {
    this.page = page;
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier(): string {
    return this.verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovery = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovery;
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.client = undefined;
    if (scope === 'all' || scope === 'tokens') this.saved = undefined;
  }
}

const connectTo = async (assistant: Assistant): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${app.origin}/mcp`), {
    authProvider: assistant,
  });
  await client.connect(transport);
  return client;
};

describe('an assistant with the official SDK', () => {
  it('connects to the MCP server without a key: it registers, the user allows, it gets tokens', async () => {
    const assistant = new Assistant();
    await expect(connectTo(assistant)).rejects.toThrow(UnauthorizedError);
    const { page } = assistant;
    expect(page?.origin).toBe(app.origin);
    expect(page?.pathname).toBe('/oauth/authorize');
    const query = page?.search.slice(1) ?? '';
    const request = dataOf(await console_.post('/applications/request', { query }), 200);
    expect(request).toMatchObject({
      application: { name: 'Assistant', documentHost: null },
      ...{ redirectHost: 'localhost:7777', isLocal: true, problem: null, audience: 'mcp' },
      scopes: ['workspaces:read', 'datagrids:read', 'rows:read', 'rows:write'],
    });
    const choice = { query, scopes: ['workspaces:read', 'datagrids:read', 'rows:read'] };
    const allowed = await console_.post('/applications', { ...choice, lifetimeDays: 30 });
    const back = new URL(String(dataOf(allowed, 201)['url']));
    expect(back.origin + back.pathname).toBe('http://localhost:7777/callback');
    expect(back.searchParams.get('iss')).toBe(app.origin);
    expect(back.searchParams.get('state')).toBe('the state of the assistant');
    const result = await auth(assistant, {
      serverUrl: `${app.origin}/mcp`,
      authorizationCode: back.searchParams.get('code') ?? '',
      iss: back.searchParams.get('iss') ?? '',
    });
    expect(result).toBe('AUTHORIZED');
    const client = await connectTo(assistant);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('query_rows');
    expect(names).not.toContain('create_rows');
    const { datagridId } = ids;
    const { isError } = await client.callTool({ name: 'query_rows', arguments: { datagridId } });
    expect(isError).not.toBe(true);
    await client.close();
  });

  it('does not send its code if the response is of another issuer', async () => {
    const assistant = new Assistant();
    await expect(connectTo(assistant)).rejects.toThrow(UnauthorizedError);
    const query = assistant.page?.search.slice(1) ?? '';
    const choice = { query, scopes: ['rows:read'], lifetimeDays: 30 };
    const { url } = dataOf(await console_.post('/applications', choice), 201);
    const back = new URL(String(url)).searchParams;
    const finish = (iss: string): Promise<unknown> =>
      auth(assistant, {
        serverUrl: `${app.origin}/mcp`,
        authorizationCode: back.get('code') ?? '',
        iss,
      });
    await expect(finish('https://evil.example')).rejects.toThrow(/issuer/i);
    expect(assistant.saved).toBeUndefined();
    expect(await finish(back.get('iss') ?? '')).toBe('AUTHORIZED');
  });

  it('refreshes its tokens when the access token has expired', async () => {
    const assistant = new Assistant();
    await expect(connectTo(assistant)).rejects.toThrow(UnauthorizedError);
    const query = assistant.page?.search.slice(1) ?? '';
    const choice = { query, scopes: ['rows:read'], lifetimeDays: 30 };
    const { url } = dataOf(await console_.post('/applications', choice), 201);
    const back = new URL(String(url)).searchParams;
    await auth(assistant, {
      serverUrl: `${app.origin}/mcp`,
      authorizationCode: back.get('code') ?? '',
      iss: back.get('iss') ?? '',
    });
    const before = assistant.saved;
    await app.sql.query(
      "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE user_id = $1 AND audience IS NOT NULL",
      [owner.userId],
    );
    const client = await connectTo(assistant);
    expect(assistant.saved?.access_token).not.toBe(before?.access_token);
    expect(assistant.saved?.refresh_token).not.toBe(before?.refresh_token);
    await client.close();
  });

  it('registers again if its registration is gone, and asks the user', async () => {
    const assistant = new Assistant();
    await expect(connectTo(assistant)).rejects.toThrow(UnauthorizedError);
    const before = assistant.client?.client_id;
    assistant.saved = { access_token: 'a', token_type: 'Bearer', refresh_token: 'unknown' };
    await app.sql.query('DELETE FROM oauth_clients WHERE id = $1', [before]);
    await expect(connectTo(assistant)).rejects.toThrow(UnauthorizedError);
    expect(assistant.client?.client_id).not.toBe(before);
    const query = assistant.page?.search.slice(1) ?? '';
    dataOf(await console_.post('/applications/request', { query }), 200);
  });
});

describe('the metadata', () => {
  it('say where tokens for the MCP server and for the API come from', async () => {
    const read = async (path: string): Promise<unknown> => {
      const response = await fetch(`${app.origin}/.well-known/${path}`);
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      return response.json();
    };
    const { origin } = app;
    const mcp = { resource: `${origin}/mcp`, authorization_servers: [origin] };
    expect(await read('oauth-protected-resource')).toMatchObject(mcp);
    expect(await read('oauth-protected-resource/mcp')).toMatchObject(mcp);
    expect(await read('oauth-protected-resource/api/v1/public')).toMatchObject({
      resource: `${origin}/api/v1/public`,
      authorization_servers: [origin],
    });
    expect(await read('oauth-authorization-server')).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      registration_endpoint: `${origin}/oauth/register`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  it('are named by the 401 response of the MCP server, and not of the API', async () => {
    const metadata = `resource_metadata="${app.origin}/.well-known/oauth-protected-resource/mcp", scope="workspaces:read datagrids:read rows:read rows:write"`;
    const sent = async (path: string, headers: Record<string, string>): Promise<unknown> => {
      const response = await fetch(`${app.origin}${path}`, { method: 'POST', headers });
      return [response.status, response.headers.get('www-authenticate')];
    };
    expect(await sent('/mcp', {})).toEqual([401, `Bearer ${metadata}`]);
    const authorization = `Bearer mk_${'a'.repeat(36)}`;
    expect(await sent('/mcp', { authorization })).toEqual([
      401,
      `Bearer error="invalid_token", ${metadata}`,
    ]);
    expect(await sent('/api/v1/public/workspaces', {})).toEqual([401, 'Bearer']);
  });
});

describe('a page of another site', () => {
  const METADATA = [
    'oauth-authorization-server',
    'oauth-protected-resource',
    'oauth-protected-resource/mcp',
    'oauth-protected-resource/api/v1/public',
  ].map((name) => `/.well-known/${name}`);
  const ENDPOINTS = ['/oauth/register', '/oauth/token', '/oauth/revoke'];
  const origin = 'https://tool.example';

  const corsOf = ({ headers }: Response): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

  it('may call the endpoints for programs, without credentials', async () => {
    for (const path of [...METADATA, ...ENDPOINTS]) {
      const asked = await fetch(`${app.origin}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect([path, asked.status, corsOf(asked)]).toEqual([
        path,
        204,
        {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'content-type, mcp-protocol-version',
          'access-control-max-age': '600',
        },
      ]);
    }
    const any = { 'access-control-allow-origin': '*' };
    for (const path of METADATA)
      expect(corsOf(await fetch(`${app.origin}${path}`, { headers: { origin } }))).toEqual(any);
    for (const path of ENDPOINTS) {
      const isJson = path === '/oauth/register';
      const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
      const sent = await fetch(`${app.origin}${path}`, {
        ...{ method: 'POST', headers: { origin, 'content-type': type } },
        body: isJson ? '{}' : 'client_id=a',
      });
      expect([path, corsOf(sent)]).toEqual([path, any]);
    }
  });

  it('can call neither the page of the decision, nor the MCP server, nor the API', async () => {
    for (const path of ['/oauth/authorize', '/mcp', '/api/v1/public/me'])
      for (const method of ['OPTIONS', 'GET']) {
        const headers = { origin, 'access-control-request-method': 'POST' };
        const response = await fetch(`${app.origin}${path}`, { method, headers });
        expect([path, method, corsOf(response)]).toEqual([path, method, {}]);
      }
  });
});
