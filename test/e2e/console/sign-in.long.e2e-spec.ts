import crypto from 'node:crypto';
import { csrfTokenOf } from '../../../src/auth/session/session-cookie';
import { UserService } from '../../../src/auth/user/user.service';
import { AccountService } from '../../../src/auth/account.service';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient, cookieOf } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, RFC3339, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const SIGNED_IN_AT_MOST = 30 * 86_400_000;

let app: TestApp;
let team: Team;
let anonymous: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.start({ settings: { SIGN_IN_LIMIT: '100' } });
  team = await newTeam(app);
  anonymous = new ConsoleClient(app.origin);
  await app.setPassword(team.editor, PASSWORD);
});

afterAll(() => app.close());

const signIn = (
  email: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<ApiResponse> => anonymous.post('/session', { email, password }, headers);

describe('a sign-in to the console', () => {
  it('returns a session in a cookie that scripts and other sites cannot use', async () => {
    const { email, userId, accountId } = team.editor;
    const response = await signIn(email.toUpperCase(), PASSWORD);
    const data = dataOf(response, 200);
    const { token, attributes } = cookieOf(response);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(attributes).toEqual([
      expect.stringMatching(/^Expires=/),
      'HttpOnly',
      'Path=/',
      'SameSite=Lax',
    ]);
    const lifeMs = Date.parse((attributes[0] ?? '').slice('Expires='.length)) - Date.now();
    expect(lifeMs).toBeGreaterThan(SIGNED_IN_AT_MOST - 60_000);
    expect(lifeMs).toBeLessThanOrEqual(SIGNED_IN_AT_MOST);
    expect(data).toEqual({
      user: { id: userId, email, role: 'editor', workspaceRoles: {} },
      account: { id: accountId, name: 'Test account' },
      lacksSecondFactor: false,
      provider: null,
      csrfToken: csrfTokenOf(token),
      expiresAt: expect.stringMatching(RFC3339),
    });
    const again = dataOf(await new ConsoleClient(app.origin, token).get('/session'), 200);
    expect({ ...again, expiresAt: '' }).toEqual({ ...data, expiresAt: '' });
  });

  it('returns the same 401 for an unknown user, a wrong password and a user without a password', async () => {
    const responses = [
      await signIn('nobody@example.com', PASSWORD),
      await signIn(team.editor.email, `${PASSWORD}!`),
      await signIn(team.viewer.email, PASSWORD),
      await signIn('', ''),
    ];
    for (const response of responses) {
      expectFailure(response, 'unauthenticated');
      expect(response.headers.get('www-authenticate')).toBe('Cookie');
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(new Set(responses.map(({ body }) => body.error.message)).size).toBe(1);
  });

  it('computes one hash of the same cost for an unknown user as for a wrong password', async () => {
    const hash = jest.spyOn(crypto, 'scrypt');
    const costsOf = async (email: string): Promise<unknown[]> => {
      hash.mockClear();
      await signIn(email, 'a wrong password');
      return hash.mock.calls.map(([, , length, cost]) => [length, cost]);
    };
    const known = await costsOf(team.editor.email);
    expect(known).toHaveLength(1);
    expect(await costsOf('nobody@example.com')).toEqual(known);
    expect(await costsOf(team.viewer.email)).toEqual(known);
    hash.mockRestore();
  });

  it('creates a new session and ends the previous one of the browser', async () => {
    const { email } = team.editor;
    const planted = cookieOf(await signIn(email, PASSWORD)).token;
    const before = new ConsoleClient(app.origin, planted);
    const response = await before.post('/session', { email, password: PASSWORD });
    const { token } = cookieOf(response);
    expect(token).not.toBe(planted);
    expect((await new ConsoleClient(app.origin, token).get('/session')).status).toBe(200);
    expectFailure(await before.get('/session'), 'unauthenticated');
  });

  it('returns a token that is rejected if it is altered or sent twice', async () => {
    const { token = '' } = await app.console(team.viewer);
    const get = (cookie: string): Promise<ApiResponse> => anonymous.get('/session', { cookie });
    expect((await get(`a=b; datagrid_session=${token}; c=d`)).status).toBe(200);
    for (const cookie of [
      '',
      'datagrid_session=',
      `datagrid_session=${'A'.repeat(43)}`,
      `datagrid_session=${token}; datagrid_session=${token}`,
      `Datagrid_Session=${token}`,
      `x=datagrid_session=${token}`,
      `datagrid_session=${token.slice(0, -1)}`,
    ]) {
      expectFailure(await get(cookie), 'unauthenticated');
    }
  });

  it('reports a suspension only with the correct password, and existing sessions are rejected', async () => {
    const member = await app.newUser(team.owner.accountId, 'admin');
    await app.setPassword(member, PASSWORD);
    const session = await app.console(member);
    await app.nest.get(UserService).setSuspended(member.email, true);
    expectFailure(await signIn(member.email, PASSWORD), 'account_suspended');
    expectFailure(await signIn(member.email, 'not the right one'), 'unauthenticated');
    // The existing session is rejected from the next request.
    expectFailure(await session.get('/session'), 'account_suspended');
    expectFailure(await session.get('/data/workspaces'), 'account_suspended');
    expectFailure(await session.post('/keys', { name: 'x' }), 'account_suspended');
    await app.nest.get(UserService).setSuspended(member.email, false);
    expect((await signIn(member.email, PASSWORD)).status).toBe(200);

    await app.nest.get(AccountService).setSuspended(member.accountId, true);
    expectFailure(await signIn(member.email, PASSWORD), 'account_suspended');
    expectFailure(await session.get('/keys'), 'account_suspended');
    await app.nest.get(AccountService).setSuspended(member.accountId, false);
  });

  it('returns 403 to pages of other sites', async () => {
    const { email } = team.editor;
    const headersOfOthers = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: app.origin, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of headersOfOthers) {
      const response = await signIn(email, PASSWORD, headers);
      expectFailure(response, 'forbidden');
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    const own = { origin: app.origin, 'sec-fetch-site': 'same-origin' };
    expect((await signIn(email, PASSWORD, own)).status).toBe(200);
    // A form of another site can send this without a preflight request.
    const form = await anonymous.send(
      'POST',
      '/session',
      JSON.stringify({ email, password: PASSWORD }),
      {
        'content-type': 'text/plain',
      },
    );
    expectFailure(form, 'unsupported_media_type');
  });

  it.each<[unknown, string[]]>([
    [{ email: 'a@example.com' }, ['password wrong_type']],
    [{ email: 1, password: 'x' }, ['email wrong_type']],
    [{ email: 'a@example.com', password: 'x', role: 'owner' }, ['role unknown_property']],
    [{ email: 'a'.repeat(321), password: 'x' }, ['email out_of_range']],
  ])('returns 400 for the body %j', async (body, details) => {
    expectFailure(await anonymous.post('/session', body), 'invalid_request', details);
  });

  it('returns 413 for a body of more than 16 kB', async () => {
    const body = { email: 'a@example.com', password: 'x'.repeat(17_000) };
    expectFailure(await anonymous.post('/session', body), 'payload_too_large');
  });

  it('stores neither a password nor a token in the log or the database', async () => {
    const { token } = cookieOf(await signIn(team.editor.email, PASSWORD));
    await signIn(team.editor.email, 'a wrong and secret word');
    await new ConsoleClient(app.origin, token).get('/session');
    await anonymous.get(`/sessions/${token}`);
    const stored = await app.sql.query(
      'SELECT s::text FROM sessions s UNION ALL SELECT p::text FROM user_passwords p',
    );
    const everything = [...app.logs, JSON.stringify(stored.rows)].join('\n');
    expect(everything).toContain('$scrypt$');
    for (const secret of [PASSWORD, 'secret word', token, csrfTokenOf(token)]) {
      expect(everything).not.toContain(secret);
    }
  });
});

describe('the session cookie', () => {
  it.each([
    ['a header of a trusted proxy', { TRUSTED_PROXIES: '127.0.0.1' }, 'https', true],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://data.example.com' }, 'http', true],
    ['not a header of any other client', {}, 'https', false],
  ])(
    'has the attribute Secure only if the service knows of HTTPS: %s',
    async (_, settings, proto, isSecure) => {
      const other = await TestApp.start({ database: app.database, settings });
      try {
        const client = new ConsoleClient(other.origin);
        const body = { email: team.editor.email, password: PASSWORD };
        const response = await client.post('/session', body, { 'x-forwarded-proto': proto });
        expect(cookieOf(response).attributes.includes('Secure')).toBe(isSecure);
      } finally {
        await other.close();
      }
    },
  );
});
