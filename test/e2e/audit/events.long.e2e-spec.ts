import { AccountService } from '../../../src/auth/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { AUDIT_ACTIONS } from '../../../src/auth/audit/audit-action';
import { ScimTokenService } from '../../../src/auth/scim-token/scim-token.service';
import { UserService } from '../../../src/auth/user/user.service';
import { ProviderRuleService } from '../../../src/auth/provider/provider-rule.service';
import { PurgeService } from '../../../src/rows/purge/purge.service';
import type { Json } from '../../support/api-client';
import { AuthenticatorApp } from '../../support/authenticator-app';
import { ConsoleClient, cookieOf } from '../../support/console-client';
import { ScimClient } from '../../support/scim-client';
import { FAKE_SETTINGS } from '../../support/fake-destination';
import {
  dataOf,
  newConnection,
  newDatagrid,
  newView,
  newWorkspace,
  RFC3339,
} from '../../support/fixture';
import { OauthApplication } from '../../support/oauth-application';
import { OpenidProvider, signInBy } from '../../support/openid-provider';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const WRONG = 'a wrong password';

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;
let secrets: string[];
/** Actions of the events that a test has checked. */
const seen = new Set<string>();

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

async function begin(): Promise<void> {
  owner = await app.newAccount('Audited');
  console_ = await app.console(owner);
  secrets = [PASSWORD, WRONG, owner.key];
}

beforeEach(begin);

/** Returns all events of the account, oldest first. */
async function events(): Promise<Json[]> {
  const { data, meta } = (await console_.get('/data/audit-events?limit=200')).body;
  expect(meta).toEqual({ pageSize: data.length, nextCursor: null });
  return [...data].reverse();
}

/** Runs `work` and returns the events that it adds. */
async function newEvents(work: () => Promise<unknown>): Promise<Json[]> {
  const before = (await events()).length;
  await work();
  const made = (await events()).slice(before);
  for (const { action } of made) seen.add(action);
  return made;
}

const byKey = (): object => ({
  via: 'key',
  userId: owner.userId,
  email: owner.email,
  keyId: owner.keyId,
  keyName: 'test',
});
const byConsole = (): object => ({
  via: 'console',
  userId: owner.userId,
  email: owner.email,
  keyId: null,
  keyName: null,
});
const by = (via: string): object => ({
  via,
  userId: null,
  email: null,
  keyId: null,
  keyName: null,
});

const event = (action: string, who: object, target: object, details: object = {}): object => ({
  id: expect.any(String),
  at: expect.stringMatching(RFC3339),
  action,
  by: who,
  target,
  details,
  address: null,
});

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function invited(): Promise<{ id: string; email: string; token: string }> {
  const email = `invited-${idOf(owner.userId)}@example.com`;
  const { user, url } = dataOf(await console_.post('/users', { email, role: 'editor' }), 201);
  const token = idOf(new URL(url).pathname);
  secrets.push(token);
  return { id: user.id, email, token };
}

const notYetRun = new Map<string, () => Promise<void>>();

/** Declares a test, so that the last test can run it if it has not run. */
function testEvents(name: string, test: () => Promise<void>): void {
  notYetRun.set(name, test);
  it(name, async () => {
    await test();
    notYetRun.delete(name);
  });
}

describe('the audit log', () => {
  testEvents('records when an operator creates, suspends and resumes an account', async () => {
    const accounts = app.nest.get(AccountService);
    const target = { kind: 'account', id: owner.accountId, name: 'Audited' };
    const [made, user, key] = await events();
    expect(made).toEqual(event('account_created', by('operator'), target));
    expect([user.action, key.action]).toEqual(['user_created', 'key_created']);
    for (const { action } of [made, user, key]) seen.add(action);
    const found = await newEvents(async () => {
      await accounts.setSuspended(owner.accountId, true);
      await accounts.setSuspended(owner.accountId, false);
    });
    expect(found).toEqual([
      event('account_suspended', by('operator'), target),
      event('account_resumed', by('operator'), target),
    ]);
  });

  testEvents('records invites, role changes, suspensions and resumptions of users', async () => {
    let user = { id: '', email: '' };
    const found = await newEvents(async () => {
      user = await invited();
      dataOf(await console_.post(`/users/${user.id}/invite`), 201);
      for (const change of [
        { role: 'admin' },
        { role: 'admin' },
        { suspended: true },
        { suspended: false, role: 'viewer' },
        { workspaceRoles: [] },
      ]) {
        dataOf(await console_.patch(`/users/${user.id}`, change), 200);
      }
      await app.nest.get(UserService).setRole(user.email, 'editor');
    });
    const target = { kind: 'user', id: user.id, name: user.email };
    const who = byConsole();
    expect(found).toEqual([
      event('user_created', who, target, { role: 'editor' }),
      event('user_invited', who, target),
      event('user_invited', who, target),
      event('user_role_changed', who, target, { from: 'editor', to: 'admin' }),
      event('user_suspended', who, target),
      event('user_role_changed', who, target, { from: 'admin', to: 'viewer' }),
      event('user_resumed', who, target),
      event('user_workspace_roles_changed', who, target, { roles: '' }),
      event('user_role_changed', by('operator'), target, { from: 'viewer', to: 'editor' }),
    ]);
  });

  testEvents('records sign-ins, failures, sign-outs, passwords and ended sessions', async () => {
    const anonymous = new ConsoleClient(app.origin);
    let user = { id: '', email: '', token: '' };
    const found = await newEvents(async () => {
      user = await invited();
      const password = { password: PASSWORD };
      const first = cookieOf(await anonymous.post(`/invites/${user.token}`, password));
      const signIn = (word: string): ReturnType<ConsoleClient['post']> =>
        anonymous.post('/session', { email: user.email, password: word });
      expect((await signIn(WRONG)).status).toBe(401);
      const session = new ConsoleClient(app.origin, cookieOf(await signIn(PASSWORD)).token);
      const sessions = dataOf(await session.get('/sessions'), 200) as Json[];
      const other = sessions.find(({ isCurrent }) => !isCurrent);
      expect((await session.delete(`/sessions/${other.id}`)).status).toBe(204);
      const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` };
      expect((await session.put('/password', passwords)).status).toBe(204);
      expect((await session.delete('/session')).status).toBe(204);
      await app.nest.get(UserService).setSuspended(user.email, true);
      expect((await signIn(`${PASSWORD} anew`)).status).toBe(403);
      secrets.push(first.token, session.token ?? '');
    });
    const own = { keyId: null, keyName: null, userId: user.id, email: user.email };
    const target = { kind: 'user', id: user.id, name: user.email };
    const session = { kind: 'session', id: expect.any(String), name: null };
    const here = { address: '127.0.0.1' };
    const inConsole = { ...own, via: 'console' };
    expect(found.slice(2)).toEqual([
      event('password_changed', { ...own, via: 'link' }, target),
      { ...event('sign_in', inConsole, session), ...here },
      {
        ...event('sign_in_failed', by('nobody'), target, { reason: 'wrong_password' }),
        ...here,
      },
      { ...event('sign_in', inConsole, session), ...here },
      { ...event('session_ended', inConsole, session), ...here },
      event('password_changed', inConsole, target),
      { ...event('sign_out', inConsole, session), ...here },
      event('user_suspended', by('operator'), target),
      { ...event('sign_in_failed', by('nobody'), target, { reason: 'suspended' }), ...here },
    ]);
    expect(found[5]?.target.id).not.toBe(found[6]?.target.id);
  });

  testEvents('records tokens, users and groups of a directory', async () => {
    const tokens = app.nest.get(ScimTokenService);
    let [tokenId, userId, groupId] = ['', '', ''];
    const found = await newEvents(async () => {
      const { token, record } = await tokens.create(owner.accountId, 'Okta', null, 'operator');
      secrets.push(token);
      const scim = new ScimClient(app.origin, token);
      tokenId = record.id;
      userId = await scim.newUser('provisioned@example.com');
      await scim.patch(`/Users/${userId}`, [['replace', 'userName', 'renamed@example.com']]);
      groupId = await scim.newGroup('Pilots');
      const members = [{ value: owner.userId }];
      await scim.patch(`/Groups/${groupId}`, [
        ['add', 'members', members],
        ['replace', 'displayName', 'Crew'],
      ]);
      const mapping = { role: 'editor', workspaceRoles: [] };
      dataOf(await console_.patch(`/scim/groups/${groupId}`, mapping), 200);
      await scim.delete(`/Groups/${groupId}`);
      await tokens.revoke(owner.accountId, tokenId, 'operator');
    });
    const token = { kind: 'scim_token', id: tokenId, name: 'Okta' };
    const user = { kind: 'user', id: userId, name: 'provisioned@example.com' };
    const group = { kind: 'scim_group', id: groupId, name: 'Crew' };
    const taken = { kind: 'user', id: owner.userId, name: owner.email };
    const scimToken = 'Okta';
    expect(found).toEqual([
      event('scim_token_created', by('operator'), token, { expiresAt: null }),
      event('user_created', by('scim'), user, { role: 'viewer', scimToken }),
      event('user_email_changed', by('scim'), user, {
        ...{ from: 'provisioned@example.com', to: 'renamed@example.com', scimToken },
      }),
      event('scim_group_created', by('scim'), { ...group, name: 'Pilots' }, { scimToken }),
      event('scim_user_taken_over', by('scim'), taken, { scimToken }),
      event(
        'scim_group_changed',
        by('scim'),
        { ...group, name: 'Pilots' },
        {
          ...{ added: '1', removed: '0', name: 'Crew', scimToken },
        },
      ),
      event('scim_group_mapped', byConsole(), group, { role: 'editor', roles: '' }),
      event('scim_group_deleted', by('scim'), group, { scimToken }),
      event('scim_token_revoked', by('operator'), token),
    ]);
  });

  testEvents('counts the users beyond 100 whose roles a change of a group changes', async () => {
    const scim = await ScimClient.of(app, owner);
    const { rows } = await app.sql.query<{ id: string }>(
      `WITH u AS (
         INSERT INTO users (id, account_id, email, email_key, role)
         SELECT gen_random_uuid(), $1, n || '@crew.example', n || '@crew.example', 'member'
         FROM generate_series(1, 102) n RETURNING id, account_id, email
       ), s AS (
         INSERT INTO scim_users (account_id, user_id, user_name, user_name_key, attributes, updated_at)
         SELECT account_id, id, email, email, '{}', now() FROM u
       )
       SELECT id FROM u`,
      [owner.accountId],
    );
    const members = rows.map(({ id }) => ({ value: id }));
    const groupId = await scim.newGroup('Everybody');
    dataOf(
      await console_.patch(`/scim/groups/${groupId}`, { role: 'editor', workspaceRoles: [] }),
      200,
    );
    const found = await newEvents(async () => {
      await scim.patch(`/Groups/${groupId}`, [['add', 'members', members]]);
    });
    const named = found.filter(({ action }) => action === 'user_role_changed');
    expect(named).toHaveLength(100);
    const scimToken = 'Directory';
    const group = { kind: 'scim_group', id: groupId, name: 'Everybody' };
    expect(found.filter(({ action }) => action === 'scim_roles_changed')).toEqual([
      event('scim_roles_changed', by('scim'), group, { users: '2', scimToken }),
    ]);
  });

  testEvents('records created, rotated and revoked keys', async () => {
    const ids: string[] = [];
    const found = await newEvents(async () => {
      const made = dataOf(await console_.post('/keys', { name: 'Pipeline' }), 201);
      const rotation = { keepForSeconds: 0 };
      const turned = dataOf(await console_.post(`/keys/${made.id}/rotation`, rotation), 201);
      for (const each of [1, 2]) {
        expect([each, (await console_.delete(`/keys/${turned.id}`)).status]).toEqual([each, 204]);
      }
      await app.nest.get(ApiKeyService).revoke(owner.keyId, 'operator');
      ids.push(made.id, turned.id);
      secrets.push(made.key, turned.key);
    });
    const key = (id: string | undefined): object => ({ kind: 'key', id, name: 'Pipeline' });
    const user = owner.email;
    expect(found).toEqual([
      event('key_created', byConsole(), key(ids[0]), { user, expiresAt: null }),
      event('key_rotated', byConsole(), key(ids[0]), { user, newKeyId: ids[1] }),
      event('key_revoked', byConsole(), key(ids[1]), { user }),
      event(
        'key_revoked',
        by('operator'),
        { kind: 'key', id: owner.keyId, name: 'test' },
        { user },
      ),
    ]);
  });

  testEvents('records authorized and revoked applications', async () => {
    const application = await OauthApplication.registered(app.origin);
    const found = await newEvents(async () => {
      const { access, refresh } = await application.tokens(console_);
      const [grant] = (await console_.get('/applications')).body.data as Json[];
      expect((await console_.delete(`/applications/${String(grant?.id)}`)).status).toBe(204);
      secrets.push(access, refresh.slice(3, 46), refresh.slice(46));
    });
    const { clientId, redirectUri, resource } = application;
    const target = { kind: 'application', id: expect.any(String), name: 'Assistant' };
    const [user, expiresAt] = [owner.email, expect.stringMatching(RFC3339)];
    const scopes = 'rows:read rows:write';
    expect(found).toEqual([
      event('application_authorized', byConsole(), target, {
        ...{ user, clientId, redirectUri, resource, expiresAt, scopes },
      }),
      event('application_revoked', byConsole(), target, { user, clientId, reason: 'by_user' }),
    ]);
  });

  testEvents('records created, deleted, restored and purged workspaces and datagrids', async () => {
    const { api } = owner;
    let [workspace, grid] = ['', ''];
    const found = await newEvents(async () => {
      workspace = `/workspaces/${await newWorkspace(api)}`;
      grid = await newDatagrid(api, [], idOf(workspace));
      for (const path of [grid, workspace]) {
        expect((await api.delete(path)).status).toBe(204);
        expect((await api.post(`/trash/${idOf(path)}/restore`)).status).toBe(200);
        expect(
          (await api.delete(`${path}?cascade=true`.replace(/^(\/d.*)\?.*/, '$1'))).status,
        ).toBe(204);
        expect((await api.delete(`/trash/${idOf(path)}`)).status).toBe(204);
      }
    });
    const done = (kind: string, path: string): object[] =>
      ['deleted', 'restored', 'deleted', 'purged'].map((what) =>
        event(`${kind}_${what}`, byKey(), { kind, id: idOf(path), name: expect.any(String) }),
      );
    const name = expect.stringMatching(/^Fixture \d+$/);
    expect(found).toEqual([
      event('workspace_created', byKey(), { kind: 'workspace', id: idOf(workspace), name }),
      event('datagrid_created', byKey(), { kind: 'datagrid', id: idOf(grid), name }),
      ...done('datagrid', grid),
      ...done('workspace', workspace),
    ]);
    expect(new Set(found.slice(2, 6).map(({ target }) => target.name)).size).toBe(1);
  });

  testEvents('records a deletion in the console and a purge by the service', async () => {
    const grid = await newDatagrid(owner.api, []);
    const found = await newEvents(async () => {
      expect((await console_.delete(`/data${grid}`)).status).toBe(204);
      const aged = "UPDATE datagrids SET deleted_at = now() - interval '8 days' WHERE id = $1";
      await app.sql.query(aged, [idOf(grid)]);
      await app.nest.get(PurgeService, { strict: false }).runOnce();
    });
    const target = { kind: 'datagrid', id: idOf(grid), name: expect.any(String) };
    expect(found).toEqual([
      event('datagrid_deleted', byConsole(), target),
      event('datagrid_purged', by('service'), target),
    ]);
  });

  testEvents('records changed columns, and rows deleted by a batch or a filter', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'gone', type: 'text' }]);
    const rows = Array.from({ length: 6 }, () => ({ values: { gone: 'hush-4711' } }));
    secrets.push('hush-4711');
    await owner.api.post(`${grid}/rows`, { rows });
    const found = await newEvents(async () => {
      const operations = [1, 2].map((id) => ({ op: 'delete', id }));
      const batch = { mode: 'atomic', operations };
      dataOf(await owner.api.post(`${grid}/rows/batch`, { ...batch, dryRun: true }), 200);
      dataOf(await owner.api.post(`${grid}/rows/batch`, batch), 200);
      const all = { filter: { gone: 'hush-4711' } };
      dataOf(await owner.api.post(`${grid}/rows/delete`, { ...all, dryRun: true }), 200);
      expect(dataOf(await owner.api.post(`${grid}/rows/delete`, all), 200).deleted).toBe(4);
      dataOf(await owner.api.post(`${grid}/rows/delete`, all), 200);
      const convert = { type: 'integer', convert: true };
      dataOf(await owner.api.post(`${grid}/rows`, { rows: [{ values: { gone: '12' } }] }), 201);
      dataOf(await owner.api.patch(`${grid}/columns/gone`, convert), 200);
      dataOf(await owner.api.patch(`${grid}/columns/gone`, { key: 'renamed' }), 200);
      expect((await owner.api.delete(`${grid}/columns/renamed`)).status).toBe(204);
      const path = `${grid}/trash/columns/restore`;
      expect((await owner.api.post(path, { id: 9 })).status).toBe(404);
      const [{ id }] = dataOf(await owner.api.get(`${grid}/trash/columns`), 200) as [Json];
      dataOf(await owner.api.post(path, { id, key: 'back' }), 200);
    });
    const { name } = dataOf(await owner.api.get(grid), 200);
    expect(name).toMatch(/^Fixture \d+$/);
    const target = { kind: 'datagrid', id: idOf(grid), name };
    expect(found).toEqual([
      event('rows_deleted', byKey(), target, { rows: 2 }),
      event('rows_deleted', byKey(), target, { rows: 4 }),
      event('column_converted', byKey(), target, { column: 'gone', from: 'text', to: 'integer' }),
      event('column_key_changed', byKey(), target, { column: 'gone', to: 'renamed' }),
      event('column_removed', byKey(), target, { column: 'renamed' }),
      event('column_restored', byKey(), target, { column: 'back' }),
    ]);
  });

  testEvents('records columns that are added, also by an import, and changed', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'a', type: 'text' }]);
    secrets.push('hush-4712');
    const found = await newEvents(async () => {
      const columns = `${grid}/columns`;
      dataOf(await owner.api.post(columns, { key: 'b', type: 'integer' }), 201);
      const change = { title: 'B', indexed: true };
      dataOf(await owner.api.patch(`${columns}/b`, change), 200);
      dataOf(await owner.api.patch(`${columns}/b`, change), 200);
      dataOf(await owner.api.patch(`${columns}/b`, { position: 0 }), 200);
      dataOf(await owner.api.patch(`${columns}/b`, { key: 'c', title: 'C' }), 200);
      expect((await owner.api.post(columns, { key: 'a', type: 'text' })).status).toBe(409);
      const route = `${grid}/rows/import?createColumns=true`;
      const file = 'a,day\nhush-4712,2026-11-29';
      const type = { 'content-type': 'text/csv' };
      dataOf(await console_.send('POST', `/data${route}`, file, type), 201);
    });
    const { name } = dataOf(await owner.api.get(grid), 200);
    const target = { kind: 'datagrid', id: idOf(grid), name };
    expect(found).toEqual([
      event('column_created', byKey(), target, { column: 'b', type: 'integer' }),
      event('column_updated', byKey(), target, { column: 'b', properties: 'title, indexed' }),
      event('column_updated', byKey(), target, { column: 'b', properties: 'position' }),
      event('column_key_changed', byKey(), target, { column: 'b', to: 'c' }),
      event('column_updated', byKey(), target, { column: 'c', properties: 'title' }),
      event('column_created', byConsole(), target, { column: 'day', type: 'date' }),
    ]);
  });

  testEvents('records changes of webhooks', async () => {
    const workspaceId = await newWorkspace(owner.api);
    let hook = '';
    const found = await newEvents(async () => {
      const route = `/workspaces/${workspaceId}/webhooks`;
      const created = dataOf(await owner.api.post(route, { url: 'https://hooks.example/a' }), 201);
      secrets.push(created.secret);
      hook = created.id;
      const path = `${route}/${hook}`;
      dataOf(await owner.api.patch(path, { payload: 'thin' }), 200);
      secrets.push(dataOf(await owner.api.post(`${path}/rotate`), 200).secret);
      dataOf(await owner.api.post(`${path}/replay`, { since: new Date().toISOString() }), 200);
      dataOf(await owner.api.patch(path, { enabled: false }), 200);
      expect((await owner.api.delete(path)).status).toBe(204);
    });
    const target = { kind: 'webhook', id: hook, name: 'hooks.example' };
    expect(found).toEqual([
      event('webhook_created', byKey(), target),
      event('webhook_updated', byKey(), target, { properties: 'payload' }),
      event('webhook_secret_rotated', byKey(), target),
      event('webhook_replayed', byKey(), target, {
        since: expect.stringMatching(RFC3339),
        datagrids: 0,
      }),
      event('webhook_disabled', byKey(), target, { properties: 'enabled' }),
      event('webhook_deleted', byKey(), target),
    ]);
  });

  testEvents('records changes of connections and of their tables', async () => {
    const workspaceId = await newWorkspace(owner.api);
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
    let id = '';
    const secret = 'swordfish-4711';
    secrets.push(secret);
    const found = await newEvents(async () => {
      const route = `/workspaces/${workspaceId}/connections`;
      const body = { name: 'Warehouse', type: 'postgresql', settings: FAKE_SETTINGS, secret };
      id = dataOf(await owner.api.post(route, body), 201).id;
      const path = `${route}/${id}`;
      dataOf(await owner.api.patch(path, { secret, enabled: false }), 200);
      const table = `${path}/tables/${idOf(grid)}`;
      dataOf(await owner.api.patch(table, { columns: ['n'] }), 200);
      for (const request of ['reset', 'repair', 'check']) {
        expect((await owner.api.post(`${table}/${request}`)).status).toBe(204);
      }
      expect((await owner.api.delete(path)).status).toBe(204);
    });
    const target = { kind: 'connection', id, name: 'Warehouse' };
    const datagridId = idOf(grid);
    expect(found).toEqual([
      event('connection_created', byKey(), target),
      event('connection_updated', byKey(), target, { properties: 'secret, enabled' }),
      event('connection_table_updated', byKey(), target, { datagridId, properties: 'columns' }),
      event('connection_table_reset', byKey(), target, { datagridId }),
      event('connection_table_repaired', byKey(), target, { datagridId }),
      event('connection_deleted', byKey(), target),
    ]);
  });

  testEvents('records changes of scheduled imports', async () => {
    const workspaceId = await newWorkspace(owner.api);
    const grid = await newDatagrid(
      owner.api,
      [{ key: 'u', type: 'text', unique: true }],
      workspaceId,
    );
    const connectionId = await newConnection(owner.api, workspaceId);
    const route = `/workspaces/${workspaceId}/connections/${connectionId}`;
    const { name } = dataOf(await owner.api.get(route), 200);
    let id = '';
    const found = await newEvents(async () => {
      const body = { name: 'Units', datagridId: idOf(grid), table: 'units', keyColumns: ['u'] };
      id = dataOf(await owner.api.post(`${route}/imports`, body), 201).id;
      const path = `${route}/imports/${id}`;
      expect((await owner.api.post(`${path}/run`)).status).toBe(204);
      dataOf(await owner.api.patch(path, { query: 'SELECT 1 AS u' }), 200);
      expect((await owner.api.delete(path)).status).toBe(204);
    });
    const target = { kind: 'scheduled_import', id, name: 'Units' };
    const details = { connectionId, connection: name };
    expect(found).toEqual([
      event('scheduled_import_created', byKey(), target, details),
      event('scheduled_import_updated', byKey(), target, { ...details, properties: 'query' }),
      event('scheduled_import_deleted', byKey(), target, details),
    ]);
  });

  testEvents('records writes that were undone', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    await owner.api.post(`${grid}/rows`, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
    const found = await newEvents(async () => {
      const write = { revision: 1 };
      dataOf(await owner.api.post(`${grid}/rows/undo`, { ...write, dryRun: true }), 200);
      dataOf(await owner.api.post(`${grid}/rows/undo`, write), 200);
      dataOf(await owner.api.post(`${grid}/rows/undo`, write), 200);
    });
    const { name } = dataOf(await owner.api.get(grid), 200);
    expect(name).toMatch(/^Fixture \d+$/);
    const target = { kind: 'datagrid', id: idOf(grid), name };
    expect(found).toEqual([event('rows_undone', byKey(), target, { revision: 1, rows: 2 })]);
  });

  testEvents('records deleted rows that were restored', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    await owner.api.post(`${grid}/rows`, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
    for (const id of [1, 2])
      expect((await owner.api.delete(`${grid}/rows/${id}`)).status).toBe(204);
    const found = await newEvents(async () => {
      expect((await owner.api.post(`${grid}/trash/rows/restore`, { ids: [1, 3] })).status).toBe(
        409,
      );
      dataOf(await owner.api.post(`${grid}/trash/rows/restore`, { ids: [1, 2] }), 200);
    });
    const { name } = dataOf(await owner.api.get(grid), 200);
    expect(name).toMatch(/^Fixture \d+$/);
    const target = { kind: 'datagrid', id: idOf(grid), name };
    expect(found).toEqual([event('rows_restored', byKey(), target, { rows: 2 })]);
  });

  testEvents(
    'records public links, also those that are replaced or whose view is deleted',
    async () => {
      const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
      const viewId = await newView(owner.api, grid, { name: 'Shared' });
      const path = `${grid}/views/${viewId}/link`;
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const found = await newEvents(async () => {
        dataOf(await owner.api.post(path, { expiresAt }), 201);
        dataOf(await owner.api.post(path, {}), 201);
        expect((await owner.api.delete(path)).status).toBe(204);
        const { url } = dataOf(await owner.api.post(path, {}), 201);
        secrets.push(String(url).slice(-43));
        expect((await owner.api.delete(`${grid}/views/${viewId}`)).status).toBe(204);
      });
      const target = { kind: 'view', id: viewId, name: 'Shared' };
      const datagridId = idOf(grid);
      const created = (expiry: string | null): object =>
        event('view_link_created', byKey(), target, { datagridId, expiresAt: expiry });
      const revoked = event('view_link_revoked', byKey(), target, { datagridId });
      expect(found).toEqual([
        ...[created(expiresAt), revoked, created(null), revoked],
        ...[created(null), revoked],
      ]);
    },
  );

  testEvents('records second factors, and failed reauthentication', async () => {
    await app.setPassword(owner, PASSWORD);
    const found = await newEvents(async () => {
      await console_.post('/factors/totp', { currentPassword: WRONG });
      const { recoveryCodes } = await AuthenticatorApp.setUp(console_, PASSWORD);
      const [first, second, third] = recoveryCodes.map((code) => ({
        currentPassword: PASSWORD,
        code,
      }));
      dataOf(await console_.put('/security', { requiresSecondFactor: true, ...first }), 200);
      dataOf(await console_.put('/security', { requiresSecondFactor: false, ...second }), 200);
      const created = dataOf(await console_.post('/factors/recovery-codes', third), 201);
      const newCodes = created.recoveryCodes as string[];
      secrets.push(...recoveryCodes, ...newCodes);
      await app.sql.query('UPDATE user_totps SET wrong_codes = 49 WHERE user_id = $1', [
        owner.userId,
      ]);
      const proof = { currentPassword: PASSWORD, code: 'wrong' };
      expect((await console_.post('/factors/totp/removal', proof)).status).toBe(400);
      const right = { ...proof, code: newCodes[0] };
      expect((await console_.post('/factors/totp/removal', right)).status).toBe(204);
    });
    const user = { kind: 'user', id: owner.userId, name: owner.email };
    const account = { kind: 'account', id: owner.accountId, name: 'Audited' };
    const failed = (reason: string): object => ({
      ...event('reauthentication_failed', byConsole(), user, { reason }),
      address: expect.any(String),
    });
    expect(found).toEqual([
      failed('wrong_password'),
      event('factor_added', byConsole(), user, { factor: 'totp' }),
      event('factor_required', byConsole(), account),
      event('factor_not_required', byConsole(), account),
      event('recovery_codes_created', byConsole(), user),
      event('factor_locked', by('nobody'), user),
      failed('wrong_code'),
      event('factor_removed', byConsole(), user, { factor: 'totp' }),
    ]);
  });

  testEvents('records providers, and who signs in by them for the first time', async () => {
    await app.setPassword(owner, PASSWORD);
    const provider = await OpenidProvider.start();
    const { issuer } = provider;
    secrets.push(provider.clientSecret);
    const proof = { currentPassword: PASSWORD };
    const origin = app.origin.replace('127.0.0.1', 'localhost');
    let id = '';
    const found = await newEvents(async () => {
      const settings = { name: 'Company', ...provider.settings, ...proof };
      id = String(dataOf(await console_.post('/providers', settings), 201)['id']);
      const change = { name: 'Firm', trustsEmail: true, ...proof };
      dataOf(await console_.patch(`/providers/${id}`, change), 200);
      const person = { sub: 'p1', email: owner.email };
      expect((await signInBy(provider, origin, id, person)).status).toBe(200);
      await app.nest.get(ProviderRuleService).set(owner.accountId, owner.userId, 'operator');
      await app.nest.get(ProviderRuleService).set(owner.accountId, null, 'operator');
      expect((await console_.post(`/providers/${id}/removal`, proof)).status).toBe(204);
    });
    await provider.close();
    const target = (name: string): object => ({ kind: 'provider', id, name });
    const user = { kind: 'user', id: owner.userId, name: owner.email };
    const properties = 'name, trustsEmail';
    const account = { kind: 'account', id: owner.accountId, name: 'Audited' };
    const session = { kind: 'session', id: expect.any(String), name: null };
    expect(found).toEqual([
      event('provider_created', byConsole(), target('Company'), { issuer }),
      event('provider_updated', byConsole(), target('Firm'), { issuer, properties }),
      event('identity_bound', by('service'), user, { provider: 'Firm' }),
      {
        ...event('sign_in', byConsole(), session, { factor: 'provider' }),
        address: expect.any(String),
      },
      event('provider_required', by('operator'), account),
      event('provider_not_required', by('operator'), account),
      event('provider_deleted', byConsole(), target('Firm'), { issuer }),
    ]);
  });

  afterEach(async () => {
    const { rows } = await app.sql.query('SELECT e::text FROM audit_events e');
    const all = JSON.stringify(rows);
    expect(all).toContain(owner.accountId);
    for (const secret of secrets) expect(all).not.toContain(secret);
  });

  it('records only actions that these tests cover, and all of them', async () => {
    // Runs the tests that have not run, so that `seen` is complete.
    for (const test of notYetRun.values()) {
      await begin();
      await test();
    }
    expect(AUDIT_ACTIONS.filter((action) => !seen.has(action))).toEqual([]);
    expect(AUDIT_ACTIONS).toEqual(expect.arrayContaining([...seen]));
  }, 120_000);
});
