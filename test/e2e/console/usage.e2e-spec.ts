import { KeyUsageRepository } from '../../../src/auth/key-usage/key-usage.repository';
import { KeyUsageService } from '../../../src/auth/key-usage/key-usage.service';
import { MaintenanceService } from '../../../src/console/maintenance.service';
import type { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let member: Member;
let session: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.start();
});

afterAll(() => app.close());

const DAY_MS = 86_400_000;

beforeEach(async () => {
  // Days are counted in UTC: no test is to begin on one and to end on the next.
  await eventually(() => DAY_MS - (Date.now() % DAY_MS) > 10_000);
  member = await app.newAccount();
  session = await app.console(member);
});

interface Day {
  readonly day: string;
  readonly calls: number;
  readonly refusals: number;
}

const usage = async (days?: number): Promise<Day[]> => {
  const query = days === undefined ? '' : `?days=${days}`;
  return dataOf(await session.get(`/keys/${member.keyId}/usage${query}`), 200).days;
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** Until the calls that were made are written: the last one is counted as its answer has left. */
const counted = (calls: number): Promise<Day> =>
  eventually(async () => {
    await app.nest.get(KeyUsageService).runOnce();
    const last = (await usage()).at(-1);
    return last?.calls === calls ? last : undefined;
  });

describe('the usage of a key', () => {
  it('is its calls by day, and those of them that were refused', async () => {
    await member.api.get('/me');
    await member.api.get('/me?colour=red');
    await member.api.get(`/workspaces/${NO_ID}`);
    await member.api.get('/nowhere');
    // Of nobody's key, and of none.
    await app.api('mk_bad').get('/me');
    await session.get('/data/workspaces');
    expect(await counted(4)).toEqual({ day: today(), calls: 4, refusals: 3 });
  });

  it('has every day, the oldest first, and counts where replicas have counted', async () => {
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
    expect(days[0]).toMatchObject({ calls: 23, refusals: 13 });
    expect(days.slice(1, 11).every(({ calls, refusals }) => calls + refusals === 0)).toBe(true);
    expect(days[11]).toMatchObject({ calls: 12, refusals: 2 });
    expect(await usage(1)).toEqual([{ day: today(), calls: 11, refusals: 0 }]);
    const all = await usage(90);
    expect(all).toHaveLength(90);
    expect(all[0]).toMatchObject({ calls: 99 });
  });

  it('is kept for 90 days', async () => {
    await app.sql.query(
      `INSERT INTO api_key_usage (key_id, day, calls, refusals)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, 1, 0 FROM unnest('{89,90,91}'::int[]) ago`,
      [member.keyId],
    );
    await app.nest.get(MaintenanceService).runOnce();
    const { rows } = await app.sql.query('SELECT 1 FROM api_key_usage WHERE key_id = $1', [
      member.keyId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is written at the end, and not lost while the database fails', async () => {
    const other = await TestApp.start({ database: app.database });
    const broken = jest
      .spyOn(other.nest.get(KeyUsageRepository, { strict: false }), 'add')
      .mockRejectedValueOnce(new Error('away'));
    await other.api(member.key).get('/me');
    await eventually(async () => {
      await other.nest
        .get(KeyUsageService)
        .runOnce()
        .catch(() => undefined);
      // More where the service's own run has come between.
      return broken.mock.calls.length > 0;
    });
    await other.api(member.key).get('/me');
    await other.close();
    expect((await usage(1))[0]).toMatchObject({ calls: 2 });
  });

  it.each(['0', '91', '-1', '1.5', 'x', '', '014'])('is not given for %s days', async (days) => {
    expectFailure(
      await session.get(`/keys/${member.keyId}/usage?days=${days}`),
      'invalid_request',
      ['days out_of_range'],
    );
  });

  it('is nobody else’s', async () => {
    const stranger = await app.console(await app.newUser(member.accountId, 'owner'));
    expectFailure(await stranger.get(`/keys/${member.keyId}/usage`), 'not_found');
  });
});

describe('what is over', () => {
  it('is cleared away: sessions and links', async () => {
    const kept = await app.console(member);
    await app.console(member);
    await app.sql.query(
      `UPDATE sessions SET expires_at = now() WHERE id =
        (SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1)`,
      [member.userId],
    );
    await kept.post(`/users/${member.userId}/invite`);
    await app.sql.query('UPDATE user_invites SET expires_at = now()');
    await app.nest.get(MaintenanceService).runOnce();
    const sessions = await app.sql.query('SELECT 1 FROM sessions WHERE user_id = $1', [
      member.userId,
    ]);
    expect(sessions.rows).toHaveLength(2);
    expect((await app.sql.query('SELECT 1 FROM user_invites')).rows).toEqual([]);
    expect((await kept.get('/session')).status).toBe(200);
  });
});
