import type { ApiResponse, Json } from '../../support/api-client';
import { AuthenticatorApp, type SetUpApp } from '../../support/authenticator-app';
import { ConsoleClient, cookieOf } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = await app.console(owner);
});

const setUp = (client = console_): Promise<SetUpApp> => AuthenticatorApp.setUp(client, PASSWORD);

const signIn = (code?: string, { email }: Member = owner): Promise<ApiResponse> =>
  new ConsoleClient(app.origin).post('/session', { email, password: PASSWORD, code });

async function lastEvent(client = console_): Promise<Json> {
  return ((await client.get('/data/audit-events?limit=1')).body.data as Json[])[0] ?? {};
}

const WRONG_CODE = ['invalid_request', ['code wrong_code']] as const;

const FACTORS = { factors: ['totp', 'recovery_code'] };

describe('an authenticator app', () => {
  it('is asked for at each sign-in once it is confirmed, and not before', async () => {
    expect((await console_.get('/factors')).body.data).toEqual({
      totp: null,
      passkeys: [],
      recoveryCodes: 0,
    });
    await console_.post('/factors/totp', { currentPassword: PASSWORD });
    expect((await signIn()).body.data).toHaveProperty('csrfToken');
    const { device, recoveryCodes } = await setUp();
    expect(recoveryCodes).toHaveLength(10);
    expect((await console_.get('/factors')).body.data).toEqual({
      totp: { confirmedAt: expect.any(String) },
      passkeys: [],
      recoveryCodes: 10,
    });
    const asked = await signIn();
    expect({ status: asked.status, body: asked.body.data }).toEqual({ status: 200, body: FACTORS });
    expect(asked.headers.getSetCookie()).toEqual([]);
    const signed = await signIn(device.code(1));
    expect(signed.body.data).toHaveProperty('csrfToken');
    expect(await lastEvent()).toMatchObject({ action: 'sign_in', details: { factor: 'totp' } });
  });

  it('ends the other sessions of the user when it is confirmed', async () => {
    const other = await app.console(owner);
    await setUp();
    expectFailure(await other.get('/session'), 'unauthenticated');
    expect((await console_.get('/session')).status).toBe(200);
  });

  it('has codes that work once, and none before one that was used', async () => {
    const { device, code: first } = await setUp();
    expectFailure(await signIn(first), ...WRONG_CODE);
    const code = device.code(1);
    expect((await signIn(code)).body.data).toHaveProperty('csrfToken');
    expectFailure(await signIn(code), ...WRONG_CODE);
    expect(await lastEvent()).toMatchObject({
      action: 'sign_in_failed',
      details: { reason: 'wrong_code' },
    });
  });

  it('has a code that works once, however many sign in with it at the same time', async () => {
    const { device } = await setUp();
    const code = device.code(1);
    const responses = await Promise.all(Array.from({ length: 5 }, () => signIn(code)));
    const signed = responses.filter(({ status }) => status === 200);
    expect(signed).toHaveLength(1);
  });

  it('is not set up without the password, with a wrong code, or twice', async () => {
    const wrong = { currentPassword: 'not the password' };
    const rejected = await console_.post('/factors/totp', wrong);
    expectFailure(rejected, 'invalid_request', ['currentPassword wrong_password']);
    const early = await console_.post('/factors/totp/confirmation', { code: '123456' });
    expectFailure(early, 'conflict');
    const begun = await console_.post('/factors/totp', { currentPassword: PASSWORD });
    const device = new AuthenticatorApp((begun.body.data as { secret: string }).secret);
    const code = String((Number(device.code()) + 1) % 1_000_000).padStart(6, '0');
    const mistyped = await console_.post('/factors/totp/confirmation', { code });
    expectFailure(mistyped, 'invalid_request', ['code wrong_code']);
    const { device: own } = await setUp();
    const proof = { currentPassword: PASSWORD, code: own.code(1) };
    const again = await console_.post('/factors/totp', proof);
    expectFailure(again, 'conflict');
  });

  /** Begins to set up an app. */
  async function begin(): Promise<AuthenticatorApp> {
    const begun = await console_.post('/factors/totp', { currentPassword: PASSWORD });
    return new AuthenticatorApp((begun.body.data as { secret: string }).secret);
  }

  const confirm = (code: string): Promise<ApiResponse> =>
    console_.post('/factors/totp/confirmation', { code });

  it('is not confirmed a quarter of an hour after its secret was shown', async () => {
    const device = await begin();
    await app.sql.query(
      "UPDATE user_totps SET created_at = now() - interval '16 minutes' WHERE user_id = $1",
      [owner.userId],
    );
    expectFailure(await confirm(device.code()), 'conflict');
    expect((await confirm((await begin()).code())).status).toBe(201);
  });

  it('is not confirmed by guessing', async () => {
    const device = await begin();
    const guesses = Array.from({ length: 12 }, () => confirm('guess'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
    expectFailure(await confirm(device.code()), 'rate_limited');
  });

  it('has a secret that is in no audit event and no log', async () => {
    const begun = await console_.post('/factors/totp', { currentPassword: PASSWORD });
    const { secret } = begun.body.data as { secret: string };
    const device = new AuthenticatorApp(secret);
    await console_.post('/factors/totp/confirmation', { code: device.code() });
    const { body } = await console_.get('/data/audit-events?limit=200');
    expect(JSON.stringify([body, app.logs])).not.toContain(secret);
  });

  it('is removed with the password and a code, after which the password is enough', async () => {
    const { device, recoveryCodes } = await setUp();
    const remove = (body: object): Promise<ApiResponse> =>
      console_.post('/factors/totp/removal', body);
    const [code, currentPassword] = [device.code(1), PASSWORD];
    expectFailure(await remove({ currentPassword, code: '000' }), 'invalid_request', [
      'code wrong_code',
    ]);
    expectFailure(await remove({ currentPassword: 'wrong', code }), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
    expect((await remove({ currentPassword, code })).status).toBe(204);
    expect(await lastEvent()).toMatchObject({ action: 'factor_removed' });
    expect((await signIn()).body.data).toHaveProperty('csrfToken');
    expect((await console_.get('/factors')).body.data).toEqual({
      totp: null,
      passkeys: [],
      recoveryCodes: 0,
    });
    await setUp();
    expectFailure(await signIn(recoveryCodes[0]), ...WRONG_CODE);
  });

  it('accepts only recovery codes after fifty wrong codes in a row', async () => {
    const { device, recoveryCodes } = await setUp();
    await app.sql.query('UPDATE user_totps SET wrong_codes = 49 WHERE user_id = $1', [
      owner.userId,
    ]);
    expectFailure(await signIn('wrong'), ...WRONG_CODE);
    expect(await lastEvent()).toMatchObject({ action: 'sign_in_failed' });
    const { body } = await console_.get('/data/audit-events?limit=2');
    expect(body.data).toContainEqual(expect.objectContaining({ action: 'factor_locked' }));
    const locked = await signIn(device.code(1));
    expectFailure(locked, ...WRONG_CODE);
    expect(JSON.stringify(locked.body)).toContain('use a recovery code');
    expect((await signIn(recoveryCodes[0])).body.data).toHaveProperty('csrfToken');
    expect((await signIn(device.code(1))).body.data).toHaveProperty('csrfToken');
  });
});

describe('recovery codes', () => {
  it('replace a code of the app, each once', async () => {
    const { recoveryCodes } = await setUp();
    const [first = '', second = ''] = recoveryCodes;
    expect((await signIn(first.toUpperCase())).body.data).toHaveProperty('csrfToken');
    expect(await lastEvent()).toMatchObject({ details: { factor: 'recovery_code' } });
    expectFailure(await signIn(first), ...WRONG_CODE);
    expect((await console_.get('/factors')).body.data).toMatchObject({ recoveryCodes: 9 });
    expect((await signIn(second)).body.data).toHaveProperty('csrfToken');
  });

  it('are replaced with the password and a code', async () => {
    const { device, recoveryCodes } = await setUp();
    const body = { currentPassword: PASSWORD, code: device.code(1) };
    const created = await console_.post('/factors/recovery-codes', body);
    expect(created.status).toBe(201);
    const { recoveryCodes: codes } = created.body.data as SetUpApp;
    expect(codes.filter((code) => recoveryCodes.includes(code))).toEqual([]);
    expectFailure(await signIn(recoveryCodes[1]), ...WRONG_CODE);
    expect((await signIn(codes[1])).body.data).toHaveProperty('csrfToken');
  });
});

describe('a user with a second factor', () => {
  it('is not signed in by a link that sets the password', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    await app.setPassword(member, PASSWORD);
    const { device } = await setUp(await app.console(member));
    const { body } = await console_.post(`/users/${member.userId}/invite`, {});
    const token = (body.data as { url: string }).url.split('/').at(-1) ?? '';
    // The browser of somebody else.
    const browser = await app.console(owner);
    const accepted = await browser.post(`/invites/${token}`, { password: PASSWORD });
    expect(accepted.body.data).toEqual(FACTORS);
    expect(cookieOf(accepted).token).toBe('');
    expectFailure(await browser.get('/session'), 'unauthenticated');
    expect((await signIn(device.code(1), member)).body.data).toHaveProperty('csrfToken');
  });

  it('loses it if an owner removes it, and nobody else can remove it', async () => {
    const member = await app.newUser(owner.accountId, 'admin');
    await app.setPassword(member, PASSWORD);
    const client = await app.console(member);
    await setUp(client);
    const path = `/users/${member.userId}/factors`;
    expectFailure(await client.delete(path), 'forbidden');
    const stranger = await app.console(await app.newAccount());
    expectFailure(await stranger.delete(path), 'not_found');
    const listed = (await console_.get('/users')).body.data as Json[];
    expect(listed.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([false, true]);
    expect((await console_.delete(path)).status).toBe(204);
    expect(await lastEvent()).toMatchObject({
      action: 'factor_removed',
      by: { userId: owner.userId },
      target: { id: member.userId },
    });
    expectFailure(await console_.delete(path), 'not_found');
    expect((await signIn(undefined, member)).body.data).toHaveProperty('csrfToken');
  });

  it('cannot remove it in the list of users, even as an owner', async () => {
    await setUp();
    expectFailure(await console_.delete(`/users/${owner.userId}/factors`), 'conflict');
  });

  it('keeps API keys that work without a code', async () => {
    await setUp();
    expect((await owner.api.get('/me')).status).toBe(200);
  });
});
