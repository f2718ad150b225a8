import { randomUUID } from 'node:crypto';
import { AccountService } from '../../src/auth/account.service';
import { UUID_V7 } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string };
let member: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  settings = { DATABASE_URL: app.database.url };
  member = await app.newAccount();
});

afterAll(() => app.close());

describe('account create', () => {
  it('creates an account with its owner', async () => {
    const email = `First.Owner-${randomUUID()}@example.com`;
    const args = ['account', 'create', '--name', 'Acme', '--owner-email', email];
    const made = await adminJson(settings, ...args);
    expect(made).toEqual({
      accountId: expect.stringMatching(UUID_V7),
      userId: expect.stringMatching(UUID_V7),
    });
    const { key } = await adminJson(settings, 'key', 'create', '--email', email);
    const { body } = await app.api(key).get('/me');
    expect(body.data).toMatchObject({
      user: { id: made.userId, email },
      account: { id: made.accountId, name: 'Acme' },
      role: 'owner',
    });
  });

  it('rejects an email address that is in use, and creates no account', async () => {
    const count = 'SELECT count(*)::int AS count FROM accounts';
    const before = (await app.sql.query(count)).rows;
    const email = member.email.toUpperCase();
    const args = ['account', 'create', '--name', 'Again', '--owner-email', email];
    expect(await adminError(settings, ...args)).toEqual({
      code: 'conflict',
      message:
        `${email} is a user of account ${member.accountId} (Test account). ` +
        'Repeat with --share-email to make another account for the same person.',
    });
    expect((await app.sql.query(count)).rows).toEqual(before);
  });

  it('creates another account for the same person with --share-email', async () => {
    const args = ['--name', 'Again', '--owner-email', member.email, '--share-email'];
    const made = await adminJson(settings, 'account', 'create', ...args);
    const named = ['--email', member.email, '--account', String(made.accountId)];
    const { key } = await adminJson(settings, 'key', 'create', ...named);
    const { data } = (await app.api(key).get('/me')).body;
    expect([data.account.id, data.user.id]).toEqual([made.accountId, made.userId]);
  });

  it('creates one account if it runs several times at once', async () => {
    const accounts = app.nest.get(AccountService);
    const email = `once-${randomUUID()}@example.com`;
    const create = (): Promise<unknown> => accounts.create('Once', email);
    const made = await Promise.allSettled([create(), create(), create()]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it.each([
    ['--name', ' ', '--owner-email', 'a@example.com'],
    ['--name', 'A', '--owner-email', 'nobody'],
  ])('rejects %j %j %j %j', async (...args) => {
    const error = await adminError(settings, 'account', 'create', ...args);
    expect(error.code).toBe('invalid_request');
  });
});

describe('account suspend and resume', () => {
  it('apply from the next request', async () => {
    const { accountId, api } = member;
    const suspended = await adminJson(settings, 'account', 'suspend', '--account', accountId);
    expect(suspended).toEqual({ accountId, suspended: true });
    const rejected = await api.get('/me');
    expect([rejected.status, rejected.body.error.code]).toEqual([403, 'account_suspended']);

    const resumed = await adminJson(settings, 'account', 'resume', '--account', accountId);
    expect(resumed).toEqual({ accountId, suspended: false });
    expect((await api.get('/me')).status).toBe(200);
  });

  it('account allow-passwords lets users of an account that requires single sign-on in again', async () => {
    const { accountId, userId } = member;
    await app.sql.query('UPDATE accounts SET exempt_user_id = gen_random_uuid() WHERE id = $1', [
      accountId,
    ]);
    const session = await app.console(member).catch(() => undefined);
    expect(session).toBeUndefined();
    const result = await adminJson(settings, 'account', 'allow-passwords', '--account', accountId);
    expect(result).toEqual({ accountId, requiresProvider: false });
    const signedIn = await (await app.console(member)).get('/session');
    expect(signedIn.body.data).toMatchObject({ user: { id: userId }, provider: null });
  });

  it.each(['019aa2f4-0000-7000-8000-000000000000', 'x'])(
    'report that account %s was not found',
    async (id) => {
      const response = await adminProcess(settings, 'account', 'suspend', '--account', id);
      expect(response).toEqual({
        code: 1,
        stdout: '',
        stderr: `error: Account ${id} not found.\n`,
      });
    },
  );
});
