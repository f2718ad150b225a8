import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { CallerService } from '../../../src/auth/caller.service';
import { hashSecretToken } from '../../../src/auth/secret-token';
import { UserService } from '../../../src/auth/user/user.service';
import type { Caller } from '../../../src/common/caller/app-request';
import type { Json } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { sendMessage } from '../../support/mcp-client';
import { OauthApplication, sendForm, tokensOf } from '../../support/oauth-application';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;
let application: OauthApplication;
let ids: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  console_ = await app.console(owner);
  ids = await newIds(owner);
});

afterAll(() => app.close());

beforeEach(async () => {
  // A user can authorize 50 applications.
  await app.sql.query(
    'UPDATE api_keys SET revoked_at = now() WHERE user_id = $1 AND audience IS NOT NULL',
    [owner.userId],
  );
  application = await OauthApplication.registered(app.origin);
});

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const mcpStatus = async (token: string): Promise<number> =>
  (await sendMessage(app.origin, token, PING)).status;

const API_RESOURCE = (): { resource: string } => ({ resource: `${app.origin}/api/v1/public` });

const lastEvents = async (count: number): Promise<Json[]> =>
  (await console_.get(`/data/audit-events?limit=${String(count)}`)).body.data as Json[];

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

describe('the tokens of an application', () => {
  it('have the chosen scopes with those that these include, and a lifetime of an hour', async () => {
    const response = await application.exchange(await application.code(console_));
    expect(response).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^mk_\w{36}$/),
        token_type: 'Bearer',
        expires_in: 3_600,
        refresh_token: expect.stringMatching(/^mr_[\w-]{86}$/),
        scope: 'rows:read rows:write',
      },
    });
  });

  it('are for the MCP server or for the API, as the resource says', async () => {
    const mcp = await application.tokens(console_);
    expect(await mcpStatus(mcp.access)).toBe(200);
    expectFailure(await application.api(mcp.access).get('/me'), 'unauthenticated');
    const api = await application.tokens(console_, {}, API_RESOURCE());
    expect(await mcpStatus(api.access)).toBe(401);
    expect((await application.api(api.access).get('/me')).status).toBe(200);
    const session = await fetch(`${app.origin}/console/api/session`, {
      headers: { authorization: `Bearer ${api.access}` },
    });
    expect(session.status).toBe(401);
  });

  it('allow what a limited key with the same limits allows', async () => {
    const { workspaceId, datagridId } = ids;
    const choice = { scopes: ['rows:read'], datagridIds: [datagridId] };
    const change = { ...API_RESOURCE(), scope: 'rows:read' };
    const api = application.api((await application.tokens(console_, choice, change)).access);
    expect((await api.get(`/datagrids/${datagridId}/rows`)).status).toBe(200);
    expectFailure(
      await api.get(`/datagrids/${(await newIds(owner)).datagridId}/rows`),
      'not_found',
    );
    expectFailure(await api.get(`/workspaces/${workspaceId}`), 'forbidden');
    expectFailure(await api.post(`/datagrids/${datagridId}/rows`, { values: {} }), 'forbidden');
    expect((await api.get('/me')).body.data).toMatchObject({
      key: { name: 'Assistant', scopes: ['rows:read'], datagridIds: [datagridId] },
    });
  });

  it('lose what the user loses', async () => {
    const admin = await app.newUser(owner.accountId, 'admin');
    const choice = { scopes: ['rows:write'] };
    const { access } = await application.tokens(await app.console(admin), choice, API_RESOURCE());
    const path = `/datagrids/${ids.datagridId}/rows`;
    expect((await application.api(access).post(path, { values: {} })).status).toBe(201);
    dataOf(await console_.patch(`/users/${admin.userId}`, { role: 'viewer' }), 200);
    expectFailure(await application.api(access).post(path, { values: {} }), 'forbidden');
    expect((await application.api(access).get(path)).status).toBe(200);
  });

  it('do not work, and are not refreshed, while the user is suspended', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const { access, refresh } = await application.tokens(await app.console(member));
    const pending = await application.code(await app.console(member));
    await app.nest.get(UserService).setSuspended(member.email, true);
    expect(await mcpStatus(access)).toBe(403);
    expect(await application.refresh(refresh)).toMatchObject(INVALID_GRANT);
    expect(await application.exchange(pending)).toMatchObject(INVALID_GRANT);
    await app.nest.get(UserService).setSuspended(member.email, false);
    expect(await mcpStatus(access)).toBe(200);
    tokensOf(await application.refresh(refresh));
  });

  it('are not stored, and are in no log or audit event', async () => {
    const code = await application.code(console_);
    const { access, refresh } = tokensOf(await application.exchange(code));
    const { rows } = await app.sql.query(
      'SELECT k::text, g::text, (SELECT string_agg(e::text, $2) FROM audit_events e WHERE account_id = $1) FROM api_keys k JOIN oauth_grants g USING (id)',
      [owner.accountId, ' '],
    );
    const seen = JSON.stringify([rows, app.logs]);
    for (const secret of [code, access, refresh, refresh.slice(3, 46), refresh.slice(46)])
      expect(seen).not.toContain(secret);
  });

  it('are those of an application in the audit log', async () => {
    const choice = { scopes: ['workspaces:write'] };
    const change = { ...API_RESOURCE(), scope: 'workspaces:write' };
    const { access } = await application.tokens(console_, choice, change);
    dataOf(await application.api(access).post('/workspaces', { name: 'A' }), 201);
    const by = { email: owner.email, keyName: 'Assistant' };
    expect(await lastEvents(1)).toMatchObject([
      { action: 'workspace_created', by: { ...by, via: 'application' } },
    ]);
    // A grant that is over is deleted some time.
    await app.sql.query(
      `WITH k AS (SELECT id FROM api_keys WHERE hash = $1),
         g AS (DELETE FROM oauth_grants WHERE id IN (SELECT id FROM k))
       DELETE FROM api_keys WHERE id IN (SELECT id FROM k)`,
      [hashSecretToken(access)],
    );
    expect(await lastEvents(1)).toMatchObject([
      { action: 'workspace_created', by: { keyName: null, via: 'application' } },
    ]);
  });

  it('are not API keys: no list has them, and they take no room of keys', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const session = await app.console(member);
    await app.withSettings({ MAX_KEYS_PER_USER: '1' }, async () => {
      await application.tokens(session);
      expect((await session.get('/keys')).body.data).toHaveLength(1);
      expectFailure(await session.post('/keys', { name: 'Second' }), 'quota_exceeded');
    });
    const [grant] = (await session.get('/applications')).body.data as Json[];
    expectFailure(await session.delete(`/keys/${String(grant?.id)}`), 'not_found');
    expectFailure(
      await session.post(`/keys/${String(grant?.id)}/rotation`, { keepForSeconds: 0 }),
      'not_found',
    );
    expectFailure(await session.get(`/keys/${String(grant?.id)}/usage`), 'not_found');
  });
});

describe('an authorization code', () => {
  it('works once: a second use revokes what the first one got', async () => {
    const code = await application.code(console_);
    const { access, refresh } = tokensOf(await application.exchange(code));
    expect(await mcpStatus(access)).toBe(200);
    expect(await application.exchange(code)).toMatchObject(INVALID_GRANT);
    expect(await mcpStatus(access)).toBe(401);
    expect(await application.refresh(refresh)).toMatchObject(INVALID_GRANT);
    expect(await lastEvents(1)).toMatchObject([
      {
        action: 'application_revoked',
        by: { via: 'service' },
        target: { kind: 'application', name: 'Assistant' },
        details: { reason: 'code_reused', user: owner.email, clientId: application.clientId },
      },
    ]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['no code verifier', { code_verifier: undefined }],
    ['another code verifier', { code_verifier: 'a'.repeat(43) }],
    ['another application', { client_id: 'https://evil.example/client' }],
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
  ])('does not revoke what it got if somebody uses it again with %s', async (_, change) => {
    const code = await application.code(console_);
    const { access, refresh } = tokensOf(await application.exchange(code));
    expect(await application.exchange(code, change)).toMatchObject(INVALID_GRANT);
    expect(await mcpStatus(access)).toBe(200);
    tokensOf(await application.refresh(refresh));
  });

  it('gives tokens to one of many exchanges at the same time', async () => {
    const code = await application.code(console_);
    const all = await Promise.all(Array.from({ length: 5 }, () => application.exchange(code)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['no code verifier', { code_verifier: undefined }],
    ['another code verifier', { code_verifier: 'a'.repeat(43) }],
    ['a short code verifier', { code_verifier: 'a' }],
    ['the resource of another host', { resource: 'https://evil.example/mcp' }],
    ['another resource of this installation', { resource: 'API' }],
    ['another application', { client_id: 'https://evil.example/client' }],
    ['another code', { code: 'a'.repeat(43) }],
    ['a malformed code', { code: "a'\0" }],
    ['no code', { code: undefined }],
  ])('is not exchanged with %s', async (_, change) => {
    const code = await application.code(console_);
    const sent = change['resource'] === 'API' ? API_RESOURCE() : change;
    expect(await application.exchange(code, sent)).toMatchObject(INVALID_GRANT);
    tokensOf(await application.exchange(code));
  });

  it('is not exchanged by another application that has it', async () => {
    const thief = await OauthApplication.registered(app.origin);
    const code = await application.code(console_);
    const { verifier: code_verifier } = application;
    expect(await thief.exchange(code, { code_verifier })).toMatchObject(INVALID_GRANT);
  });

  it('expires after a minute', async () => {
    const code = await application.code(console_);
    await app.sql.query(
      "UPDATE oauth_grants SET code_expires_at = code_expires_at - interval '61 seconds' WHERE client_id = $1",
      [application.clientId],
    );
    expect(await application.exchange(code)).toMatchObject(INVALID_GRANT);
  });
});

describe('a refresh token', () => {
  it('is replaced by each refresh, like the access token', async () => {
    const first = await application.tokens(console_);
    const second = tokensOf(await application.refresh(first.refresh));
    expect(await mcpStatus(first.access)).toBe(401);
    expect(await mcpStatus(second.access)).toBe(200);
    const third = tokensOf(await application.refresh(second.refresh));
    expect(await mcpStatus(third.access)).toBe(200);
  });

  it('ends, when it is used, what runs with the previous access token', async () => {
    const tokens = app.nest.get(ApiKeyService, { strict: false });
    const callers = app.nest.get(CallerService, { strict: false });
    const requireStill = async (token: string): Promise<void> => {
      const caller = admitted.get(token);
      if (!caller) throw new Error('The token was not accepted.');
      await callers.requireStill(caller, 'rows:read');
    };
    const admitted = new Map<string, Caller | null>();
    const admit = async (token: string): Promise<void> => {
      admitted.set(token, await tokens.authenticate(hashSecretToken(token).toString('hex')));
    };
    const first = await application.tokens(console_);
    await admit(first.access);
    await requireStill(first.access);
    const second = tokensOf(await application.refresh(first.refresh));
    await admit(second.access);
    await requireStill(second.access);
    await expect(requireStill(first.access)).rejects.toThrow('The token is no longer valid.');
  });

  it('is used at most 10 times a minute, and stays valid beyond that', async () => {
    const session = await app.console(await app.newUser(owner.accountId, 'editor'));
    let { refresh } = await application.tokens(session);
    for (let n = 0; n < 10; n++) ({ refresh } = tokensOf(await application.refresh(refresh)));
    for (let n = 0; n < 2; n++) {
      expect(await application.refresh(refresh)).toMatchObject({
        status: 429,
        body: { error: { code: 'rate_limited' } },
      });
    }
    const other = await application.tokens(session);
    tokensOf(await application.refresh(other.refresh));
    expect((await session.get('/applications')).body.data).toHaveLength(2);
  });

  it('revokes the grant if it is used again', async () => {
    const first = await application.tokens(console_);
    const second = tokensOf(await application.refresh(first.refresh));
    expect(await application.refresh(first.refresh)).toMatchObject(INVALID_GRANT);
    expect(await mcpStatus(second.access)).toBe(401);
    expect(await application.refresh(second.refresh)).toMatchObject(INVALID_GRANT);
    expect(await lastEvents(1)).toMatchObject([
      { action: 'application_revoked', details: { reason: 'refresh_token_reused' } },
    ]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another application', { client_id: 'https://evil.example/client' }],
    ['the resource of another host', { resource: 'https://evil.example/mcp' }],
    ['a malformed token', { refresh_token: "mr_'\0" }],
    ['an access token', { refresh_token: `mk_${'a'.repeat(36)}` }],
    ['no token', { refresh_token: undefined }],
  ])('is not accepted with %s, which does not revoke the grant', async (_, change) => {
    const { refresh } = await application.tokens(console_);
    expect(await application.refresh(refresh, change)).toMatchObject(INVALID_GRANT);
    tokensOf(await application.refresh(refresh));
  });

  it('does not give scopes that the user did not grant', async () => {
    const { refresh } = await application.tokens(console_);
    const more = { scope: 'rows:write workspaces:write' };
    expect(await application.refresh(refresh, more)).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const { body } = await application.refresh(refresh, { scope: 'rows:read' });
    expect(body.scope).toBe('rows:read rows:write');
  });

  it('does not outlive the grant, and neither does the access token', async () => {
    const { access, refresh } = await application.tokens(console_, { lifetimeDays: 1 });
    const seconds = "interval '86399 seconds'";
    await app.sql.query(
      `UPDATE oauth_grants SET expires_at = expires_at - ${seconds} + interval '10 minutes' WHERE client_id = $1`,
      [application.clientId],
    );
    const { body } = await application.refresh(refresh);
    expect(body.expires_in).toBeLessThanOrEqual(601);
    expect(await mcpStatus(access)).toBe(401);
    await app.sql.query('UPDATE oauth_grants SET expires_at = now() WHERE client_id = $1', [
      application.clientId,
    ]);
    expect(await application.refresh(String(body.refresh_token))).toMatchObject(INVALID_GRANT);
  });
});

describe('the token endpoint', () => {
  const INVALID_CLIENT = { status: 400, body: { error: 'invalid_client' } };

  it('tells an application whose registration is gone to register again', async () => {
    const { access, refresh } = await application.tokens(console_);
    const code = await application.code(console_);
    await app.sql.query('DELETE FROM oauth_clients WHERE id = $1', [application.clientId]);
    const next = tokensOf(await application.refresh(refresh));
    expect(await mcpStatus(access)).toBe(401);
    for (const token of [refresh, next.refresh, 'unknown'])
      expect(await application.refresh(token)).toMatchObject(INVALID_CLIENT);
    expect(await application.exchange('a'.repeat(43))).toMatchObject(INVALID_CLIENT);
    tokensOf(await application.exchange(code));
  });

  it.each(['a', NO_ID])('does not know the application %j', async (client_id) => {
    const { refresh } = await application.tokens(console_);
    expect(await application.refresh(refresh, { client_id })).toMatchObject(INVALID_CLIENT);
    tokensOf(await application.refresh(refresh));
  });

  it.each<[string, string, string]>([
    ['no parameters', '', 'invalid_request'],
    ['no application', 'grant_type=refresh_token', 'invalid_request'],
    ['another grant type', 'grant_type=password&client_id=a', 'unsupported_grant_type'],
    [
      'credentials of a client',
      'grant_type=client_credentials&client_id=a',
      'unsupported_grant_type',
    ],
    ['a parameter twice', 'grant_type=refresh_token&client_id=a&client_id=b', 'invalid_request'],
    [
      'a long parameter',
      `grant_type=refresh_token&client_id=${'a'.repeat(2_001)}`,
      'invalid_request',
    ],
    ['a name that objects inherit', 'grant_type=__proto__&client_id=a', 'unsupported_grant_type'],
  ])('rejects %s', async (_, form, error) => {
    expect(await sendForm(app.origin, '/oauth/token', form)).toEqual({
      status: 400,
      body: { error, error_description: expect.any(String) },
    });
  });

  it('rejects JSON and large bodies', async () => {
    const send = (type: string, body: string): Promise<Response> =>
      fetch(`${app.origin}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
    expect((await send('application/json', '{}')).status).toBe(415);
    const form = 'application/x-www-form-urlencoded';
    expect((await send(form, 'a'.repeat(17 * 1024))).status).toBe(413);
  });
});

describe('a revocation by the application', () => {
  it.each(['access', 'refresh'] as const)('ends the grant of an %s token', async (kind) => {
    const tokens = await application.tokens(console_);
    const form = { token: tokens[kind], client_id: application.clientId };
    expect(await sendForm(app.origin, '/oauth/revoke', form)).toEqual({ status: 200, body: {} });
    expect(await mcpStatus(tokens.access)).toBe(401);
    expect(await application.refresh(tokens.refresh)).toMatchObject(INVALID_GRANT);
    expect(await lastEvents(1)).toMatchObject([
      { action: 'application_revoked', details: { reason: 'by_application' } },
    ]);
  });

  it('does nothing for unknown tokens, API keys, and tokens of other applications', async () => {
    const { access } = await application.tokens(console_);
    const { clientId: client_id } = await OauthApplication.registered(app.origin);
    for (const form of [
      { token: access, client_id },
      { token: access },
      { token: owner.key, client_id },
      { token: 'unknown', client_id },
      { client_id },
    ]) {
      expect(await sendForm(app.origin, '/oauth/revoke', form)).toEqual({ status: 200, body: {} });
    }
    expect(await mcpStatus(access)).toBe(200);
    expect((await owner.api.get('/me')).status).toBe(200);
  });
});
