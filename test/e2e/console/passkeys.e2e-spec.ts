import { UserService } from '../../../src/auth/user/user.service';
import type { ApiResponse, Json } from '../../support/api-client';
import { AuthenticatorApp } from '../../support/authenticator-app';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { type Fault, SoftwarePasskey } from '../../support/software-passkey';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const BY_PASSWORD = { currentPassword: PASSWORD };

let app: TestApp;
/** Passkeys need a host name. */
let origin: string;
let anonymous: ConsoleClient;
let owner: Member;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
  anonymous = new ConsoleClient(origin);
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = await sessionOf(owner);
});

async function sessionOf(member: Member): Promise<ConsoleClient> {
  return new ConsoleClient(origin, (await app.console(member)).token);
}

interface Added {
  readonly passkey: SoftwarePasskey;
  readonly recoveryCodes: readonly string[] | null;
}

const confirm = (passkey: object, name = 'Laptop', client = console_): Promise<ApiResponse> =>
  client.post('/factors/passkeys/confirmation', { name, passkey });

const begin = async (proof: object = BY_PASSWORD, client = console_): Promise<Json> =>
  dataOf(await client.post('/factors/passkeys', proof), 200);

/** Adds a passkey of the user. */
async function add(proof: object = BY_PASSWORD, client = console_): Promise<Added> {
  const passkey = new SoftwarePasskey(origin);
  const added = await confirm(passkey.create(await begin(proof, client)), 'Laptop', client);
  const { recoveryCodes } = dataOf(added, 201) as unknown as Added;
  return { passkey, recoveryCodes };
}

const challenge = async (): Promise<Json> =>
  dataOf(await anonymous.post('/session/challenge'), 200);

const send = (passkey: object): Promise<ApiResponse> =>
  anonymous.post('/session/passkey', { passkey });

const signIn = async (passkey: SoftwarePasskey, fault: Fault = {}): Promise<ApiResponse> =>
  send(passkey.sign(await challenge(), fault));

/** Proves the user by a passkey. */
const proofBy = async (passkey: SoftwarePasskey, client = console_): Promise<object> => ({
  passkey: passkey.sign(dataOf(await client.post('/factors/challenge'), 200)),
});

const lastEvent = async (): Promise<Json> =>
  ((await console_.get('/data/audit-events?limit=1')).body.data as Json[])[0] ?? {};

const factors = async (): Promise<Json> => dataOf(await console_.get('/factors'), 200);

describe('a passkey', () => {
  it('signs in without a password, as often as it signs a new challenge', async () => {
    const { passkey } = await add();
    expect(await factors()).toMatchObject({ passkeys: [{ name: 'Laptop', lastUsedAt: null }] });
    for (let n = 0; n < 2; n += 1) {
      const session = dataOf(await signIn(passkey), 200);
      expect(session).toMatchObject({ user: { id: owner.userId }, csrfToken: expect.any(String) });
    }
    expect(await lastEvent()).toMatchObject({ action: 'sign_in', details: { factor: 'passkey' } });
    expect(await factors()).toMatchObject({ passkeys: [{ lastUsedAt: expect.any(String) }] });
  });

  it('signs in once with each response, however many send it at the same time', async () => {
    const { passkey } = await add();
    const response = passkey.sign(await challenge());
    const statuses = (await Promise.all([1, 2, 3, 4, 5].map(() => send(response)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401]);
    expectFailure(await send(response), 'unauthenticated');
  });

  it('does not sign in with a challenge that has expired, or was made for something else', async () => {
    const { passkey } = await add();
    const late = passkey.sign(await challenge());
    await app.sql.query("UPDATE passkey_challenges SET expires_at = now() - interval '1 second'");
    expectFailure(await send(late), 'unauthenticated');
    const { passkey: proof } = (await proofBy(passkey)) as { passkey: object };
    expectFailure(await send(proof), 'unauthenticated');
    const invented = { challenge: Buffer.alloc(32).toString('base64url'), rpId: 'localhost' };
    expectFailure(await send(passkey.sign(invented)), 'unauthenticated');
  });

  it.each<[string, Fault]>([
    ['for the page of another site', { origin: 'https://datagrid.example' }],
    ['for another site', { rpId: 'datagrid.example' }],
    ['without a check of its user', { isVerified: false }],
    ['in a response to a registration', { type: 'webauthn.create' }],
    ['with a counter that was used before', { counter: 1 }],
  ])('does not sign in %s, and this is recorded', async (_, fault) => {
    const { passkey } = await add();
    expect((await signIn(passkey)).status).toBe(200);
    expectFailure(await signIn(passkey, fault), 'unauthenticated');
    const details = { reason: 'wrong_passkey' };
    expect(await lastEvent()).toMatchObject({ action: 'sign_in_failed', details });
  });

  it('does not sign in with the signature of another key', async () => {
    const { passkey } = await add();
    const other = new SoftwarePasskey(origin);
    const response = other.sign(await challenge());
    expectFailure(
      await send({ ...response, id: passkey.id, rawId: passkey.id }),
      'unauthenticated',
    );
    expectFailure(await signIn(other), 'unauthenticated');
  });

  it.each<object>([
    {},
    { id: 1 },
    { id: 'x', response: null },
    { id: 'x', response: { clientDataJSON: '!' } },
    { id: 'x', response: { clientDataJSON: Buffer.from('null').toString('base64url') } },
    {
      id: 'x',
      response: { clientDataJSON: Buffer.from('{"challenge":[]}').toString('base64url') },
    },
    {
      id: 'x',
      response: {
        clientDataJSON: Buffer.from(String.raw`{"challenge":"\u0000"}`).toString('base64url'),
      },
    },
  ])('does not sign in, and is not added, if the response is %j', async (response) => {
    expectFailure(await send(response), 'unauthenticated');
    await begin();
    expectFailure(await confirm(response), 'invalid_request', ['passkey wrong_passkey']);
  });

  it('does not sign in a suspended user', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    await app.setPassword(member, PASSWORD);
    const { passkey } = await add(BY_PASSWORD, await sessionOf(member));
    await app.nest.get(UserService).setSuspended(member.email, true);
    expectFailure(await signIn(passkey), 'account_suspended');
  });

  it('does not sign in after it was removed', async () => {
    const { passkey } = await add();
    const [{ id } = { id: '' }] = (await factors())['passkeys'] as { id: string }[];
    const proof = await proofBy(passkey);
    expect((await console_.post(`/factors/passkeys/${id}/removal`, proof)).status).toBe(204);
    expect(await lastEvent()).toMatchObject({
      action: 'factor_removed',
      details: { factor: 'passkey', name: 'Laptop' },
    });
    expectFailure(await signIn(passkey), 'unauthenticated');
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodes: 0 });
  });

  it('is asked for at sign-ins with the password, which a recovery code replaces', async () => {
    const { recoveryCodes } = await add();
    const credentials = { email: owner.email, password: PASSWORD };
    const asked = dataOf(await anonymous.post('/session', credentials), 200);
    expect(asked).toEqual({ factors: ['passkey', 'recovery_code'] });
    const [code] = recoveryCodes ?? [];
    const session = dataOf(await anonymous.post('/session', { ...credentials, code }), 200);
    expect(session).toHaveProperty('csrfToken');
  });

  it('satisfies an account that requires a second factor', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    await app.setPassword(member, PASSWORD);
    const client = await sessionOf(member);
    const { passkey } = await add();
    const body = { requiresSecondFactor: true, ...(await proofBy(passkey)) };
    expect((await console_.put('/security', body)).status).toBe(200);
    expect(dataOf(await client.get('/session'), 200)).toMatchObject({ lacksSecondFactor: true });
    await add(BY_PASSWORD, client);
    expect(dataOf(await client.get('/session'), 200)).toMatchObject({ lacksSecondFactor: false });
  });
});

describe('adding a passkey', () => {
  it('returns recovery codes with the first factor only, and ends the other sessions', async () => {
    const other = await app.console(owner);
    const { passkey, recoveryCodes } = await add();
    expect(recoveryCodes).toHaveLength(10);
    expectFailure(await other.get('/session'), 'unauthenticated');
    const second = await add(await proofBy(passkey));
    expect(second.recoveryCodes).toBeNull();
    expect(await factors()).toMatchObject({ recoveryCodes: 10, totp: null });
  });

  it('needs the password, and a code or a passkey once there is a second factor', async () => {
    const post = (proof: object): Promise<ApiResponse> => console_.post('/factors/passkeys', proof);
    expectFailure(await post({}), 'invalid_request', ['currentPassword required']);
    const wrong = await post({ currentPassword: 'not the password' });
    expectFailure(wrong, 'invalid_request', ['currentPassword wrong_password']);
    expect(await lastEvent()).toMatchObject({
      action: 'reauthentication_failed',
      details: { reason: 'wrong_password' },
    });
    const { device } = await AuthenticatorApp.setUp(console_, PASSWORD);
    expectFailure(await post(BY_PASSWORD), 'invalid_request', ['code required']);
    await begin({ ...BY_PASSWORD, code: device.code(1) });
  });

  it('is not possible with a challenge of another user, or twice with one', async () => {
    const stranger = await app.newAccount();
    await app.setPassword(stranger, PASSWORD);
    const other = await sessionOf(stranger);
    const passkey = new SoftwarePasskey(origin);
    const response = passkey.create(await begin());
    expectFailure(await confirm(response, 'x', other), 'invalid_request', [
      'passkey wrong_passkey',
    ]);
    expect((await confirm(response)).status).toBe(201);
    expectFailure(await confirm(response), 'invalid_request', ['passkey wrong_passkey']);
    const again = passkey.create(await begin(BY_PASSWORD, other));
    expectFailure(await confirm(again, 'x', other), 'conflict');
  });

  it('is not possible without a check of its user, or for another site', async () => {
    for (const fault of [{ isVerified: false }, { origin: 'https://datagrid.example' }]) {
      const response = new SoftwarePasskey(origin).create(await begin(), fault);
      expectFailure(await confirm(response), 'invalid_request', ['passkey wrong_passkey']);
    }
  });

  it('is not possible at an IP address', async () => {
    const client = await app.console(owner);
    expectFailure(await client.post('/factors/passkeys', BY_PASSWORD), 'conflict');
  });

  it('is not possible beyond twenty', async () => {
    const { passkey } = await add();
    await app.sql.query(
      `INSERT INTO user_passkeys (id, user_id, name, credential_id, public_key, counter, transports)
       SELECT gen_random_uuid(), $1, 'x', gen_random_uuid()::text, '', 0, '{}'
       FROM generate_series(1, 19)`,
      [owner.userId],
    );
    expectFailure(await console_.post('/factors/passkeys', await proofBy(passkey)), 'conflict');
  });
});

describe('a proof by a passkey', () => {
  it('is not accepted from another user, or twice', async () => {
    const { passkey } = await add();
    const proof = await proofBy(passkey);
    await begin(proof);
    const again = await console_.post('/factors/passkeys', proof);
    expectFailure(again, 'invalid_request', ['passkey wrong_passkey']);
    const stranger = await app.newAccount();
    await app.setPassword(stranger, PASSWORD);
    const other = await sessionOf(stranger);
    for (const client of [console_, other]) {
      const foreign = await other.post('/factors/passkeys', await proofBy(passkey, client));
      expectFailure(foreign, 'invalid_request', ['passkey wrong_passkey']);
    }
  });

  it('is not needed for a passkey that does not exist', async () => {
    expectFailure(await console_.post(`/factors/passkeys/${NO_ID}/removal`, {}), 'not_found');
  });
});
