import { RetentionService } from '../../../src/retention/retention.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { UserService } from '../../../src/auth/user/user.service';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let replica: TestApp;

const settings = { MAX_KEYS_PER_USER: '3', MAX_USERS_PER_ACCOUNT: '4', MAX_AUDIT_EVENTS: '5' };

beforeAll(async () => {
  app = await TestApp.start({ settings });
  replica = await TestApp.start({ settings, database: app.database });
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

/** Creates a user with one key and a session on each replica. */
async function newUser(): Promise<{ member: Member; one: ConsoleClient; other: ConsoleClient }> {
  const member = await app.newAccount();
  const [one, other] = await Promise.all([app.console(member), replica.console(member)]);
  return { member, one, other };
}

async function count(sql: string, ...values: string[]): Promise<number> {
  const { rows } = await app.sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${sql}`,
    values,
  );
  return rows[0]?.n ?? 0;
}

describe('the limit on active API keys of a user', () => {
  it('holds if keys are created concurrently on two replicas', async () => {
    const { one, other } = await newUser();
    const made = await Promise.all(
      [one, other, one, other, one, other].map((client) => client.post('/keys', { name: 'x' })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
    const rejected = await one.post('/keys', { name: 'x' });
    expectFailure(rejected, 'quota_exceeded');
    expect(rejected.body.error.message).toBe(
      'A user may have 3 active API keys. Revoke one first.',
    );
  });

  it('does not count revoked or expired keys', async () => {
    const { member, one } = await newUser();
    const soon = new Date(Date.now() + 1_000).toISOString();
    const short = dataOf(await one.post('/keys', { name: 'x', expiresAt: soon }), 201);
    expect((await one.post('/keys', { name: 'x' })).status).toBe(201);
    expectFailure(await one.post('/keys', { name: 'x' }), 'quota_exceeded');
    await app.sql.query("UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1", [
      short.id,
    ]);
    expect((await one.post('/keys', { name: 'x' })).status).toBe(201);
    expectFailure(await one.post('/keys', { name: 'x' }), 'quota_exceeded');
    expect((await one.delete(`/keys/${member.keyId}`)).status).toBe(204);
    expect((await one.post('/keys', { name: 'x' })).status).toBe(201);
  });

  it('counts the old key of a rotation until it expires', async () => {
    const { member, one } = await newUser();
    for (let n = 0; n < 2; n += 1) await one.post('/keys', { name: 'x' });
    const path = `/keys/${member.keyId}/rotation`;
    expectFailure(await one.post(path, { keepForSeconds: 60 }), 'quota_exceeded');
    // The rotation is rolled back, so the old key still works.
    expect((await member.api.get('/me')).status).toBe(200);
    expect((await one.post(path, { keepForSeconds: 0 })).status).toBe(201);
    expect((await member.api.get('/me')).status).toBe(401);
  });

  it('applies to an operator', async () => {
    const { member } = await newUser();
    const create = (): Promise<object> =>
      app.nest.get(ApiKeyService).create(member.userId, 'x', null, 'operator');
    await create();
    await create();
    await expect(create()).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it('applies to each user separately', async () => {
    const { member, one } = await newUser();
    while ((await one.post('/keys', { name: 'x' })).status === 201);
    const colleague = await app.console(await app.newUser(member.accountId, 'viewer'));
    expect((await colleague.post('/keys', { name: 'x' })).status).toBe(201);
  });
});

describe('the limit on revoked and expired API keys of a user', () => {
  it('deletes all but the last 100 keys, with their usage', async () => {
    const { member, one } = await newUser();
    await app.sql.query(
      `INSERT INTO api_keys (id, user_id, name, hash, prefix, last_four, revoked_at)
       SELECT gen_random_uuid(), $1::uuid, 'old ' || n, sha256(($1::uuid::text || n)::bytea), 'mk_', 'last',
         now() - make_interval(hours => n)
       FROM generate_series(1, 150) AS n`,
      [member.userId],
    );
    await app.sql.query(
      `INSERT INTO api_key_usage (key_id, day, calls, refusals)
       SELECT id, current_date, 1, 0 FROM api_keys WHERE user_id = $1`,
      [member.userId],
    );
    expect((await one.post('/keys', { name: 'new' })).status).toBe(201);
    const { data } = (await one.get('/keys')).body;
    expect(data).toHaveLength(102);
    const names = (data as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['new', 'test', 'old 1', 'old 100']));
    expect(names).not.toContain('old 101');
    const usage = 'api_key_usage WHERE key_id NOT IN (SELECT id FROM api_keys)';
    expect(await count(usage)).toBe(0);
    expect((await member.api.get('/me')).status).toBe(200);
  });
});

describe('the limit on sessions of a user', () => {
  it('ends the least recently used of 50 sessions for a new one', async () => {
    const member = await app.newAccount();
    const first = await app.console(member);
    const second = await app.console(member);
    for (let n = 0; n < 48; n += 1) await app.console(member);
    expect((await first.get('/session')).status).toBe(200);
    await app.sql.query('UPDATE sessions SET last_used_at = now() WHERE user_id = $1', [
      member.userId,
    ]);
    const { token } = second;
    expect(token).toBeDefined();
    await app.sql.query(
      `UPDATE sessions SET last_used_at = now() - interval '1 h'
       WHERE id = (SELECT id FROM sessions WHERE user_id = $1 ORDER BY id OFFSET 1 LIMIT 1)`,
      [member.userId],
    );
    const last = await app.console(member);
    expectFailure(await second.get('/session'), 'unauthenticated');
    for (const session of [first, last]) expect((await session.get('/session')).status).toBe(200);
    expect(await count('sessions WHERE user_id = $1', member.userId)).toBe(50);
  });
});

describe('the limit on users of an account', () => {
  it('holds if users are invited concurrently', async () => {
    const { member, one, other } = await newUser();
    const invite = (client: ConsoleClient, n: number): ReturnType<ConsoleClient['post']> =>
      client.post('/users', { email: `u${n}-${member.accountId}@example.com`, role: 'viewer' });
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => invite(n % 2 ? one : other, n)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    const rejected = await invite(one, 7);
    expectFailure(rejected, 'quota_exceeded');
    expect(rejected.body.error.message).toBe(
      'Quota exceeded: this account may have at most 4 users.',
    );
    expect(await count('users WHERE account_id = $1', member.accountId)).toBe(4);
    const email = `op-${member.accountId}@example.com`;
    const byOperator = app.nest
      .get(UserService)
      .create(member.accountId, email, 'viewer', 'operator');
    await expect(byOperator).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});

describe('the limit on audit events of an account', () => {
  it('deletes all but the newest events and does not affect another account', async () => {
    const { member, one } = await newUser();
    const { member: other } = await newUser();
    const events = (accountId: string): Promise<number> =>
      count('audit_events WHERE account_id = $1', accountId);
    const before = await events(other.accountId);
    for (let n = 0; n < 3; n += 1) {
      const { id } = dataOf(await one.post('/keys', { name: `key ${n}` }), 201);
      await one.delete(`/keys/${id}`);
    }
    expect(await events(member.accountId)).toBeGreaterThan(5);
    await app.nest.get(RetentionService).runOnce();
    expect([await events(member.accountId), await events(other.accountId)]).toEqual([5, before]);
    const { data } = (await one.get('/data/audit-events?limit=10')).body;
    expect(data[0]).toMatchObject({ action: 'key_revoked', target: { name: 'key 2' } });
  });
});
