import type { Role } from '../../../src/common/permission/permission';
import { servesWithoutSecondFactor } from '../../../src/platform/http/access';
import type { ApiResponse, Json } from '../../support/api-client';
import { AuthenticatorApp, type SetUpApp } from '../../support/authenticator-app';
import { CONSOLE, type ConsoleClient } from '../../support/console-client';
import { consoleBody, consolePath, dataClient, sessionRoutes } from '../../support/console-routes';
import { expectFailure } from '../../support/failure';
import { dataOf, newWorkspace, NO_ID } from '../../support/fixture';
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

/** Adds a user with a password to the account of the owner. */
async function newMember(role: Role): Promise<Member> {
  const member = await app.newUser(owner.accountId, role);
  await app.setPassword(member, PASSWORD);
  return member;
}

function change(requiresSecondFactor: boolean, code: string): Promise<ApiResponse> {
  const body = { requiresSecondFactor, currentPassword: PASSWORD, code };
  return console_.put('/security', body);
}

/** Requires a second factor from all users of the account. The owner sets one up. */
async function requireFactor(): Promise<SetUpApp> {
  const own = await AuthenticatorApp.setUp(console_, PASSWORD);
  expect(dataOf(await change(true, own.device.code(1)), 200)).toEqual({
    ...{ requiresSecondFactor: true, requiresProvider: false, exemptUser: null },
  });
  return own;
}

const lacksSecondFactor = async (client: ConsoleClient): Promise<unknown> =>
  dataOf(await client.get('/session'), 200).lacksSecondFactor;

/** Console routes that serve users who lack the second factor that their account requires. */
const SERVED = [
  'DELETE /session',
  'DELETE /sessions/:id',
  'GET /factors',
  'GET /session',
  'GET /sessions',
  'POST /factors/passkeys',
  'POST /factors/passkeys/confirmation',
  'POST /factors/totp',
  'POST /factors/totp/confirmation',
  'PUT /password',
];

const REQUIRED = 'This account requires a second factor. Set one up in your profile first.';

describe('an account that requires a second factor', () => {
  it('serves users who lack one only where they set one up, and rejects every other call', async () => {
    // The role alone would allow every call.
    const session = await app.console(await newMember('owner'));
    await requireFactor();
    const served = sessionRoutes(app).filter(({ handler }) => servesWithoutSecondFactor(handler));
    expect(
      served.map(({ method, path }) => `${method} ${path.slice(CONSOLE.length)}`).sort(),
    ).toEqual(SERVED);
    const values = { id: NO_ID, keyId: NO_ID };
    for (const route of sessionRoutes(app)) {
      if (servesWithoutSecondFactor(route.handler)) continue;
      const path = consolePath(route, values);
      const response = await session.send(route.method, path, consoleBody(route));
      expectFailure(response, 'forbidden');
      expect(response.body).toMatchObject({ error: { message: REQUIRED } });
    }
    expect((await session.get('/sessions')).status).toBe(200);
  });

  it('rejects their reads and writes of data, until they have set one up', async () => {
    const member = await newMember('admin');
    const session = await app.console(member);
    const data = await dataClient(app, member);
    const workspaceId = await newWorkspace(owner.api);
    const path = `/workspaces/${workspaceId}`;
    expect((await data.get(path)).status).toBe(200);
    expect(await lacksSecondFactor(session)).toBe(false);
    await requireFactor();
    expect(await lacksSecondFactor(session)).toBe(true);
    for (const each of [path, '/me', '/workspaces', `/workspaces/${NO_ID}`, '/nonsense']) {
      expectFailure(await data.get(each), 'forbidden');
    }
    expectFailure(await data.post('/workspaces', { name: 'x' }), 'forbidden');
    await AuthenticatorApp.setUp(session, PASSWORD);
    expect(await lacksSecondFactor(session)).toBe(false);
    expect((await session.get('/data/workspaces')).status).toBe(200);
  });

  it('signs in a user who has none, and says so in the session', async () => {
    await requireFactor();
    const { email } = await newMember('viewer');
    const credentials = { email, password: PASSWORD };
    const session = dataOf(await console_.post('/session', credentials), 200);
    expect(session).toMatchObject({ lacksSecondFactor: true, csrfToken: expect.any(String) });
  });

  it('restricts a user again who removes the own factor', async () => {
    const member = await newMember('viewer');
    const session = await app.console(member);
    const { device } = await AuthenticatorApp.setUp(session, PASSWORD);
    await requireFactor();
    expect(await lacksSecondFactor(session)).toBe(false);
    const proof = { currentPassword: PASSWORD, code: device.code(1) };
    expect((await session.post('/factors/totp/removal', proof)).status).toBe(204);
    expect(await lacksSecondFactor(session)).toBe(true);
  });

  it('keeps the API keys of its users working', async () => {
    const member = await newMember('viewer');
    await requireFactor();
    expect((await member.api.get('/workspaces')).status).toBe(200);
  });

  it('restricts nobody in other accounts, and nobody anymore once it no longer requires one', async () => {
    const member = await app.console(await newMember('viewer'));
    const other = await app.console(await app.newAccount());
    const { recoveryCodes } = await requireFactor();
    expect(await lacksSecondFactor(other)).toBe(false);
    expect(await lacksSecondFactor(member)).toBe(true);
    expect((await change(false, recoveryCodes[0] ?? '')).status).toBe(200);
    expect(await lacksSecondFactor(member)).toBe(false);
    expect(dataOf(await console_.get('/security'), 200)).toMatchObject({
      requiresSecondFactor: false,
    });
  });

  it('becomes one only by an owner who has a second factor, and proves it', async () => {
    expectFailure(await change(true, '123456'), 'conflict');
    const { device } = await AuthenticatorApp.setUp(console_, PASSWORD);
    expectFailure(await change(true, 'wrong'), 'invalid_request', ['code wrong_code']);
    const code = device.code(1);
    const body = { requiresSecondFactor: true, currentPassword: 'not the password', code };
    const rejected = await console_.put('/security', body);
    expectFailure(rejected, 'invalid_request', ['currentPassword wrong_password']);
    const typed = await console_.put('/security', { ...body, requiresSecondFactor: 'yes' });
    expectFailure(typed, 'invalid_request', ['requiresSecondFactor wrong_type']);
    const nothing = await console_.put('/security', { ...body, requiresSecondFactor: undefined });
    expectFailure(nothing, 'invalid_request', ['requiresSecondFactor required']);
    const admin = await app.console(await newMember('admin'));
    expectFailure(await admin.get('/security'), 'forbidden');
    expectFailure(await admin.put('/security', body), 'forbidden');
    expect(dataOf(await console_.get('/security'), 200)).toMatchObject({
      requiresSecondFactor: false,
    });
    expect((await change(true, code)).status).toBe(200);
  });

  it('records each change of the rule, and nothing if it is the same as before', async () => {
    const { recoveryCodes } = await requireFactor();
    await change(true, recoveryCodes[0] ?? '');
    await change(false, recoveryCodes[1] ?? '');
    const events = (await console_.get('/data/audit-events?limit=3')).body.data as Json[];
    expect(events).toMatchObject([
      { action: 'factor_not_required', by: { userId: owner.userId }, target: { kind: 'account' } },
      { action: 'factor_required', target: { id: owner.accountId } },
      { action: 'factor_added' },
    ]);
  });
});
