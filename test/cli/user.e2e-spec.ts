import { UserService } from '../../src/auth/user/user.service';
import { ConsoleClient } from '../support/console-client';
import { NO_ID, UUID_V7 } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { admin, adminError, adminJson } from './admin';

// Each program takes its time to start.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string };
let owner: Member;
let editor: Member;

beforeAll(async () => {
  app = await TestApp.start();
  settings = { DATABASE_URL: app.database.url };
  owner = await app.newAccount();
  editor = await app.newUser(owner.accountId, 'editor');
});

afterAll(() => app.close());

describe('user create', () => {
  it.each(['viewer', 'owner'])('makes one who is %s', async (role) => {
    const email = `new-${role}@example.com`;
    const args = ['--account', owner.accountId, '--email', email, '--role', role];
    const made = await adminJson(settings, 'user', 'create', ...args);
    expect(made).toEqual({ userId: expect.stringMatching(UUID_V7) });
    const { key } = await adminJson(settings, 'key', 'create', '--email', email);
    const { body } = await app.api(key).get('/me');
    expect([body.data.user.id, body.data.role]).toEqual([made.userId, role]);
  });

  it('refuses an account that does not exist, and an address that is taken', async () => {
    const create = ['user', 'create', '--role', 'viewer', '--email', owner.email, '--account'];
    expect(await adminError(settings, ...create, NO_ID)).toEqual({
      code: 'not_found',
      message: `There is no account ${NO_ID}.`,
    });
    expect(await adminError(settings, ...create, owner.accountId)).toMatchObject({
      code: 'conflict',
    });
  });
});

describe('user invite', () => {
  it('makes a link by which the user comes into the console', async () => {
    const { email, userId } = await app.newUser(owner.accountId, 'viewer');
    const startedAt = Date.now();
    const { url, expiresAt } = await adminJson(settings, 'user', 'invite', '--email', email);
    const [, token = ''] = /^http:\/\/localhost:3000\/invite\/([\w-]{43})$/.exec(url) ?? [];
    const hours = (Date.parse(expiresAt) - startedAt) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(72);
    expect(hours).toBeLessThan(72.1);
    const nobody = new ConsoleClient(app.origin);
    const invite = await nobody.get(`/invites/${token}`);
    expect(invite.body.data).toMatchObject({ email, kind: 'invite', expiresAt });
    const accepted = await nobody.post(`/invites/${token}`, { password: 'a password of mine' });
    expect(accepted.body.data.user.id).toBe(userId);
  });

  it('leads to where the console is to be found', async () => {
    const env = { ...settings, PUBLIC_URL: 'https://data.example.com' };
    const answer = await admin(env, 'user', 'invite', '--email', owner.email);
    expect(answer.code).toBe(0);
    expect(answer.stdout).toMatch(/^https:\/\/data\.example\.com\/invite\/[\w-]{43}\nFor owner/);
  });
});

describe('user suspend, resume and role', () => {
  it('take effect with the next request', async () => {
    const { email, userId, api } = editor;
    const suspended = await adminJson(settings, 'user', 'suspend', '--email', email);
    expect(suspended).toEqual({ userId, suspended: true });
    expect((await api.get('/me')).body.error.code).toBe('account_suspended');
    expect((await owner.api.get('/me')).status).toBe(200);

    const resumed = await adminJson(settings, 'user', 'resume', '--email', email);
    expect(resumed).toEqual({ userId, suspended: false });
    expect((await api.post('/workspaces', { name: 'Theirs' })).status).toBe(403);

    const raised = await adminJson(settings, 'user', 'role', '--email', email, '--role', 'admin');
    expect(raised).toEqual({ userId, role: 'admin' });
    expect((await api.post('/workspaces', { name: 'Theirs' })).status).toBe(201);
  });

  it('leave an account its last active owner, and say why', async () => {
    const { email, accountId, api } = await app.newAccount();
    const message =
      `${email} is the last active owner of the account: make another user an owner first, or ` +
      'suspend the account.';
    const demote = ['user', 'role', '--email', email, '--role', 'admin'];
    const suspend = ['user', 'suspend', '--email', email];
    for (const command of [demote, suspend]) {
      expect(await adminError(settings, ...command)).toEqual({ code: 'conflict', message });
    }
    // Owners of others, and suspended ones, do not count.
    const second = await app.newUser(accountId, 'owner');
    await adminJson(settings, 'user', 'suspend', '--email', second.email);
    expect(await adminError(settings, ...demote)).toEqual({ code: 'conflict', message });
    expect((await api.get('/me')).body.data.role).toBe('owner');

    await adminJson(settings, 'user', 'resume', '--email', second.email);
    await adminJson(settings, ...demote);
    expect((await api.get('/me')).body.data.role).toBe('admin');
    await adminJson(settings, ...suspend);
  });

  it('leave one owner of two that are demoted at once', async () => {
    const first = await app.newAccount();
    const second = await app.newUser(first.accountId, 'owner');
    const users = app.nest.get(UserService);
    const changes = await Promise.allSettled([
      users.setRole(first.email, 'admin'),
      users.setSuspended(second.email, true),
    ]);
    expect(changes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['invite', '--email', 'nobody@example.com'],
    ['suspend', '--email', 'nobody@example.com'],
    ['resume', '--email', 'nobody@example.com'],
    ['role', '--email', 'nobody@example.com', '--role', 'admin'],
  ])('know no user: %s', async (...args) => {
    const answer = await admin(settings, 'user', ...args);
    const stderr = 'error: There is no user nobody@example.com.\n';
    expect(answer).toEqual({ code: 1, stdout: '', stderr });
  });
});
