import crypto from 'node:crypto';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let member: Member;

beforeEach(async () => {
  app = await TestApp.start({
    settings: { SIGN_IN_LIMIT: '3', SIGN_IN_ADDRESS_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.1' },
    // A hash takes longer than a request.
    hashLog2N: 14,
  });
  member = await app.newAccount();
  await app.setPassword(member, PASSWORD);
});

afterEach(() => app.close());

const signIn = (email: string, password: string, address: string): Promise<ApiResponse> =>
  new ConsoleClient(app.origin).post(
    '/session',
    { email, password },
    { 'x-forwarded-for': address },
  );

describe('the limit on wrong passwords', () => {
  it('applies to each e-mail address, known or unknown, over all client addresses', async () => {
    for (const email of [member.email, 'nobody@example.com']) {
      const known = email === member.email ? 1 : 2;
      for (const last of [1, 2, 3]) {
        const response = await signIn(email, 'wrong', `192.0.${known}.${last}`);
        expectFailure(response, 'unauthenticated');
      }
      const rejected = await signIn(email.toUpperCase(), PASSWORD, `192.0.${known}.4`);
      expectFailure(rejected, 'rate_limited');
      const seconds = Number(rejected.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(300);
    }
  });

  it('applies to each client address over all e-mail addresses', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expectFailure(await signIn(`${name}@example.com`, 'wrong', '192.0.2.1'), 'unauthenticated');
    }
    expectFailure(await signIn(member.email, PASSWORD, '192.0.2.1'), 'rate_limited');
    expect((await signIn(member.email, PASSWORD, '192.0.2.2')).status).toBe(200);
  });

  it('holds if many wrong passwords are sent concurrently', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => signIn(member.email, 'wrong', `192.0.2.${n}`)),
    );
    const count = (status: number): number =>
      responses.filter((response) => response.status === status).length;
    expect([count(401), count(429)]).toEqual([3, 9]);
  });

  it('does not count a locked e-mail address toward its client address', async () => {
    for (let n = 0; n < 3; n += 1) await signIn('nobody@example.com', 'wrong', '192.0.2.1');
    for (let n = 0; n < 10; n += 1) {
      expectFailure(await signIn('nobody@example.com', 'wrong', '192.0.2.1'), 'rate_limited');
    }
    expect((await signIn(member.email, PASSWORD, '192.0.2.1')).status).toBe(200);
  });

  it('does not count correct passwords', async () => {
    for (let n = 0; n < 8; n += 1) {
      expect((await signIn(member.email, PASSWORD, '192.0.2.1')).status).toBe(200);
    }
  });

  it('does not count 30 concurrent correct passwords', async () => {
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => signIn(member.email, PASSWORD, '192.0.2.1')),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
    // They count for nothing: the full number of wrong passwords is still checked.
    for (let n = 0; n < 3; n += 1) {
      expectFailure(await signIn(member.email, 'wrong', '192.0.2.1'), 'unauthenticated');
    }
    expectFailure(await signIn(member.email, PASSWORD, '192.0.2.1'), 'rate_limited');
  }, 120_000);

  it('does not reject concurrent correct passwords of another user', async () => {
    const other = await app.newUser(member.accountId, 'viewer');
    await app.setPassword(other, PASSWORD);
    const responses = await Promise.all([
      ...['a', 'b', 'c'].map((name) => signIn(`${name}@example.com`, 'wrong', '192.0.2.1')),
      ...Array.from({ length: 6 }, () => signIn(other.email, PASSWORD, '192.0.2.1')),
    ]);
    const expected = [401, 401, 401, ...(Array(6).fill(200) as number[])];
    expect(responses.map(({ status }) => status)).toEqual(expected);
  }, 60_000);

  it('does not delay a client address until all sign-ins of another one are checked', async () => {
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

describe('the limit on concurrent sign-ins', () => {
  it('applies to one client address and leaves capacity for others', async () => {
    const release = holdHashes();
    const responses: ApiResponse[] = [];
    const many = Array.from({ length: 40 }, async () => {
      responses.push(await signIn(member.email, PASSWORD, '192.0.2.1'));
    });
    await eventually(() => responses.length === 8);
    for (const response of responses.splice(0)) expectFailure(response, 'rate_limited');
    const other = signIn('nobody@example.com', 'wrong', '192.0.2.2');
    release();
    expectFailure(await other, 'unauthenticated');
    await Promise.all(many);
    expect(responses.map(({ status }) => status)).toEqual(Array(32).fill(200));
  });
});

/** Lets no hash begin until the function that it returns is called. */
function holdHashes(): () => void {
  const held: (() => void)[] = [];
  const { scrypt } = crypto;
  const spy = jest.spyOn(crypto, 'scrypt').mockImplementation((...parameters) => {
    held.push(() => {
      scrypt(...parameters);
    });
  });
  return () => {
    spy.mockRestore();
    for (const begin of held) begin();
  };
}
