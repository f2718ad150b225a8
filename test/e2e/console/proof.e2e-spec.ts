import { requiresRecentSignIn } from '../../../src/platform/http/access';
import { AuthenticatorApp } from '../../support/authenticator-app';
import { CONSOLE, type ConsoleClient } from '../../support/console-client';
import { consoleBody, consolePath, sessionRoutes } from '../../support/console-routes';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const KEY = { name: 'k', expiresAt: null };

/** Console routes that need a user who has signed in within the last hour. */
const PROTECTED = [
  'DELETE /users/:id/factors',
  'PATCH /scim/groups/:id',
  'PATCH /users/:id',
  'POST /applications',
  'POST /keys',
  'POST /keys/:id/rotation',
  'POST /service-accounts',
  'POST /service-accounts/:id/keys',
  'POST /service-accounts/:id/keys/:keyId/rotation',
  'POST /users',
  'POST /users/:id/invite',
];

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

/** Makes all sessions of the owner as old as an interval says. */
async function age(interval: string): Promise<void> {
  const text = 'UPDATE sessions SET proven_at = now() - $2::interval WHERE user_id = $1';
  await app.sql.query(text, [owner.userId, interval]);
}

const RECENT_SIGN_IN_REQUIRED = ['session recent_sign_in_required'];

describe('a session whose user signed in more than an hour ago', () => {
  it('cannot create keys or change users, and everything else it can', async () => {
    await age('1 hour');
    const protectedRoutes = sessionRoutes(app).filter(({ handler }) =>
      requiresRecentSignIn(handler),
    );
    const names = protectedRoutes.map(
      ({ method, path }) => `${method} ${path.slice(CONSOLE.length)}`,
    );
    expect(names.sort()).toEqual(PROTECTED);
    for (const route of protectedRoutes) {
      const path = consolePath(route, { id: NO_ID, keyId: NO_ID });
      const response = await console_.send(route.method, path, consoleBody(route));
      expectFailure(response, 'forbidden', RECENT_SIGN_IN_REQUIRED);
    }
    for (const path of ['/session', '/keys', '/users', '/data/workspaces'])
      expect((await console_.get(path)).status).toBe(200);
    expect((await console_.post('/data/workspaces', { name: 'x' })).status).toBe(201);
  });

  it('can again once the user has signed in again, for an hour', async () => {
    const other = await app.console(owner);
    await age('1 hour');
    expectFailure(await console_.post('/session/proof', {}), 'invalid_request', [
      'currentPassword required',
    ]);
    const wrong = { currentPassword: 'not the password' };
    expectFailure(await console_.post('/session/proof', wrong), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
    expectFailure(await console_.post('/keys', KEY), 'forbidden', RECENT_SIGN_IN_REQUIRED);
    const right = { currentPassword: PASSWORD };
    expect((await console_.post('/session/proof', right)).status).toBe(204);
    expect((await console_.post('/keys', KEY)).status).toBe(201);
    expectFailure(await other.post('/keys', KEY), 'forbidden', RECENT_SIGN_IN_REQUIRED);
    await age('59 minutes');
    expect((await console_.post('/keys', KEY)).status).toBe(201);
    await age('1 hour');
    expectFailure(await console_.post('/keys', KEY), 'forbidden', RECENT_SIGN_IN_REQUIRED);
  });

  it('needs a code as well if sign-ins ask for one', async () => {
    const { recoveryCodes } = await AuthenticatorApp.setUp(console_, PASSWORD);
    await age('1 hour');
    const proof = { currentPassword: PASSWORD };
    expectFailure(await console_.post('/session/proof', proof), 'invalid_request', [
      'code required',
    ]);
    const whole = { ...proof, code: recoveryCodes[0] };
    expect((await console_.post('/session/proof', whole)).status).toBe(204);
    expect(dataOf(await console_.post('/keys', KEY), 201)).toMatchObject({ name: 'k' });
  });

  it('does not matter to API keys', async () => {
    await age('30 days');
    expect((await owner.api.get('/me')).status).toBe(200);
  });
});
