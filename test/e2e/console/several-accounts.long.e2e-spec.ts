import { PasswordService } from '../../../src/auth/password/password.service';
import { UserService } from '../../../src/auth/user/user.service';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient, cookieOf } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, freshName, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const OTHER_PASSWORD = 'quite another password';

// Hashing a password is slow, more so on a busy machine.
jest.setTimeout(120_000);

let app: TestApp;
let anonymous: ConsoleClient;
/** The owners of two unrelated accounts. */
let first: Member;
let second: Member;
/** A user of the first account. */
let email: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { SIGN_IN_LIMIT: '100' } });
  anonymous = new ConsoleClient(app.origin);
});

afterAll(() => app.close());

beforeEach(async () => {
  [first, second] = [await app.newAccount(freshName()), await app.newAccount(freshName())];
  const member = await app.newUser(first.accountId, 'viewer');
  email = member.email;
});

/** Invites an address to the owner's account and accepts the invite with the password. */
async function join(owner: Member, address: string, password: string): Promise<ApiResponse> {
  const client = await app.console(owner);
  const made = dataOf(await client.post('/users', { email: address, role: 'editor' }), 201);
  return anonymous.post(`/invites/${String(made.url).split('/').at(-1) ?? ''}`, { password });
}

async function setPassword(accountId: string, password: string): Promise<void> {
  const user = await app.nest.get(UserService).getByEmail(email, accountId);
  const passwords = app.nest.get(PasswordService);
  await passwords.set(user.id, await passwords.hash(password, user));
}

const signIn = (password: string, accountId?: string): Promise<ApiResponse> =>
  anonymous.post('/session', { email: email.toUpperCase(), password, accountId });

/** Returns the id of the account that a sign-in leads to. */
async function accountOf(response: ApiResponse): Promise<string> {
  const session = new ConsoleClient(app.origin, cookieOf(response).token);
  const { account } = dataOf(await session.get('/session'), 200);
  expect(dataOf(response, 200).account).toEqual(account);
  return String(account.id);
}

describe('an invite to an address', () => {
  it('returns the same response whether or not another account has the address', async () => {
    const owner = await app.console(second);
    const responses: ApiResponse[] = [];
    for (const address of [email, `nobody-${second.accountId}@example.com`]) {
      responses.push(await owner.post('/users', { email: address, role: 'viewer' }));
    }
    const shapes = responses.map((response) => {
      const { user, url, expiresAt } = dataOf(response, 201);
      expect(url).toMatch(/\/invite\/[\w-]{43}$/);
      expect(typeof expiresAt).toBe('string');
      return { ...user, id: '', email: '', createdAt: '' };
    });
    expect(shapes[0]).toEqual(shapes[1]);
    // The users of the first account do not change.
    const users = (await (await app.console(first)).get('/users')).body;
    expect(users.meta.total).toBe(2);
  });

  it('returns 409 if the same account has the address in any letter case', async () => {
    const owner = await app.console(first);
    const body = { email: email.toUpperCase(), role: 'viewer' };
    const response = await owner.post('/users', body);
    expectFailure(response, 'conflict', ['email duplicate']);
  });
});

describe('a person with users in several accounts', () => {
  it('has a password for each account and signs in to the account of that password', async () => {
    await setPassword(first.accountId, PASSWORD);
    await join(second, email, OTHER_PASSWORD);
    expect(await accountOf(await signIn(PASSWORD))).toBe(first.accountId);
    expect(await accountOf(await signIn(OTHER_PASSWORD))).toBe(second.accountId);
    expectFailure(await signIn('neither of the two'), 'unauthenticated');
  });

  it('chooses an account if they share a password, and only after the correct password', async () => {
    await setPassword(first.accountId, PASSWORD);
    await join(second, email, PASSWORD);
    expectFailure(await signIn('a wrong password'), 'unauthenticated');
    const choice = await signIn(PASSWORD);
    expect(choice.headers.getSetCookie()).toEqual([]);
    const session = dataOf(await (await app.console(first)).get('/session'), 200);
    const other = dataOf(await (await app.console(second)).get('/session'), 200);
    expect(dataOf(choice, 200)).toEqual({ accounts: [session.account, other.account] });
    for (const { accountId } of [first, second]) {
      expect(await accountOf(await signIn(PASSWORD, accountId))).toBe(accountId);
      expectFailure(await signIn('a wrong password', accountId), 'unauthenticated');
    }
    expectFailure(await signIn(PASSWORD, NO_ID), 'unauthenticated');
  });

  it('signs in without a choice if the other account has suspended them', async () => {
    await setPassword(first.accountId, PASSWORD);
    await join(second, email, PASSWORD);
    const users = app.nest.get(UserService);
    await users.setSuspended(email, true, second.accountId);
    expect(await accountOf(await signIn(PASSWORD))).toBe(first.accountId);
    await users.setSuspended(email, true, first.accountId);
    expectFailure(await signIn(PASSWORD), 'account_suspended');
  });

  it('keeps the other passwords and sessions if one password changes', async () => {
    await setPassword(first.accountId, PASSWORD);
    const { token } = cookieOf(await signIn(PASSWORD));
    await join(second, email, OTHER_PASSWORD);
    const session = new ConsoleClient(app.origin, token);
    expect(dataOf(await session.get('/session'), 200).account.id).toBe(first.accountId);
    const body = { currentPassword: PASSWORD, newPassword: 'yet another password' };
    expect((await session.put('/password', body)).status).toBe(204);
    expect(await accountOf(await signIn('yet another password'))).toBe(first.accountId);
    expect(await accountOf(await signIn(OTHER_PASSWORD))).toBe(second.accountId);
  });

  it('has one salt for all passwords, so that a sign-in computes one hash', async () => {
    const hashes = async (): Promise<number> => {
      const { rows } = await app.sql.query<{ salt: string }>(
        `SELECT DISTINCT split_part(p.hash, '$', 4) AS salt
         FROM user_passwords p JOIN users u ON u.id = p.user_id WHERE u.email = $1`,
        [email],
      );
      return rows.length;
    };
    await setPassword(first.accountId, PASSWORD);
    await join(second, email, OTHER_PASSWORD);
    await join(await app.newAccount(), email, 'a third password');
    // One hash is enough to check all of them.
    expect(await hashes()).toBe(1);
    await setPassword(first.accountId, 'a fourth password');
    expect(await hashes()).toBe(1);
  });

  it('causes no audit event for a wrong password in any of their accounts', async () => {
    const failures = async (owner: Member): Promise<number> => {
      const { data } = (await (await app.console(owner)).get('/data/audit-events?limit=200')).body;
      return (data as { action: string }[]).filter(({ action }) => action === 'sign_in_failed')
        .length;
    };
    await setPassword(first.accountId, PASSWORD);
    await signIn('a wrong password');
    expect(await failures(first)).toBe(1);
    await join(second, email, OTHER_PASSWORD);
    await signIn('a wrong password');
    expect([await failures(first), await failures(second)]).toEqual([1, 0]);
  });
});

describe('a link of the console', () => {
  const invite = (instance: TestApp, host: string): Promise<ApiResponse> =>
    instance
      .console(first)
      .then((owner) =>
        owner.post(
          '/users',
          { email: `${freshName().replace(' ', '-')}@example.com`, role: 'viewer' },
          { 'x-forwarded-host': host },
        ),
      );

  it('returns 409 and creates no user if PUBLIC_URL is not set and the host is not localhost', async () => {
    const proxied = await TestApp.start({
      database: app.database,
      settings: { TRUSTED_PROXIES: '127.0.0.1' },
    });
    try {
      const response = await invite(proxied, 'data.example.com');
      expectFailure(response, 'conflict');
      expect(response.body.error.message).toMatch(/^PUBLIC_URL is not set\. Set it to the URL/);
      expect((await (await app.console(first)).get('/users')).body.meta.total).toBe(2);
      const local = dataOf(await invite(proxied, 'localhost:8080'), 201);
      expect(local.url).toMatch(/^http:\/\/localhost:8080\/invite\//);
    } finally {
      await proxied.close();
    }
  });

  it('begins with PUBLIC_URL, whatever host the browser uses', async () => {
    const settings = { PUBLIC_URL: 'https://data.example.com', TRUSTED_PROXIES: '127.0.0.1' };
    const named = await TestApp.start({ database: app.database, settings });
    try {
      const { url } = dataOf(await invite(named, '10.0.0.7'), 201);
      expect(url).toMatch(/^https:\/\/data\.example\.com\/invite\//);
    } finally {
      await named.close();
    }
  });
});
