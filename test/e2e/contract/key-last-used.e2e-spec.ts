import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let replica: TestApp;

beforeAll(async () => {
  app = await TestApp.alone('Its trigger fails on keys of any account.');
  replica = await TestApp.start({ database: app.database });
  await app.sql.query(`
    CREATE TABLE touches (key_id uuid NOT NULL);
    CREATE FUNCTION count_touch() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO touches VALUES (NEW.id); RETURN NEW; END $$;
    CREATE TRIGGER count_touch AFTER UPDATE ON api_keys
      FOR EACH ROW EXECUTE FUNCTION count_touch();
    CREATE FUNCTION break_touch() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no room on the disk'; END $$`);
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

async function touchesOf({ keyId }: Member): Promise<number> {
  const sql = 'SELECT count(*)::int AS count FROM touches WHERE key_id = $1';
  const { rows } = await app.sql.query<{ count: number }>(sql, [keyId]);
  return rows[0]?.count ?? 0;
}

/**
 * Waits until the last use has been written `count` times, and asserts that it was not written more
 * often.
 */
async function awaitTouches(member: Member, count: number): Promise<void> {
  await eventually(async () => (await touchesOf(member)) >= count);
  expect(await touchesOf(member)).toBe(count);
}

const setLastUsed = async ({ keyId }: Member, ago: string): Promise<void> => {
  // Triggers do not run for the replication role, so this write is not counted.
  await app.sql.query(`
    BEGIN; SET LOCAL session_replication_role = replica;
    UPDATE api_keys SET last_used_at = now() - interval '${ago}' WHERE id = '${keyId}';
    NOTIFY caller_changed; COMMIT`);
};

describe('the last use of an API key', () => {
  it('is written once for 100 requests', async () => {
    const member = await app.newAccount();
    for (let batch = 0; batch < 5; batch += 1) {
      const calls = Array.from({ length: 20 }, () => member.api.get('/workspaces'));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    await awaitTouches(member, 1);
  });

  it('is written again after five minutes, and not before', async () => {
    const member = await app.newAccount();
    await member.api.get('/me');
    await awaitTouches(member, 1);
    // Less than five minutes, even if the next request is slow on a busy machine.
    await setLastUsed(member, '4 minutes 40 seconds');
    await member.api.get('/me');
    await setLastUsed(member, '5 minutes 1 second');
    // The notification may not have arrived yet.
    await eventually(async () => {
      await member.api.get('/me');
      return (await touchesOf(member)) === 2;
    });
    await member.api.get('/me');
    expect(await touchesOf(member)).toBe(2);
    const sql =
      "SELECT last_used_at > now() - interval '1 minute' AS fresh FROM api_keys WHERE id = $1";
    expect((await app.sql.query(sql, [member.keyId])).rows).toEqual([{ fresh: true }]);
  });

  it('does not affect authentication if it cannot be written', async () => {
    const member = await app.newAccount();
    await app.sql.query(`
      CREATE TRIGGER break_touch BEFORE UPDATE ON api_keys
      FOR EACH ROW EXECUTE FUNCTION break_touch()`);
    expect((await member.api.get('/me')).status).toBe(200);
    const line = await eventually(() =>
      app.logs.find((entry) => entry.includes('last use write failed')),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', keyId: member.keyId });
    expect((await member.api.get('/me')).status).toBe(200);
    await app.sql.query('DROP TRIGGER break_touch ON api_keys');
    await eventually(async () => {
      await member.api.get('/me');
      return (await touchesOf(member)) === 1;
    });
  });

  it('does not delay requests while it waits for a lock, and is written once by two instances', async () => {
    const member = await app.newAccount();
    const holder = await app.sql.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE', [member.keyId]);
      for (const server of [app, replica]) {
        expect((await server.api(member.key).get('/me')).status).toBe(200);
        expect((await server.api(member.key).get('/me')).status).toBe(200);
      }
      await eventually(async () => (await waitingForLocks(app)) === 2);
      expect(await touchesOf(member)).toBe(0);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await eventually(async () => (await waitingForLocks(app)) === 0);
    await awaitTouches(member, 1);
  });
});
