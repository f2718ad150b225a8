import { PasswordService } from '../../../src/auth/password/password.service';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { withClient } from '../../support/database-url';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

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

describe('a change of password', () => {
  const NEW = 'another password of the tests';
  const THIRD = 'a third password of the tests';

  beforeEach(async () => {
    const passwords = app.nest.get(PasswordService);
    await passwords.set(member.userId, await passwords.hash(PASSWORD));
  });

  it('ends all sessions except the current one', async () => {
    const [mine, another] = [await app.console(member), await app.console(member)];
    const body = { currentPassword: PASSWORD, newPassword: NEW };
    expect((await mine.put('/password', body)).status).toBe(204);
    expectFailure(await onOther(another).get('/session'), 'unauthenticated');
    expect((await mine.get('/session')).status).toBe(200);
    const { email } = member;
    const anonymous = new ConsoleClient(app.origin);
    expectFailure(
      await anonymous.post('/session', { email, password: PASSWORD }),
      'unauthenticated',
    );
    expect((await anonymous.post('/session', { email, password: NEW })).status).toBe(200);
  });

  it('rejects a concurrent sign-in with the old password', async () => {
    const { email } = member;
    const anonymous = new ConsoleClient(app.origin);
    const response = await changedMeanwhile(() =>
      anonymous.post('/session', { email, password: PASSWORD }),
    );
    expectFailure(response, 'unauthenticated');
    expect(await sessionsOf(member)).toBe(0);
  });

  it('rejects another change that began before it', async () => {
    const mine = await app.console(member);
    const body = { currentPassword: PASSWORD, newPassword: NEW };
    const response = await changedMeanwhile(() => mine.put('/password', body));
    expectFailure(response, 'invalid_request', ['currentPassword wrong_password']);
    const { email } = member;
    const anonymous = new ConsoleClient(app.origin);
    expectFailure(await anonymous.post('/session', { email, password: NEW }), 'unauthenticated');
    expect((await anonymous.post('/session', { email, password: THIRD })).status).toBe(200);
  });

  /** Sets another password after `call` has checked the old one and before `call` makes its change. */
  async function changedMeanwhile(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const hash = await app.nest.get(PasswordService).hash(THIRD);
    const { userId } = member;
    return withClient(app.database.url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT FROM user_passwords WHERE user_id = $1 FOR UPDATE', [userId]);
      let isOver = false;
      const response = call().finally(() => {
        isOver = true;
      });
      await eventually(async () => isOver || (await waitingForLocks(app)) > 0 || undefined);
      await client.query('UPDATE user_passwords SET hash = $2 WHERE user_id = $1', [userId, hash]);
      await client.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
      await client.query('COMMIT');
      return response;
    });
  }

  async function sessionsOf({ userId }: Member): Promise<unknown> {
    const text = 'SELECT count(*)::int AS count FROM sessions WHERE user_id = $1';
    return (await app.sql.query(text, [userId])).rows[0]?.count;
  }

  it('requires the current password and a new one of 10 to 200 characters', async () => {
    const [mine, another] = [await app.console(member), await app.console(member)];
    const put = (currentPassword: string, newPassword: unknown): ReturnType<typeof mine.put> =>
      mine.put('/password', { currentPassword, newPassword });
    expectFailure(await put('not mine at all', NEW), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
    for (const short of ['nine char', '🙂'.repeat(9), 'x'.repeat(201), 12, null]) {
      expectFailure(await put(PASSWORD, short), 'invalid_request', ['newPassword out_of_range']);
    }
    expect((await another.get('/session')).status).toBe(200);
    expect((await put(PASSWORD, '🙂'.repeat(10))).status).toBe(204);
  });
});
