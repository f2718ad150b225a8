import { MAX_GRANTS_PER_USER } from '../../../src/auth/oauth/grant.service';
import { DatabaseGate } from '../../../src/platform/database/database-gate';
import type { ApiResponse, Json } from '../../support/api-client';
import { CONSOLE, ConsoleClient, sessionHeaders } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newWorkspace, NO_ID } from '../../support/fixture';
import { httpRequest } from '../../support/http-request';
import { newIds } from '../../support/ids';
import { newWorkspaceMember } from '../../support/members';
import { sendMessage } from '../../support/mcp-client';
import { OauthApplication, REDIRECT_URI } from '../../support/oauth-application';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;
let application: OauthApplication;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  console_ = await app.console(owner);
  application = await OauthApplication.registered(app.origin);
});

type Change = Readonly<Record<string, string | undefined>>;

const describeRequest = (change: Change = {}): Promise<ApiResponse> =>
  console_.post('/applications/request', { query: application.query(change) });

const allow = (choice: object = {}, change: Change = {}): Promise<ApiResponse> =>
  console_.post('/applications', {
    query: application.query(change),
    ...{ scopes: ['rows:write'], lifetimeDays: 30 },
    ...choice,
  });

const grantsOf = async (client: ConsoleClient, path = '/applications'): Promise<Json[]> =>
  (await client.get(path)).body.data as Json[];

describe('a request of an application', () => {
  it('is described, and stores nothing', async () => {
    expect(dataOf(await describeRequest(), 200)).toEqual({
      application: { name: 'Assistant', clientId: application.clientId, documentHost: null },
      ...{ redirectHost: 'app.example.com', isLocal: false, problem: null, audience: 'mcp' },
      scopes: ['workspaces:read', 'rows:read', 'rows:write'],
      denyUrl: `${REDIRECT_URI}?${new URLSearchParams({
        ...{ error: 'access_denied', state: 'a state', iss: app.origin },
      }).toString()}`,
    });
    expect(await grantsOf(console_)).toEqual([]);
  });

  it('that is allowed leads back with a code, the state and the issuer', async () => {
    const url = new URL(String(dataOf(await allow(), 201)['url']));
    expect(url.origin + url.pathname).toBe(REDIRECT_URI);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ code: expect.stringMatching(/^[\w-]{43}$/), state: 'a state', iss: app.origin },
    });
  });

  it.each<[string, Change]>([
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a path below the redirect URI', { redirect_uri: `${REDIRECT_URI}/x` }],
    ['the redirect URI with a query', { redirect_uri: `${REDIRECT_URI}?x=1` }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['a script as redirect URI', { redirect_uri: 'javascript:alert(1)' }],
    ['an unknown application', { client_id: NO_ID }],
    ['a malformed application', { client_id: "'\0" }],
    ['no application', { client_id: undefined }],
    ['a long state', { state: 'a'.repeat(2_001) }],
  ])('with %s gets no response, and cannot be allowed', async (_, change) => {
    expectFailure(await describeRequest(change), 'conflict');
    expectFailure(await allow({}, change), 'conflict');
  });

  it('with a parameter twice gets no response', async () => {
    const query = `${application.query()}&redirect_uri=https%3A%2F%2Fevil.example`;
    expectFailure(await console_.post('/applications/request', { query }), 'conflict');
  });

  it.each<[string, Change, string]>([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method of PKCE', { code_challenge_method: undefined }, 'invalid_request'],
    ['a malformed challenge', { code_challenge: 'a' }, 'invalid_request'],
    ['a fragment as response', { response_mode: 'fragment' }, 'invalid_request'],
    ['the resource of another host', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['unknown scopes', { scope: 'everything' }, 'invalid_scope'],
    ['a request object', { request: 'a' }, 'request_not_supported'],
  ])(
    'with %s cannot be allowed, and is not sent back without a click',
    async (_, change, error) => {
      const view = dataOf(await describeRequest(change), 200);
      expect(view).toMatchObject({ problem: expect.any(String), scopes: [] });
      const back = new URL(String(view['denyUrl']));
      expect(back.origin + back.pathname).toBe(REDIRECT_URI);
      expect(Object.fromEntries(back.searchParams)).toMatchObject({
        ...{ error, state: 'a state', iss: app.origin },
      });
      expectFailure(await allow({}, change), 'conflict');
    },
  );

  it.each<[string, Change, readonly string[]]>([
    ['scopes', { scope: 'rows:write' }, ['rows:read', 'rows:write']],
    [
      'scopes of which one is unknown',
      { scope: 'links:read unknown' },
      ['rows:read', 'links:read'],
    ],
    [
      'no scopes, for the MCP server',
      { scope: undefined },
      ['workspaces:read', 'datagrids:read', 'rows:read', 'rows:write'],
    ],
    [
      'no scopes, for the API',
      { scope: undefined, resource: 'API' },
      [
        ...['workspaces:read', 'datagrids:read', 'rows:read', 'views:read', 'links:read'],
        ...['webhooks:read', 'connections:read'],
      ],
    ],
  ])('with %s asks for all that these include', async (_, change, scopes) => {
    const resource = change['resource'] === 'API' ? `${app.origin}/api/v1/public` : undefined;
    expect(dataOf(await describeRequest({ ...change, resource }), 200)).toMatchObject({ scopes });
    const included = { scopes: scopes.slice(0, 1) };
    expect((await allow(included, { ...change, resource })).status).toBe(201);
  });

  it('names the scheme of an application, and not what looks like its host', async () => {
    const uri = 'com.evil.app://app.example.com/callback';
    application = await OauthApplication.registered(app.origin, uri);
    const view = { redirectHost: 'com.evil.app', isLocal: true };
    expect(dataOf(await describeRequest(), 200)).toMatchObject(view);
  });

  it('may name the port of a program on the machine of the user', async () => {
    application = await OauthApplication.registered(app.origin, 'http://localhost:1/callback');
    const redirect_uri = 'http://localhost:4567/callback';
    const url = String(dataOf(await allow({}, { redirect_uri }), 201)['url']);
    expect(url.startsWith(`${redirect_uri}?code=`)).toBe(true);
  });
});

describe('what a user allows', () => {
  it('is at most what the application asked for', async () => {
    expectFailure(await allow({ scopes: ['rows:write', 'webhooks:read'] }), 'invalid_request', [
      'scopes not_a_choice',
    ]);
  });

  it('is at most what the user may do', async () => {
    const viewer = await app.newUser(owner.accountId, 'viewer');
    console_ = await app.console(viewer);
    expectFailure(await allow(), 'invalid_request', ['scopes not_a_choice']);
    expect((await allow({ scopes: ['workspaces:read'] })).status).toBe(201);
  });

  it('is at most where the user may do it', async () => {
    const [own, other] = [await newIds(owner), await newIds(owner)];
    const grant = { workspaceId: own.workspaceId, role: 'editor' };
    const member = await newWorkspaceMember(app, console_, owner, grant);
    const stranger = await newIds(await app.newAccount());
    console_ = await app.console(member);
    expectFailure(await allow({ workspaceIds: [other.workspaceId] }), 'invalid_request', [
      'workspaceIds not_a_choice',
    ]);
    expectFailure(await allow({ datagridIds: [stranger.datagridId] }), 'invalid_request', [
      'datagridIds unknown_datagrid',
    ]);
    expect((await allow({ workspaceIds: [own.workspaceId] })).status).toBe(201);
  });

  it.each<[object, string]>([
    [{ scopes: [] }, 'scopes not_a_choice'],
    [{ scopes: null }, 'scopes not_a_choice'],
    [{ scopes: ['users:write'] }, 'scopes not_a_choice'],
    [{ lifetimeDays: 0 }, 'lifetimeDays out_of_range'],
    [{ lifetimeDays: 366 }, 'lifetimeDays out_of_range'],
    [{ lifetimeDays: null }, 'lifetimeDays out_of_range'],
    [{ query: 'a'.repeat(8_001) }, 'query out_of_range'],
    [{ query: 5 }, 'query wrong_type'],
    [{ workspaceIds: [] }, 'workspaceIds invalid_format'],
  ])('is rejected with %j', async (choice, detail) => {
    expectFailure(await allow(choice), 'invalid_request', [detail]);
  });

  it('is bounded for one user', async () => {
    await allow();
    await app.sql.query(
      `WITH one AS (SELECT * FROM oauth_grants WHERE user_id = $1 LIMIT 1),
       keys AS (INSERT INTO api_keys (id, user_id, name, hash, prefix, last_four, audience, scopes)
         SELECT gen_random_uuid(), user_id, 'x', sha256(n::text::bytea || uuid_send(user_id)), '', '', 'mcp', '{rows:read}'
         FROM one, generate_series(2, $2::int) n RETURNING id)
       INSERT INTO oauth_grants (id, user_id, client_id, redirect_uri, resource, code_hash, code_challenge, code_expires_at, code_used_at, expires_at)
         SELECT keys.id, user_id, client_id, redirect_uri, resource, uuid_send(keys.id), code_challenge, now(), now(), now() + interval '1 day'
         FROM keys, one`,
      [owner.userId, MAX_GRANTS_PER_USER],
    );
    expectFailure(await allow(), 'quota_exceeded');
    const [grant] = await grantsOf(console_);
    expect((await console_.delete(`/applications/${String(grant?.id)}`)).status).toBe(204);
    expect((await allow()).status).toBe(201);
  });

  it('leaves nothing behind if no code is exchanged', async () => {
    for (let n = 0; n < 25; n++) await allow();
    await app.sql.query('UPDATE oauth_grants SET code_expires_at = now() WHERE user_id = $1', [
      owner.userId,
    ]);
    await allow();
    const { rows } = await app.sql.query(
      'SELECT count(*)::int FROM oauth_grants JOIN api_keys USING (id) WHERE oauth_grants.user_id = $1',
      [owner.userId],
    );
    expect(rows).toEqual([{ count: 21 }]);
    expect(await grantsOf(console_)).toEqual([]);
  });
});

describe('a page of another site', () => {
  it('can neither allow a request nor read what it asks for', async () => {
    const path = `${app.origin}${CONSOLE}/applications`;
    const body = JSON.stringify({
      ...{ query: application.query(), scopes: ['rows:write'], lifetimeDays: 30 },
    });
    const usual = { ...sessionHeaders(console_.token ?? ''), 'content-type': 'application/json' };
    const send = async (headers: Record<string, string>): Promise<number> =>
      (await httpRequest(path, 'POST', headers, body)).status;
    const { 'x-csrf-token': _, ...withoutToken } = usual as Record<string, string>;
    expect(await send(withoutToken)).toBe(403);
    expect(await send({ ...usual, 'x-csrf-token': 'a' })).toBe(403);
    expect(await send({ ...usual, origin: 'https://evil.example' })).toBe(403);
    expect(await send({ ...usual, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await send({ ...usual, 'content-type': 'text/plain' })).toBe(415);
    expect(await grantsOf(console_)).toEqual([]);
    expect(await send(usual)).toBe(201);
  });

  it('cannot show the page of the decision in a frame', async () => {
    const response = await fetch(`${app.origin}/oauth/authorize?${application.query()}`);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('gets nothing without a session, or with an API key', async () => {
    const body = { query: application.query() };
    const nobody = new ConsoleClient(app.origin);
    expectFailure(await nobody.post('/applications/request', body), 'unauthenticated');
    const { status } = await httpRequest(
      `${app.origin}${CONSOLE}/applications/request`,
      'POST',
      { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      JSON.stringify(body),
    );
    expect(status).toBe(401);
  });
});

describe('the list of applications', () => {
  const connect = async (member: Member): Promise<string> =>
    (await application.tokens(await app.console(member))).access;

  const mcpStatus = async (token: string): Promise<number> =>
    (await sendMessage(app.origin, token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status;

  it('has those of the user, who can revoke them', async () => {
    const token = await connect(owner);
    const [grant, ...others] = await grantsOf(console_);
    expect(others).toEqual([]);
    expect(grant).toEqual({
      id: expect.any(String),
      ...{ name: 'Assistant', clientId: application.clientId, documentHost: null },
      ...{ redirectUri: REDIRECT_URI, audience: 'mcp', scopes: ['rows:read', 'rows:write'] },
      ...{ workspaceIds: null, datagridIds: null, lastUsedAt: null },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      user: { id: owner.userId, email: owner.email },
    });
    expect(await mcpStatus(token)).toBe(200);
    expect((await console_.delete(`/applications/${String(grant?.id)}`)).status).toBe(204);
    expect(await mcpStatus(token)).toBe(401);
    expect(await grantsOf(console_)).toEqual([]);
    expectFailure(await console_.delete(`/applications/${String(grant?.id)}`), 'not_found');
    const events = (await console_.get('/data/audit-events?limit=2')).body.data as Json[];
    expect(events).toMatchObject([
      { action: 'application_revoked', details: { reason: 'by_user' }, by: { via: 'console' } },
      {
        action: 'application_authorized',
        target: { kind: 'application', id: grant?.id, name: 'Assistant' },
        details: {
          ...{ user: owner.email, clientId: application.clientId, redirectUri: REDIRECT_URI },
          ...{ resource: `${app.origin}/mcp`, scopes: 'rows:read rows:write' },
        },
      },
    ]);
  });

  it('of the account has pages', async () => {
    await connect(owner);
    await connect(owner);
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        console_.get(`/applications/of-account?limit=1&page=${String(page)}`),
      ),
    );
    const [first, second, third] = pages.map(({ body }) => body.data as Json[]);
    expect([first, second, third].map((page) => page?.length)).toEqual([1, 1, 0]);
    expect(first?.[0]?.['id']).not.toBe(second?.[0]?.['id']);
    expect(pages[0]?.body.meta).toMatchObject({ total: 2, totalPages: 2 });
  });

  it('has each workspace once that the access is limited to', async () => {
    const workspace = await newWorkspace(owner.api);
    await application.tokens(console_, { workspaceIds: [workspace, workspace.toUpperCase()] });
    expect(await grantsOf(console_)).toMatchObject([{ workspaceIds: [workspace] }]);
  });

  it('is authorized within the share of the account of database connections', async () => {
    const enter = jest.spyOn(app.nest.get(DatabaseGate, { strict: false }), 'run');
    await application.allowed(console_);
    const { accountId } = owner;
    expect(enter.mock.calls.map(([holder]) => holder)).toEqual([accountId, accountId]);
    enter.mockRestore();
  });

  it('of the account has those of all users, for its owners', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const token = await connect(member);
    const session = await app.console(member);
    expect(await grantsOf(console_)).toEqual([]);
    const [grant] = await grantsOf(console_, '/applications/of-account');
    expect(grant?.user).toEqual({ id: member.userId, email: member.email });
    const id = String(grant?.id);
    expectFailure(await console_.delete(`/applications/${id}`), 'not_found');
    expectFailure(await session.get('/applications/of-account'), 'forbidden');
    expectFailure(await session.delete(`/applications/of-account/${id}`), 'forbidden');
    const stranger = await app.console(await app.newAccount());
    expect(await grantsOf(stranger, '/applications/of-account')).toEqual([]);
    expectFailure(await stranger.delete(`/applications/of-account/${id}`), 'not_found');
    expect(await mcpStatus(token)).toBe(200);
    expect((await console_.delete(`/applications/of-account/${id}`)).status).toBe(204);
    expect(await mcpStatus(token)).toBe(401);
  });
});
