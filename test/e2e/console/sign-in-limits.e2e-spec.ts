import { PasswordService } from '../../../src/auth/password/password.service';
import type { Answer } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let member: Member;

beforeEach(async () => {
  app = await TestApp.start({ settings: { SIGN_IN_LIMIT: '3', TRUSTED_PROXIES: '127.0.0.1' } });
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
    for (const name of ['a', 'b', 'c']) {
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

  it('are all that counts: the right one may come as often as one likes', async () => {
    for (let n = 0; n < 8; n += 1) {
      expect((await signIn(member.email, PASSWORD, '192.0.2.1')).status).toBe(200);
    }
  });
});
