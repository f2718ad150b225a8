import type { Json } from '../../support/api-client';
import { RetentionService } from '../../../src/retention/retention.service';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start({
    settings: { AUDIT_RETENTION_DAYS: '30', TRUSTED_PROXIES: '127.0.0.1' },
  });
  team = await newTeam(app);
});

afterAll(() => app.close());

async function count(accountId: string): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM audit_events WHERE account_id = $1';
  const { rows } = await app.sql.query<{ n: number }>(sql, [accountId]);
  return rows[0]?.n ?? 0;
}

describe('the audit log', () => {
  it('returns 403 to every role except owner', async () => {
    expect((await (await app.console(team.owner)).get('/data/audit-events')).status).toBe(200);
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      expectFailure(await (await app.console(team[role])).get('/data/audit-events'), 'forbidden');
    }
  });

  it('contains only events of its own account, even with a cursor of another account', async () => {
    const otherAccount = await app.newAccount();
    const [own, other] = [await app.console(team.owner), await app.console(otherAccount)];
    const ids = async (client: typeof own, query = ''): Promise<string[]> =>
      ((await client.get(`/data/audit-events?limit=200${query}`)).body.data as Json[]).map(
        ({ id }) => id,
      );
    const [mine, theirs] = [await ids(own), await ids(other)];
    expect(mine).toHaveLength(await count(team.owner.accountId));
    expect(theirs).toHaveLength(await count(otherAccount.accountId));
    expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
    // An event id of another account is only a position in the caller's own log.
    const after = await ids(other, `&cursor=${mine[0] ?? ''}`);
    expect(after.filter((id) => !theirs.includes(id))).toEqual([]);
  });

  it('returns pages from newest to oldest that continue at the cursor', async () => {
    const client = await app.console(team.owner);
    const all = (await client.get('/data/audit-events?limit=200')).body.data as Json[];
    expect(all.length).toBeGreaterThan(6);
    const paged: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data, meta } = (await client.get(`/data/audit-events?limit=3${at}`)).body;
      expect(meta.pageSize).toBe(data.length);
      expect(data.length).toBeLessThanOrEqual(3);
      paged.push(...data);
      // New events come before the first page, so the later pages do not shift.
      if (cursor === '') await app.newUser(team.owner.accountId, 'viewer');
      cursor = meta.nextCursor;
    }
    expect(paged).toEqual(all);
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(
      (await client.get(`/data/audit-events?cursor=00000000-0000-7000-8000-000000000000`)).body,
    ).toEqual({
      data: [],
      meta: { pageSize: 0, nextCursor: null },
    });
  });

  it.each([
    ['limit=0', 'limit out_of_range'],
    ['limit=201', 'limit out_of_range'],
    ['limit=x', 'limit invalid_format'],
    ['cursor=x', 'cursor invalid_format'],
    [`cursor=${NO_ID}&cursor=${NO_ID}`, 'cursor duplicate_parameter'],
    ['page=2', 'page unknown_parameter'],
  ])('returns 400 for %s', async (query, detail) => {
    const response = await (await app.console(team.owner)).get(`/data/audit-events?${query}`);
    expectFailure(response, 'invalid_request', [detail]);
  });

  it('records committed changes and no failed ones', async () => {
    const { api, accountId } = team.owner;
    const name = 'Only once';
    expect((await api.post('/workspaces', { name })).status).toBe(201);
    const before = await count(accountId);
    expectFailure(await api.post('/workspaces', { name }), 'conflict', ['name duplicate']);
    expectFailure(await api.delete(`/workspaces/${NO_ID}`), 'not_found');
    expect(await count(accountId)).toBe(before);
    // If the event cannot be written, the change is rolled back.
    await app.sql.query('ALTER TABLE audit_events ADD CONSTRAINT stop CHECK (false) NOT VALID');
    try {
      expect((await api.post('/workspaces', { name: 'Never' })).status).toBe(500);
    } finally {
      await app.sql.query('ALTER TABLE audit_events DROP CONSTRAINT stop');
    }
    const names = (await api.get('/workspaces?limit=200')).body.data as Json[];
    expect(names.filter((each) => each.name === 'Never')).toEqual([]);
  });

  it('records an IPv4-mapped IPv6 address as an IPv4 address', async () => {
    const wrong = { email: team.owner.email, password: 'a wrong password' };
    const forwarded = { 'x-forwarded-for': '::ffff:203.0.113.9' };
    const response = await new ConsoleClient(app.origin).post('/session', wrong, forwarded);
    expectFailure(response, 'unauthenticated');
    const [last] = (await (await app.console(team.owner)).get('/data/audit-events?limit=1')).body
      .data;
    expect(last).toMatchObject({ action: 'sign_in_failed', address: '203.0.113.9' });
  });

  it('deletes events older than AUDIT_RETENTION_DAYS and no others', async () => {
    const { accountId } = await app.newAccount();
    const all = await count(accountId);
    const age = (limit: number, interval: string): Promise<unknown> =>
      app.sql.query(
        `UPDATE audit_events SET at = now() - $3::interval WHERE account_id = $1 AND id IN
          (SELECT id FROM audit_events WHERE account_id = $1 ORDER BY id LIMIT $2)`,
        [accountId, limit, interval],
      );
    await age(2, '29 days 23 hours');
    await age(1, '30 days 1 minute');
    const retention = app.nest.get(RetentionService, { strict: false });
    await retention.runOnce();
    expect(await count(accountId)).toBe(all - 1);
  });
});
