import { UserService } from '../../src/auth/user/user.service';
import { ConsoleClient } from '../support/console-client';
import { NO_ID, UUID_V7 } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { admin, adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string; HOST: string };
let owner: Member;
let editor: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  // Invite links can be created only for a known URL, such as localhost.
  settings = { DATABASE_URL: app.database.url, HOST: '127.0.0.1' };
  owner = await app.newAccount();
  editor = await app.newUser(owner.accountId, 'editor');
});

afterAll(() => app.close());

describe('user create', () => {
  it.each(['viewer', 'owner'])('creates a user with the role %s', async (role) => {
    const email = `new-${role}@example.com`;
    const args = ['--account', owner.accountId, '--email', email, '--role', role];
    const made = await adminJson(settings, 'user', 'create', ...args);
    expect(made).toEqual({ userId: expect.stringMatching(UUID_V7) });
    const { key } = await adminJson(settings, 'key', 'create', '--email', email);
    const { body } = await app.api(key).get('/me');
    expect([body.data.user.id, body.data.role]).toEqual([made.userId, role]);
  });

  it('rejects an unknown account, and an email address that is in use', async () => {
    const create = ['user', 'create', '--role', 'viewer', '--email', owner.email, '--account'];
    expect(await adminError(settings, ...create, NO_ID)).toEqual({
      code: 'not_found',
      message: `Account ${NO_ID} not found.`,
    });
    expect(await adminError(settings, ...create, owner.accountId)).toMatchObject({
      code: 'conflict',
    });
  });
});

describe('user invite', () => {
  it('creates a link with which the user signs in to the console', async () => {
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

  it('creates a link to PUBLIC_URL', async () => {
    const env = { ...settings, PUBLIC_URL: 'https://data.example.com' };
    const response = await adminProcess(env, 'user', 'invite', '--email', owner.email);
    expect(response.code).toBe(0);
    expect(response.stdout).toMatch(
      /^https:\/\/data\.example\.com\/invite\/[\w-]{43}\nInvite link for owner/,
    );
  });
});

describe('user remove-factors', () => {
  it('lets a user in again who has lost the authenticator app', async () => {
    const { email, userId } = await app.newUser(owner.accountId, 'owner');
    const remove = (): Promise<unknown> =>
      adminJson(settings, 'user', 'remove-factors', '--email', email);
    expect(await remove()).toEqual({ userId, removed: false });
    await app.sql.query(
      "INSERT INTO user_totps (user_id, secret, confirmed_at) VALUES ($1, 'secret', now())",
      [userId],
    );
    expect(await remove()).toEqual({ userId, removed: true });
    const { rows } = await app.sql.query('SELECT FROM user_totps WHERE user_id = $1', [userId]);
    expect(rows).toEqual([]);
  });
});

describe('user invite without PUBLIC_URL', () => {
  it.each(['', '0.0.0.0', '192.0.2.1'])(
    'creates no link if HOST is %j, because the URL of the console is unknown',
    async (HOST) => {
      const { email, userId } = await app.newUser(owner.accountId, 'viewer');
      const env = { ...settings, HOST };
      expect(await adminError(env, 'user', 'invite', '--email', email)).toEqual({
        code: 'conflict',
        message:
          'PUBLIC_URL is not set. Set it to the URL of the console, such as ' +
          'https://data.example.com; links point to it.',
      });
      const sql = 'SELECT FROM user_invites WHERE user_id = $1';
      expect((await app.sql.query(sql, [userId])).rowCount).toBe(0);
    },
  );
});

describe('an email address that several accounts have', () => {
  let other: Member;
  let email: string;

  beforeAll(async () => {
    other = await app.newAccount('Other account');
    ({ email } = await app.newUser(owner.accountId, 'viewer'));
    await app.nest.get(UserService).create(other.accountId, email, 'editor', 'operator');
  });

  it.each([
    ['user', 'invite'],
    ['user', 'suspend'],
    ['user', 'resume'],
    ['user', 'role', '--role', 'admin'],
    ['key', 'create'],
    ['key', 'list'],
  ])('must be given with its account: %s %s', async (...command) => {
    const error = await adminError(settings, ...command, '--email', email);
    expect(error).toEqual({
      code: 'conflict',
      message:
        `Several accounts have a user ${email}. Name one by --account: ` +
        `${owner.accountId} (Test account), ${other.accountId} (Other account)`,
    });
  });

  it('identifies a user together with the account', async () => {
    const named = ['--email', email, '--account', other.accountId];
    const { userId } = await adminJson(settings, 'user', 'role', ...named, '--role', 'owner');
    const { key } = await adminJson(settings, 'key', 'create', ...named);
    const { data } = (await app.api(key).get('/me')).body;
    expect([data.user.id, data.account.id, data.role]).toEqual([userId, other.accountId, 'owner']);
    const { keys } = await adminJson(settings, 'key', 'list', ...named);
    expect(keys).toHaveLength(1);
    const elsewhere = ['--email', email, '--account', (await app.newAccount()).accountId];
    expect(await adminError(settings, 'key', 'list', ...elsewhere)).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('user suspend, resume and role', () => {
  it('apply from the next request', async () => {
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

  it('reject a change to the last active owner of an account, and say why', async () => {
    const { email, accountId, api } = await app.newAccount();
    const message =
      `${email} is the last active owner of the account. Make another user an owner first, or ` +
      'suspend the account.';
    const demote = ['user', 'role', '--email', email, '--role', 'admin'];
    const suspend = ['user', 'suspend', '--email', email];
    for (const command of [demote, suspend]) {
      expect(await adminError(settings, ...command)).toEqual({ code: 'conflict', message });
    }
    // Owners of other accounts and suspended owners do not count.
    const second = await app.newUser(accountId, 'owner');
    await adminJson(settings, 'user', 'suspend', '--email', second.email);
    expect(await adminError(settings, ...demote)).toEqual({ code: 'conflict', message });
    expect((await api.get('/me')).body.data.role).toBe('owner');

    await adminJson(settings, 'user', 'resume', '--email', second.email);
    await adminJson(settings, ...demote);
    expect((await api.get('/me')).body.data.role).toBe('admin');
    await adminJson(settings, ...suspend);
  });

  it('keep one owner if one of two is demoted and the other suspended at once', async () => {
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
  ])('report an unknown user: %s', async (...args) => {
    const response = await admin(settings, 'user', ...args);
    const stderr = 'error: User nobody@example.com not found.\n';
    expect(response).toEqual({ code: 1, stdout: '', stderr });
  });
});
