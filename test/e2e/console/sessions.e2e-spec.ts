import { ConsoleClient, cookieOf } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID, RFC3339, UUID_V7 } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let other: TestApp;
let member: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  other = await TestApp.start({ database: app.database });
});

afterAll(async () => {
  await other.close();
  await app.close();
});

beforeEach(async () => {
  member = await app.newAccount();
});

const onOther = ({ token }: ConsoleClient): ConsoleClient => new ConsoleClient(other.origin, token);

describe('sessions', () => {
  it('appear newest first in the list, with the current one marked', async () => {
    const [first, second] = [await app.console(member), await app.console(member)];
    const { data, meta } = (await first.get('/sessions')).body;
    expect(meta).toEqual({ total: 2, page: 1, pageSize: 2, totalPages: 1 });
    const session = {
      id: expect.stringMatching(UUID_V7),
      createdAt: expect.stringMatching(RFC3339),
      lastUsedAt: expect.stringMatching(RFC3339),
      userAgent: 'test',
      address: '127.0.0.1',
    };
    expect(data).toEqual([
      { ...session, isCurrent: false },
      { ...session, isCurrent: true },
    ]);
    const ofSecond = (await second.get('/sessions')).body.data;
    expect(ofSecond).toMatchObject([{ isCurrent: true }, { isCurrent: false }]);
  });

  it('end one by one and are rejected at once by every replica', async () => {
    const [first, second] = [await app.console(member), await app.console(member)];
    const [latest] = (await first.get('/sessions')).body.data;
    expect((await onOther(second).get('/session')).status).toBe(200);
    expect((await first.delete(`/sessions/${latest.id}`)).status).toBe(204);
    expectFailure(await onOther(second).get('/session'), 'unauthenticated');
    expectFailure(await second.get('/data/workspaces'), 'unauthenticated');
    expect((await first.get('/sessions')).body.data).toHaveLength(1);
    expectFailure(await first.delete(`/sessions/${latest.id}`), 'not_found');
  });

  it('end with a sign-out, which deletes the cookie', async () => {
    const session = await app.console(member);
    const response = await session.delete('/session');
    expect(response.status).toBe(204);
    const { token, attributes } = cookieOf(response);
    expect(token).toBe('');
    expect(attributes).toContain('Expires=Thu, 01 Jan 1970 00:00:00 GMT');
    expectFailure(await onOther(session).get('/session'), 'unauthenticated');
  });

  it('return 404 to another user', async () => {
    const [mine, theirs] = [
      await app.console(member),
      await app.console(await app.newUser(member.accountId, 'owner')),
    ];
    const [session] = (await theirs.get('/sessions')).body.data;
    expectFailure(await mine.delete(`/sessions/${session.id}`), 'not_found');
    expectFailure(await mine.delete(`/sessions/${NO_ID}`), 'not_found');
    expectFailure(await mine.delete('/sessions/x'), 'not_found');
    expect((await theirs.get('/session')).status).toBe(200);
  });

  it.each([
    ['a week without a request', "last_used_at = now() - interval '7 days'"],
    ['thirty days, even if they are used', "expires_at = now() - interval '1 millisecond'"],
  ])('expire after %s', async (_, change) => {
    const session = await app.console(member);
    await app.sql.query(`UPDATE sessions SET ${change} WHERE user_id = $1`, [member.userId]);
    expectFailure(await session.get('/session'), 'unauthenticated');
  });

  it('do not expire while they are used', async () => {
    const session = await app.console(member);
    await app.sql.query(
      "UPDATE sessions SET last_used_at = now() - interval '6 days 23 hours' WHERE user_id = $1",
      [member.userId],
    );
    expect((await session.get('/session')).status).toBe(200);
    await eventually(async () => {
      const { rows } = await app.sql.query(
        "SELECT last_used_at > now() - interval '1 minute' AS fresh FROM sessions WHERE user_id = $1",
        [member.userId],
      );
      return rows[0].fresh === true;
    });
  });

  it('return the time when they expire without further requests', async () => {
    const session = await app.console(member);
    const { expiresAt } = dataOf(await session.get('/session'), 200);
    const inDays = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect(inDays).toBeGreaterThan(6.99);
    expect(inDays).toBeLessThanOrEqual(7);
  });

  it('have the current role of the user', async () => {
    const editor = await app.newUser(member.accountId, 'editor');
    const session = onOther(await app.console(editor));
    expectFailure(await session.post('/data/workspaces', { name: 'Theirs' }), 'forbidden');
    await app.sql.query("UPDATE users SET role = 'admin' WHERE id = $1", [editor.userId]);
    expect((await session.post('/data/workspaces', { name: 'Theirs' })).status).toBe(201);
  });
});
