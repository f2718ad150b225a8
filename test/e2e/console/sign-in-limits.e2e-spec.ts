import { PasswordService } from '../../../src/auth/password/password.service';
import type { Answer } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let member: Member;

beforeEach(async () => {
  app = await TestApp.start({
    settings: { SIGN_IN_LIMIT: '3', SIGN_IN_ADDRESS_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.1' },
  });
  member = await app.newAccount();
  const passwords = app.nest.get(PasswordService);
  await passwords.set(member.userId, await passwords.hash(PASSWORD));
});

afterEach(() => app.close());

const signIn = (email: string, password: string, address: string): Promise<Answer> =>
  new ConsoleClient(app.origin).post(
    '/session',
    { email, password },
    { 'x-forwarded-for': address },
  );

describe('wrong passwords', () => {
  it('of one e-mail address are limited, wherever they come from and whoever it is', async () => {
    for (const email of [member.email, 'nobody@example.com']) {
      const known = email === member.email ? 1 : 2;
      for (const last of [1, 2, 3]) {
        const answer = await signIn(email, 'wrong', `192.0.${known}.${last}`);
        expectFailure(answer, 'unauthenticated');
      }
      const refused = await signIn(email.toUpperCase(), PASSWORD, `192.0.${known}.4`);
      expectFailure(refused, 'rate_limited');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(300);
    }
  });

  it('from one client address are limited, whomever they try', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expectFailure(await signIn(`${name}@example.com`, 'wrong', '192.0.2.1'), 'unauthenticated');
    }
    expectFailure(await signIn(member.email, PASSWORD, '192.0.2.1'), 'rate_limited');
    expect((await signIn(member.email, PASSWORD, '192.0.2.2')).status).toBe(200);
  });

  it('are no more than the limit where many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => signIn(member.email, 'wrong', `192.0.2.${n}`)),
    );
    const count = (status: number): number =>
      answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([3, 9]);
  });

  it('do not use up the client address once their e-mail address is locked', async () => {
    for (let n = 0; n < 3; n += 1) await signIn('nobody@example.com', 'wrong', '192.0.2.1');
    for (let n = 0; n < 10; n += 1) {
      expectFailure(await signIn('nobody@example.com', 'wrong', '192.0.2.1'), 'rate_limited');
    }
    expect((await signIn(member.email, PASSWORD, '192.0.2.1')).status).toBe(200);
  });

  it('are all that counts: the right one may come as often as one likes', async () => {
    for (let n = 0; n < 8; n += 1) {
      expect((await signIn(member.email, PASSWORD, '192.0.2.1')).status).toBe(200);
    }
  });

  it('are all that counts: thirty right ones at once all sign in', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => signIn(member.email, PASSWORD, '192.0.2.1')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    // Nothing is left of them: as many wrong ones as ever are looked at.
    for (let n = 0; n < 3; n += 1) {
      expectFailure(await signIn(member.email, 'wrong', '192.0.2.1'), 'unauthenticated');
    }
    expectFailure(await signIn(member.email, PASSWORD, '192.0.2.1'), 'rate_limited');
  }, 120_000);

  it('are all that counts: right ones beside wrong ones are never refused for them', async () => {
    const other = await app.newUser(member.accountId, 'viewer');
    const passwords = app.nest.get(PasswordService);
    await passwords.set(other.userId, await passwords.hash(PASSWORD));
    const answers = await Promise.all([
      ...['a', 'b', 'c'].map((name) => signIn(`${name}@example.com`, 'wrong', '192.0.2.1')),
      ...Array.from({ length: 6 }, () => signIn(other.email, PASSWORD, '192.0.2.1')),
    ]);
    const expected = [401, 401, 401, ...(Array(6).fill(200) as number[])];
    expect(answers.map(({ status }) => status)).toEqual(expected);
  }, 60_000);

  it('are looked at by turns of the client addresses', async () => {
    const many = Promise.all(
      Array.from({ length: 24 }, () => signIn(member.email, PASSWORD, '192.0.2.1')),
    );
    let areDone = false;
    void many.then(() => (areDone = true));
    expectFailure(await signIn('nobody@example.com', 'wrong', '192.0.2.2'), 'unauthenticated');
    expect(areDone).toBe(false);
    expect((await many).every(({ status }) => status === 200)).toBe(true);
  }, 120_000);
});

describe('sign-ins at a time', () => {
  it('are bounded for one client address, and leave room for others', async () => {
    const many = Promise.all(
      Array.from({ length: 40 }, () => signIn(member.email, PASSWORD, '192.0.2.1')),
    );
    const other = await signIn('nobody@example.com', 'wrong', '192.0.2.2');
    expectFailure(other, 'unauthenticated');
    const answers = await many;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(8);
    for (const answer of refused) expectFailure(answer, 'rate_limited');
  }, 120_000);
});
