import { UserService } from '../../../src/auth/user/user.service';
import type { ApiResponse, Json } from '../../support/api-client';
import { AuthenticatorApp, type SetUpApp } from '../../support/authenticator-app';
import { ConsoleClient, cookieOf } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { OpenidProvider, signInBy } from '../../support/openid-provider';
import { SoftwarePasskey } from '../../support/software-passkey';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const PROOF = { currentPassword: PASSWORD };

let app: TestApp;
let origin: string;
let provider: OpenidProvider;
let owner: Member;
let console_: ConsoleClient;
let own: SetUpApp;
let providerId: string;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
});

afterAll(() => app.close());

beforeEach(async () => {
  provider = await OpenidProvider.start();
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = await sessionOf(owner);
  const settings = { name: 'Company', ...provider.settings, ...PROOF };
  providerId = String(dataOf(await console_.post('/providers', settings), 201)['id']);
  own = await AuthenticatorApp.setUp(console_, PASSWORD);
});

afterEach(() => provider.close());

async function sessionOf(member: Member): Promise<ConsoleClient> {
  return new ConsoleClient(origin, (await app.console(member)).token);
}

async function newMember(role: 'viewer' | 'owner' = 'viewer'): Promise<Member> {
  const member = await app.newUser(owner.accountId, role);
  await app.setPassword(member, PASSWORD);
  return member;
}

const anonymous = (): ConsoleClient => new ConsoleClient(origin);

const byProvider = ({ email, userId }: Member): Promise<ApiResponse> =>
  signInBy(provider, origin, providerId, { sub: userId, email, email_verified: true });

const byPassword = ({ email }: Member, more: object = {}): Promise<ApiResponse> =>
  anonymous().post('/session', { email, password: PASSWORD, ...more });

/** Returns a proof of the owner with one of the recovery codes, each of which works once. */
const proof = (index: number): object => ({ ...PROOF, code: own.recoveryCodes[index] });

const setRule = (requiresProvider: boolean, index: number): Promise<ApiResponse> =>
  console_.put('/security', { requiresProvider, ...proof(index) });

/** Requires single sign-on, with the first recovery code. */
async function requireProvider(): Promise<void> {
  expect(dataOf(await setRule(true, 0), 200)).toEqual({
    ...{ requiresSecondFactor: false, requiresProvider: true },
    exemptUser: { id: owner.userId, email: owner.email },
  });
}

describe('an account that requires single sign-on', () => {
  it('ends the sessions of its users that no provider started, and starts no new ones', async () => {
    const member = await newMember();
    const session = await sessionOf(member);
    const passkey = new SoftwarePasskey(origin);
    const options = dataOf(await session.post('/factors/passkeys', PROOF), 200);
    const kept = { name: 'Laptop', passkey: passkey.create(options) };
    const added = dataOf(await session.post('/factors/passkeys/confirmation', kept), 201);
    const { token } = cookieOf(await byProvider(member));
    await requireProvider();
    expectFailure(await session.get('/session'), 'unauthenticated');
    expectFailure(await session.get('/data/workspaces'), 'unauthenticated');
    expect((await new ConsoleClient(origin, token).get('/session')).status).toBe(200);
    const [code] = added.recoveryCodes as string[];
    for (const more of [{}, { code }]) {
      const rejected = await byPassword(member, more);
      expectFailure(rejected, 'forbidden');
      const page = `with Company at ${origin}/sign-in/${providerId}`;
      expect(JSON.stringify(rejected.body)).toContain(page);
    }
    const challenge = dataOf(await anonymous().post('/session/challenge'), 200);
    const signed = { passkey: passkey.sign(challenge) };
    expectFailure(await anonymous().post('/session/passkey', signed), 'forbidden');
    const wrong = { email: member.email, password: 'not the password' };
    expectFailure(await anonymous().post('/session', wrong), 'unauthenticated');
    expect((await byProvider(member)).status).toBe(200);
  });

  it('lets the owner in who required it, other accounts, and keys', async () => {
    const member = await newMember();
    const other = await app.newAccount();
    await app.setPassword(other, PASSWORD);
    await requireProvider();
    expect((await console_.get('/session')).status).toBe(200);
    expect((await byPassword(owner, { code: own.recoveryCodes[1] })).status).toBe(200);
    expect((await byPassword(other)).status).toBe(200);
    expect((await member.api.get('/me')).status).toBe(200);
  });

  it('keeps an invite link that would start a session', async () => {
    const invite = { email: `new-${owner.userId}@example.com`, role: 'viewer' };
    const { url } = dataOf(await console_.post('/users', invite), 201);
    const path = new URL(String(url)).pathname.replace('/invite/', '/invites/');
    await requireProvider();
    expectFailure(await anonymous().post(path, { password: PASSWORD }), 'forbidden');
    expect((await setRule(false, 1)).status).toBe(200);
    expect((await anonymous().post(path, { password: PASSWORD })).status).toBe(200);
  });

  it('ends an invite link of the owner who is exempt', async () => {
    const second = await sessionOf(await newMember('owner'));
    const { url } = dataOf(await second.post(`/users/${owner.userId}/invite`), 201);
    const path = new URL(String(url)).pathname.replace('/invite/', '/invites/');
    await requireProvider();
    expectFailure(await anonymous().post(path, { password: PASSWORD }), 'not_found');
    expect((await byPassword(owner, { code: own.recoveryCodes[1] })).status).toBe(200);
  });

  it('keeps the last passkey of the owner who is exempt, also if two are removed at once', async () => {
    const ids: string[] = [];
    for (const index of [1, 2]) {
      const options = dataOf(await console_.post('/factors/passkeys', proof(index)), 200);
      const kept = { name: 'Key', passkey: new SoftwarePasskey(origin).create(options) };
      expect((await console_.post('/factors/passkeys/confirmation', kept)).status).toBe(201);
    }
    await requireProvider();
    await app.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [owner.userId]);
    const session = new ConsoleClient(origin, cookieOf(await byProvider(owner)).token);
    const { passkeys } = dataOf(await session.get('/factors'), 200);
    for (const { id } of passkeys as Json[]) ids.push(String(id));
    const client = await app.sql.connect();
    let removals: Promise<ApiResponse>[] = [];
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [owner.userId]);
      removals = ids.map((id) => session.post(`/factors/passkeys/${id}/removal`, {}));
      await eventually(async () => (await waitingForLocks(app)) === 2);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 409]);
  });

  it('lets users in again once it no longer requires it', async () => {
    const member = await newMember();
    const session = await sessionOf(member);
    await requireProvider();
    expect((await setRule(false, 1)).status).toBe(200);
    // It has ended for good.
    expectFailure(await session.get('/session'), 'unauthenticated');
    expect((await byPassword(member)).status).toBe(200);
  });

  it('has a provider, and an owner with a second factor who can sign in without it', async () => {
    const second = await sessionOf(await newMember('owner'));
    expectFailure(await second.put('/security', { requiresProvider: true, ...PROOF }), 'conflict');
    await requireProvider();
    const removal = `/providers/${providerId}/removal`;
    expectFailure(await console_.post(removal, proof(1)), 'conflict');
    expect((await setRule(false, 2)).status).toBe(200);
    expect((await console_.post(removal, proof(3))).status).toBe(204);
    expectFailure(await setRule(true, 4), 'conflict');
    expectFailure(await console_.put('/security', { requiresProvider: 1 }), 'invalid_request', [
      'requiresProvider wrong_type',
    ]);
  });

  it('keeps the owner who is exempt: active, an owner, and with their credentials', async () => {
    const second = await sessionOf(await newMember('owner'));
    await requireProvider();
    const provided = new ConsoleClient(
      origin,
      cookieOf(await byProvider(await newMember('owner'))).token,
    );
    const path = `/users/${owner.userId}`;
    expectFailure(await second.get('/session'), 'unauthenticated');
    for (const change of [{ suspended: true }, { role: 'admin' }])
      expectFailure(await provided.patch(path, change), 'conflict');
    expectFailure(await provided.post(`${path}/invite`), 'conflict');
    expectFailure(await provided.delete(`${path}/factors`), 'conflict');
    const { accountId, email } = owner;
    const users = app.nest.get(UserService);
    await expect(users.setSuspended(email, true, accountId)).rejects.toThrow('Stop requiring it');
    const directory = { scimToken: { id: owner.keyId, name: 'Directory' } };
    const renaming = users.changeIn(
      accountId,
      owner.userId,
      { email: 'a@evil.example' },
      directory,
    );
    await expect(renaming).rejects.toThrow('A directory cannot change');
    expect((await byPassword(owner, { code: own.recoveryCodes[1] })).status).toBe(200);
  });

  it('has one owner who is exempt, who has a password or a passkey', async () => {
    const second = await newMember('owner');
    const session = await sessionOf(second);
    const { recoveryCodes } = await AuthenticatorApp.setUp(session, PASSWORD);
    await requireProvider();
    const provided = new ConsoleClient(origin, cookieOf(await byProvider(second)).token);
    expectFailure(await provided.put('/security', { requiresProvider: true }), 'conflict');
    expect((await setRule(false, 1)).status).toBe(200);
    await app.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [second.userId]);
    expectFailure(await provided.put('/security', { requiresProvider: true }), 'conflict');
    expect(recoveryCodes).toHaveLength(10);
  });

  it('records each change, and sign-ins that are rejected', async () => {
    const member = await newMember();
    await requireProvider();
    await byPassword(member);
    await setRule(true, 1);
    await setRule(false, 2);
    const events = (await console_.get('/data/audit-events?limit=3')).body.data as Json[];
    expect(events).toMatchObject([
      { action: 'provider_not_required', by: { userId: owner.userId } },
      { action: 'sign_in_failed', details: { reason: 'provider_required' } },
      { action: 'provider_required', target: { id: owner.accountId } },
    ]);
  });
});

describe('a session that a provider started', () => {
  it('needs no other proof for ten minutes, and then one', async () => {
    const { token } = cookieOf(await byProvider(owner));
    const session = new ConsoleClient(origin, token);
    const { provider: named } = dataOf(await session.get('/session'), 200);
    expect(named).toEqual({ id: providerId, name: 'Company', provesUntil: expect.any(String) });
    expect((await session.post('/factors/recovery-codes', {})).status).toBe(201);
    const aged = "UPDATE sessions SET created_at = now() - interval '10 minutes'";
    await app.sql.query(`${aged} WHERE provider_id = $1`, [providerId]);
    for (const each of [session, console_]) {
      expectFailure(await each.post('/factors/recovery-codes', {}), 'invalid_request', [
        'currentPassword required',
      ]);
    }
  });

  it('does not make a wrong proof right', async () => {
    const session = new ConsoleClient(origin, cookieOf(await byProvider(owner)).token);
    const wrong = { currentPassword: 'not the password', code: own.recoveryCodes[0] };
    expectFailure(await session.post('/factors/recovery-codes', wrong), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
  });
});
