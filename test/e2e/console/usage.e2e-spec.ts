import { KeyUsageRepository } from '../../../src/auth/key-usage/key-usage.repository';
import { KeyUsageService } from '../../../src/auth/key-usage/key-usage.service';
import { RetentionService } from '../../../src/retention/retention.service';
import type { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let member: Member;
let session: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

const DAY_MS = 86_400_000;

beforeEach(async () => {
  // Days are counted in UTC. Waits, so that no test runs past midnight.
  await eventually(() => DAY_MS - (Date.now() % DAY_MS) > 10_000);
  member = await app.newAccount();
  session = await app.console(member);
});

interface Day {
  readonly day: string;
  readonly requests: number;
  readonly rejections: number;
}

const usage = async (days?: number): Promise<Day[]> => {
  const query = days === undefined ? '' : `?days=${days}`;
  return dataOf(await session.get(`/keys/${member.keyId}/usage${query}`), 200).days;
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** Waits until `requests` requests are stored. A request is counted after its response was sent. */
const counted = (requests: number): Promise<Day> =>
  eventually(async () => {
    await app.nest.get(KeyUsageService).runOnce();
    const last = (await usage()).at(-1);
    return last?.requests === requests ? last : undefined;
  });

describe('the usage of a key', () => {
  it('contains its calls and its rejected calls by day', async () => {
    await member.api.get('/me');
    await member.api.get('/me?colour=red');
    await member.api.get(`/workspaces/${NO_ID}`);
    await member.api.get('/nowhere');
    // Requests with an unknown key and with a session are not counted.
    await app.api('mk_bad').get('/me');
    await session.get('/data/workspaces');
    expect(await counted(4)).toEqual({ day: today(), requests: 4, rejections: 3 });
  });

  it('contains every day, oldest first, and adds to the counts of other replicas', async () => {
    await app.sql.query(
      `INSERT INTO api_key_usage (key_id, day, calls, refusals)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, 10 + ago, ago
       FROM unnest('{0,2,13,14,89}'::int[]) ago`,
      [member.keyId],
    );
    await member.api.get('/me');
    await counted(11);
    const days = await usage();
    expect(days).toHaveLength(14);
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 14 }, (_, n) =>
        new Date(Date.now() - (13 - n) * DAY_MS).toISOString().slice(0, 10),
      ),
    );
    expect(days[0]).toMatchObject({ requests: 23, rejections: 13 });
    expect(days.slice(1, 11).every(({ requests, rejections }) => requests + rejections === 0)).toBe(
      true,
    );
    expect(days[11]).toMatchObject({ requests: 12, rejections: 2 });
    expect(await usage(1)).toEqual([{ day: today(), requests: 11, rejections: 0 }]);
    const all = await usage(90);
    expect(all).toHaveLength(90);
    expect(all[0]).toMatchObject({ requests: 99 });
  });

  it('expires after 90 days', async () => {
    await app.sql.query(
      `INSERT INTO api_key_usage (key_id, day, calls, refusals)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, 1, 0 FROM unnest('{89,90,91}'::int[]) ago`,
      [member.keyId],
    );
    await app.nest.get(RetentionService).runOnce();
    const { rows } = await app.sql.query('SELECT 1 FROM api_key_usage WHERE key_id = $1', [
      member.keyId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('survives a shutdown and a failure of the database', async () => {
    const other = await TestApp.start({ database: app.database });
    const broken = jest
      .spyOn(other.nest.get(KeyUsageRepository, { strict: false }), 'add')
      .mockRejectedValueOnce(new Error('unavailable'));
    await other.api(member.key).get('/me');
    await eventually(async () => {
      await other.nest
        .get(KeyUsageService)
        .runOnce()
        .catch(() => undefined);
      // The service's own runs may add more requests.
      return broken.mock.calls.length > 0;
    });
    await other.api(member.key).get('/me');
    await other.close();
    expect((await usage(1))[0]).toMatchObject({ requests: 2 });
  });

  it.each(['0', '91', '-1', '1.5', 'x', '', '014'])('returns 400 for %s days', async (days) => {
    expectFailure(
      await session.get(`/keys/${member.keyId}/usage?days=${days}`),
      'invalid_request',
      ['days out_of_range'],
    );
  });

  it('returns 404 to another user', async () => {
    const otherUser = await app.console(await app.newUser(member.accountId, 'owner'));
    expectFailure(await otherUser.get(`/keys/${member.keyId}/usage`), 'not_found');
  });
});

describe('retention', () => {
  it('deletes expired sessions and links', async () => {
    const active = await app.console(member);
    await app.console(member);
    await app.sql.query(
      `UPDATE sessions SET expires_at = now() - make_interval(secs => 1) WHERE id =
        (SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1)`,
      [member.userId],
    );
    await active.post(`/users/${member.userId}/invite`);
    await app.sql.query('UPDATE user_invites SET expires_at = now() - make_interval(secs => 1)');
    await app.nest.get(RetentionService).runOnce();
    const sessions = await app.sql.query('SELECT 1 FROM sessions WHERE user_id = $1', [
      member.userId,
    ]);
    expect(sessions.rows).toHaveLength(2);
    expect((await app.sql.query('SELECT 1 FROM user_invites')).rows).toEqual([]);
    expect((await active.get('/session')).status).toBe(200);
  });
});
