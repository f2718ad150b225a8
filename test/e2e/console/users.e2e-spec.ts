import { ConsoleClient, cookieOf } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, NO_ID, RFC3339, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let team: Team;
let owner: ConsoleClient;
let anonymous: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  anonymous = new ConsoleClient(app.origin);
});

afterAll(() => app.close());

beforeEach(async () => {
  team = await newTeam(app);
  owner = await app.console(team.owner);
});

let serial = 0;
const freshEmail = (): string => `Invited-${String((serial += 1))}@example.com`;

const invited = async (
  email = freshEmail(),
): Promise<{ id: string; email: string; token: string }> => {
  const { user, url } = dataOf(await owner.post('/users', { email, role: 'editor' }), 201);
  return { id: user.id, email, token: tokenOf(url) };
};

function tokenOf(url: string): string {
  const [, token = ''] = /\/invite\/([\w-]{43})$/.exec(url) ?? [];
  expect(token).not.toBe('');
  return token;
}

const accept = (token: string, password: unknown = PASSWORD): ReturnType<ConsoleClient['post']> =>
  anonymous.post(`/invites/${token}`, { password });

describe('users in the console', () => {
  it('appear in the list of the owner of their account', async () => {
    await app.newAccount();
    await accept((await invited('Zoe@example.com')).token);
    const { data, meta } = (await owner.get('/users')).body;
    expect(meta).toEqual({ total: 5, page: 1, pageSize: 5, totalPages: 1 });
    expect(data[0]).toEqual({
      id: team.owner.userId,
      email: team.owner.email,
      role: 'owner',
      suspended: false,
      isService: false,
      hasPassword: false,
      hasSecondFactor: false,
      createdAt: expect.stringMatching(RFC3339),
      workspaceRoles: [],
    });
    expect(data[4]).toMatchObject({ email: 'Zoe@example.com', role: 'editor', hasPassword: true });
  });

  it('get an invite link to the origin that the owner uses', async () => {
    const startedAt = Date.now();
    const email = freshEmail();
    const made = dataOf(await owner.post('/users', { email, role: 'admin' }), 201);
    expect(made).toEqual({
      user: {
        id: expect.stringMatching(UUID_V7),
        email,
        role: 'admin',
        suspended: false,
        isService: false,
        hasPassword: false,
        hasSecondFactor: false,
        createdAt: expect.stringMatching(RFC3339),
        workspaceRoles: [],
      },
      url: expect.stringMatching(new RegExp(`^${app.origin}/invite/[\\w-]{43}$`)),
      expiresAt: expect.stringMatching(RFC3339),
    });
    const hours = (Date.parse(made.expiresAt) - startedAt) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(72);
    expect(hours).toBeLessThan(72.1);
  });

  it.each<[object, string[]]>([
    [{ email: 'x', role: 'viewer' }, ['email invalid_format']],
    [{ email: 'x@example.com', role: 'king' }, ['role not_a_choice']],
    [{ role: 'viewer' }, ['email wrong_type']],
    [{ email: 'x@example.com', role: 'viewer', accountId: NO_ID }, ['accountId unknown_property']],
  ])('return 400 for the body %j', async (body, details) => {
    expectFailure(await owner.post('/users', body), 'invalid_request', details);
  });

  it('have unique e-mail addresses', async () => {
    const body = { email: team.viewer.email.toUpperCase(), role: 'viewer' };
    expectFailure(await owner.post('/users', body), 'conflict', ['email duplicate']);
  });

  it('have their new role and suspension from the next request', async () => {
    const editor = await app.console(team.editor);
    const path = `/users/${team.editor.userId}`;
    const raised = dataOf(await owner.patch(path, { role: 'admin' }), 200);
    expect(raised).toMatchObject({ id: team.editor.userId, role: 'admin', suspended: false });
    expect((await editor.post('/data/workspaces', { name: 'Theirs' })).status).toBe(201);
    const changed = dataOf(await owner.patch(path, { role: 'viewer', suspended: true }), 200);
    expect(changed).toMatchObject({ role: 'viewer', suspended: true });
    expectFailure(await editor.get('/session'), 'account_suspended');
    expectFailure(await team.editor.api.get('/me'), 'account_suspended');
    expect((await owner.patch(path, { suspended: false })).status).toBe(200);
    expectFailure(await editor.post('/data/workspaces', { name: 'More' }), 'forbidden');
    expect(dataOf(await owner.patch(path, {}), 200)).toMatchObject({ role: 'viewer' });
  });

  it('include at least one active owner', async () => {
    const path = `/users/${team.owner.userId}`;
    expectFailure(await owner.patch(path, { role: 'admin' }), 'conflict');
    expectFailure(await owner.patch(path, { suspended: true }), 'conflict');
    expect((await owner.get('/users')).status).toBe(200);
  });

  it('return 403 to other roles and 404 to another account', async () => {
    const otherAccount = await app.console(await app.newAccount());
    const path = `/users/${team.viewer.userId}`;
    for (const id of [path, `/users/${NO_ID}`, '/users/x']) {
      expectFailure(await otherAccount.patch(id, { role: 'owner' }), 'not_found');
      expectFailure(await otherAccount.post(`${id}/invite`), 'not_found');
    }
    for (const member of [team.admin, team.editor, team.viewer]) {
      const session = await app.console(member);
      expectFailure(await session.get('/users'), 'forbidden');
      expectFailure(await session.patch(path, { role: 'owner' }), 'forbidden');
      expectFailure(await session.post(`${path}/invite`), 'forbidden');
      const body = { email: freshEmail(), role: 'owner' };
      expectFailure(await session.post('/users', body), 'forbidden');
    }
  });
});

describe('an invite', () => {
  it('returns its account and user, sets the password and signs the user in', async () => {
    const { id, email, token } = await invited();
    expect(dataOf(await anonymous.get(`/invites/${token}`), 200)).toEqual({
      email,
      accountName: 'Test account',
      kind: 'invite',
      expiresAt: expect.stringMatching(RFC3339),
    });
    const accepted = await accept(token);
    expect(dataOf(accepted, 200)).toMatchObject({ user: { id, email, role: 'editor' } });
    const session = new ConsoleClient(app.origin, cookieOf(accepted).token);
    expect((await session.get('/session')).status).toBe(200);
    expect((await anonymous.post('/session', { email, password: PASSWORD })).status).toBe(200);
  });

  it('works once, even if it is used twice concurrently', async () => {
    const { token } = await invited();
    const statuses = (await Promise.all([accept(token), accept(token)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 404]);
    expectFailure(await anonymous.get(`/invites/${token}`), 'not_found');
    expectFailure(await accept(token), 'not_found');
  });

  it('returns 404 once it has expired', async () => {
    const { id, token } = await invited();
    const age = (interval: string): Promise<unknown> =>
      app.sql.query(
        `UPDATE user_invites SET expires_at = now() + interval '${interval}' WHERE user_id = $1`,
        [id],
      );
    await age('1 minute');
    expect((await anonymous.get(`/invites/${token}`)).status).toBe(200);
    await age('0');
    expectFailure(await anonymous.get(`/invites/${token}`), 'not_found');
    expectFailure(await accept(token), 'not_found');
  });

  it('stops working once there is a new one, which ends earlier sessions when it is used', async () => {
    const { id, token } = await invited();
    const session = new ConsoleClient(app.origin, cookieOf(await accept(token)).token);
    const links = [
      dataOf(await owner.post(`/users/${id}/invite`), 201),
      dataOf(await owner.post(`/users/${id}/invite`), 201),
    ];
    const [old = '', last = ''] = links.map(({ url }) => tokenOf(url));
    expectFailure(await anonymous.get(`/invites/${old}`), 'not_found');
    expectFailure(await accept(old), 'not_found');
    expect((await anonymous.get(`/invites/${last}`)).body.data.kind).toBe('reset');
    expect((await session.get('/session')).status).toBe(200);
    expect((await accept(last, 'quite another password')).status).toBe(200);
    expectFailure(await session.get('/session'), 'unauthenticated');
  });

  it('requires a password of 10 to 200 characters and stays valid until it gets one', async () => {
    const { token } = await invited();
    for (const password of ['nine char', 'x'.repeat(201), 1, null]) {
      expectFailure(await accept(token, password), 'invalid_request', ['password out_of_range']);
    }
    const cross = await anonymous.post(
      `/invites/${token}`,
      { password: PASSWORD },
      { origin: 'https://evil.example' },
    );
    expectFailure(cross, 'forbidden');
    expect((await accept(token, 'x'.repeat(200))).status).toBe(200);
  });

  it('returns account_suspended while its user is suspended and works afterwards', async () => {
    const { id, token } = await invited();
    await owner.patch(`/users/${id}`, { suspended: true });
    expectFailure(await accept(token), 'account_suspended');
    await owner.patch(`/users/${id}`, { suspended: false });
    expect((await accept(token)).status).toBe(200);
  });

  it.each(['x', 'A'.repeat(43), '%41', '%00', `${'A'.repeat(42)}!`])(
    'returns 404 for an unknown token: %s',
    async (token) => {
      expectFailure(await anonymous.get(`/invites/${token}`), 'not_found');
      expectFailure(await accept(token), 'not_found');
    },
  );

  it('appears neither in the log nor in the database', async () => {
    const { token } = await invited();
    await accept(token, 'a very secret word');
    const second = await invited();
    const { rows } = await app.sql.query('SELECT i::text FROM user_invites i');
    const everything = [...app.logs, JSON.stringify(rows)].join('\n');
    expect(everything).toContain('/console/api/invites/:token');
    expect(everything).toContain(second.id);
    for (const secret of [token, second.token, 'secret word']) {
      expect(everything).not.toContain(secret);
    }
  });
});
