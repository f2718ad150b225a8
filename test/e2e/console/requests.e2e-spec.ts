import { KeyRequestCleanup } from '../../../src/auth/key-request/key-request-cleanup';
import { KeyRequestRepository } from '../../../src/auth/key-request/key-request.repository';
import { KeyRequestService } from '../../../src/auth/key-request/key-request.service';
import { BUFFER_LIMITS } from '../../../src/auth/key-request/request-buffer';
import type { Json } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, NO_ID, RFC3339, type Team, UUID_V7 } from '../../support/fixture';
import { OauthApplication } from '../../support/oauth-application';
import { type Member, TestApp } from '../../support/test-app';

const settings = { RATE_LIMIT_REQUESTS: '100000', MAX_REQUEST_LOG_ENTRIES: '5' };

let app: TestApp;
let replica: TestApp;

beforeAll(async () => {
  app = await TestApp.start({ settings });
  replica = await TestApp.start({ settings, database: app.database });
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

/** Writes what the instances have buffered, and waits until the account has this many requests. */
async function stored(accountId: string, count: number): Promise<void> {
  await eventually(async () => {
    for (const each of [app, replica]) await each.nest.get(KeyRequestService).runOnce();
    return (await countOf(accountId)) === count;
  });
}

async function countOf(accountId: string): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM api_key_requests WHERE account_id = $1';
  const { rows } = await app.sql.query<{ n: number }>(sql, [accountId]);
  return rows[0]?.n ?? 0;
}

/** Inserts requests with a key that are `ages` minutes old. */
async function insert(
  { accountId, userId, keyId }: Member,
  ages: readonly number[],
): Promise<void> {
  await app.sql.query(
    `INSERT INTO api_key_requests
     SELECT $1, (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint), 12, '0')
       || '70008' || right(replace($3::uuid::text, '-', ''), 11) || lpad(to_hex(t.n), 4, '0'))::uuid,
       t.at, $2, $3, 'GET', '/api/v1/public/me', 200, 1, 'r', NULL, false
     FROM (SELECT now() - make_interval(mins => age) AS at, n
       FROM unnest($4::int[]) WITH ORDINALITY AS u(age, n)) t`,
    [accountId, userId, keyId, ages],
  );
}

const list = async (session: ConsoleClient, query = ''): Promise<Json[]> =>
  dataOf(await session.get(`/requests?limit=200${query}`), 200);

describe('the request log', () => {
  it('names applications as such, without a part of a token', async () => {
    const member = await app.newAccount();
    const session = await app.console(member);
    const application = await OauthApplication.registered(app.origin);
    const resource = { resource: `${app.origin}/api/v1/public` };
    const { access } = await application.tokens(session, {}, resource);
    expect((await application.api(access).get('/me')).status).toBe(200);
    await stored(member.accountId, 1);
    const [request] = await list(session);
    expect(request?.key).toEqual({
      ...{ id: expect.any(String), name: 'Assistant', lastFour: null, isApplication: true },
      email: member.email,
    });
  });

  it('contains requests with a key, newest first, without values of the query string', async () => {
    const member = await app.newAccount();
    const session = await app.console(member);
    await member.api.get('/workspaces?limit=3', { 'x-request-id': 'first' });
    await member.api.get(`/workspaces/${NO_ID}?hidden=secret`, { 'x-request-id': 'second' });
    await member.api.get('/no/such/secret', { 'x-request-id': 'third' });
    // Requests without a valid key and those of sessions are not recorded.
    await app.api('mk_bad').get('/me');
    await session.get('/data/workspaces');
    await session.get('/keys');
    await stored(member.accountId, 3);
    const response = await session.get('/requests');
    const [third, second, first] = response.body.data;
    expect(response.body.data).toHaveLength(3);
    expect(first).toEqual({
      id: expect.stringMatching(UUID_V7),
      at: expect.stringMatching(RFC3339),
      key: {
        id: member.keyId,
        name: expect.any(String),
        lastFour: member.key.slice(-4),
        isApplication: false,
        email: member.email,
      },
      method: 'GET',
      route: '/api/v1/public/workspaces',
      status: 200,
      durationMs: expect.any(Number),
      requestId: 'first',
      errorCode: null,
      aborted: false,
    });
    expect(Math.abs(Date.parse(first.at) - Date.now())).toBeLessThan(60_000);
    expect(first.durationMs).toBeGreaterThan(0);
    expect(second).toMatchObject({
      route: '/api/v1/public/workspaces/:workspaceId',
      status: 400,
      requestId: 'second',
      errorCode: 'invalid_request',
    });
    expect(third).toMatchObject({ route: null, status: 404, errorCode: 'not_found' });
    expect(response.body.meta).toEqual({
      pageSize: 3,
      nextCursor: null,
      leftOut: { requests: 0, lastHour: null },
      retentionDays: 3,
      maxEntries: 5,
    });
    const { rows } = await app.sql.query('SELECT r::text FROM api_key_requests r');
    expect(JSON.stringify(rows)).not.toMatch(/secret|hidden|limit=/);
    expect(JSON.stringify(rows)).not.toContain(member.key);
  });

  it('contains requests to all instances, and the error codes of replayed responses', async () => {
    const member = await app.newAccount();
    const session = await app.console(member);
    const headers = { 'idempotency-key': 'same' };
    dataOf(await member.api.post('/workspaces', { name: 'A' }), 201);
    for (const each of [app, replica]) {
      const response = await each.api(member.key).post('/workspaces', { name: 'A' }, headers);
      expect([response.status, response.body.error.code]).toEqual([409, 'conflict']);
    }
    await stored(member.accountId, 3);
    const found = await list(session, '&status=4xx');
    expect(found.map(({ errorCode }) => errorCode)).toEqual(['conflict', 'conflict']);
  });

  it('can be filtered by key, status class and method', async () => {
    const member = await app.newAccount();
    const session = await app.console(member);
    const other = dataOf(await session.post('/keys', { name: 'Other' }), 201);
    await member.api.get('/me');
    await member.api.get(`/workspaces/${NO_ID}`);
    await app.api(other.key).post('/workspaces', { name: 'W' });
    await stored(member.accountId, 3);
    const found = async (query: string): Promise<string[]> =>
      (await list(session, query)).map(({ method, status }) => `${method} ${status}`);
    expect(await found('')).toEqual(['POST 201', 'GET 404', 'GET 200']);
    expect(await found('&status=2xx')).toEqual(['POST 201', 'GET 200']);
    expect(await found('&status=4xx')).toEqual(['GET 404']);
    expect(await found('&status=5xx')).toEqual([]);
    expect(await found('&method=POST')).toEqual(['POST 201']);
    expect(await found(`&key=${other.id}`)).toEqual(['POST 201']);
    expect(await found(`&key=${member.keyId}&method=GET&status=2xx`)).toEqual(['GET 200']);
    expect(await found(`&key=${NO_ID}`)).toEqual([]);
  });

  it('returns pages that continue at the cursor', async () => {
    const member = await app.newAccount();
    const session = await app.console(member);
    await insert(member, [1, 2, 3, 4, 5]);
    const all = await list(session);
    expect(all).toHaveLength(5);
    const paged: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data, meta } = (await session.get(`/requests?limit=2${at}`)).body;
      expect(meta.pageSize).toBe(data.length);
      paged.push(...data);
      cursor = meta.nextCursor;
    }
    expect(paged).toEqual(all);
  });

  it.each([
    ['limit=0', 'limit out_of_range'],
    ['cursor=x', 'cursor invalid_format'],
    ['key=x', 'key invalid_format'],
    [`key=${NO_ID}&key=${NO_ID}`, 'key invalid_format'],
    ['status=404', 'status invalid_format'],
    ['method=get', 'method invalid_format'],
    ['page=2', 'page unknown_parameter'],
  ])('returns 400 for %s', async (query, detail) => {
    const session = await app.console(await app.newAccount());
    expectFailure(await session.get(`/requests?${query}`), 'invalid_request', [detail]);
  });
});

describe('readers of the request log', () => {
  let team: Team;

  beforeAll(async () => {
    team = await newTeam(app);
    for (const role of ['owner', 'admin', 'editor', 'viewer'] as const) {
      await insert(team[role], [1]);
    }
    await insert(await app.newAccount(), [1]);
  });

  const keysOf = (requests: readonly Json[]): string[] => requests.map(({ key }) => key.id).sort();

  it('see requests of their own keys only, as viewers and editors', async () => {
    for (const role of ['editor', 'viewer'] as const) {
      const session = await app.console(team[role]);
      const found = await list(session);
      expect(keysOf(found)).toEqual([team[role].keyId]);
      expect(found[0]?.key.email).toBe(team[role].email);
      expect(await list(session, `&key=${team.owner.keyId}`)).toEqual([]);
    }
  });

  it('see all requests of the account as admins and owners, and all email addresses as owners', async () => {
    const all = Object.values(team).map(({ keyId }: Member) => keyId);
    const [byAdmin, byOwner] = [
      await list(await app.console(team.admin)),
      await list(await app.console(team.owner)),
    ];
    expect(keysOf(byAdmin)).toEqual([...all].sort());
    expect(keysOf(byOwner)).toEqual([...all].sort());
    const emails = (found: Json[]): (string | null)[] => found.map(({ key }) => key.email);
    expect(emails(byAdmin).filter((email) => email !== null)).toEqual([team.admin.email]);
    expect(emails(byOwner)).toContain(team.viewer.email);
  });

  it('see no request of another account, even with its cursor and key', async () => {
    const session = await app.console(await app.newAccount());
    const [first] = await list(await app.console(team.owner));
    expect(await list(session)).toEqual([]);
    expect(await list(session, `&cursor=${first?.id}`)).toEqual([]);
    expect(await list(session, `&key=${team.owner.keyId}`)).toEqual([]);
  });
});

describe('requests that are left out', () => {
  it('are counted for those who may see them', async () => {
    const team = await newTeam(app);
    const service = app.nest.get(KeyRequestService);
    const surplus = 7;
    const { accountId, userId, keyId } = team.viewer;
    const caller = { accountId, userId, keyId, sessionId: null, role: 'viewer', suspended: false };
    const request = { method: 'GET', requestId: 'r' };
    const response = { headersSent: true, statusCode: 200, writableFinished: true };
    await service.runOnce();
    for (let each = 0; each < BUFFER_LIMITS.account + surplus; each += 1) {
      service.record(caller as never, request as never, response as never, 1);
    }
    await stored(accountId, BUFFER_LIMITS.account);
    const leftOut = async (member: Member, query = ''): Promise<Json> =>
      (await (await app.console(member)).get(`/requests?limit=1${query}`)).body.meta.leftOut;
    const counted = { requests: surplus, lastHour: expect.stringMatching(/:00:00\.000Z$/) };
    expect(await leftOut(team.viewer)).toEqual(counted);
    expect(await leftOut(team.admin)).toEqual(counted);
    expect(await leftOut(team.admin, `&key=${keyId}`)).toEqual(counted);
    const none = { requests: 0, lastHour: null };
    expect(await leftOut(team.admin, `&key=${team.owner.keyId}`)).toEqual(none);
    expect(await leftOut(team.editor)).toEqual(none);
    expect(await leftOut(await app.newAccount())).toEqual(none);
  });

  it('add up over instances and writes', async () => {
    const { accountId, userId, keyId } = await app.newAccount();
    const gap = { caller: { accountId, userId, keyId }, sinceMs: Date.now(), leftOut: 3 };
    for (const each of [app, replica, app]) {
      const repository = each.nest.get(KeyRequestRepository, { strict: false });
      await repository.add({ requests: [], gaps: [gap] });
    }
    const sql = 'SELECT sum(left_out)::int AS n FROM api_key_request_gaps WHERE account_id = $1';
    expect((await app.sql.query(sql, [accountId])).rows).toEqual([{ n: 9 }]);
  });
});

describe('the cleanup of the request log', () => {
  const DAY = 24 * 60;
  const cleanUp = (of = app): Promise<number> => of.nest.get(KeyRequestCleanup).runOnce();

  it('deletes requests and gaps after REQUEST_LOG_RETENTION_DAYS, which are not shown before', async () => {
    const member = await app.newAccount();
    await insert(member, [3 * DAY - 5, 3 * DAY + 5, 9 * DAY]);
    await app.sql.query(
      `INSERT INTO api_key_request_gaps
       SELECT $1, $2, date_trunc('hour', now()) - make_interval(days => age), $3, 1
       FROM unnest('{0,2,3,4}'::int[]) age`,
      [member.accountId, member.keyId, member.userId],
    );
    const session = await app.console(member);
    expect(await list(session)).toHaveLength(1);
    await cleanUp();
    expect(await countOf(member.accountId)).toBe(1);
    const { rows } = await app.sql.query(
      'SELECT 1 FROM api_key_request_gaps WHERE account_id = $1',
      [member.accountId],
    );
    expect(rows).toHaveLength(2);
  });

  it('keeps the newest MAX_REQUEST_LOG_ENTRIES requests of an account', async () => {
    const member = await app.newAccount();
    const quiet = await app.newAccount();
    await insert(member, [1, 2, 3, 4, 5, 6, 7]);
    await insert(quiet, [1, 2]);
    await member.api.get('/me');
    await stored(member.accountId, 8);
    await cleanUp();
    expect(await countOf(member.accountId)).toBe(5);
    expect(await countOf(quiet.accountId)).toBe(2);
    const [newest] = await list(await app.console(member));
    expect(newest?.requestId).not.toBe('r');
  });
});

describe('the buffer of the request log', () => {
  it('is written at shutdown, and again after a failure of the database', async () => {
    const member = await app.newAccount();
    const other = await TestApp.start({ settings, database: app.database });
    const broken = jest
      .spyOn(other.nest.get(KeyRequestRepository, { strict: false }), 'add')
      .mockRejectedValueOnce(new Error('unavailable'));
    await other.api(member.key).get('/me');
    await eventually(async () => {
      await other.nest
        .get(KeyRequestService)
        .runOnce()
        .catch(() => undefined);
      return broken.mock.calls.length > 0;
    });
    await other.api(member.key).get('/me');
    await other.close();
    expect(await countOf(member.accountId)).toBe(2);
  });

  it('writes a request once if a write is repeated', async () => {
    const { accountId, userId, keyId } = await app.newAccount();
    const repository = app.nest.get(KeyRequestRepository, { strict: false });
    const request = {
      ...{ id: '019aa2f4-0000-7000-8000-000000000000', atMs: Date.now() },
      ...{ caller: { accountId, userId, keyId }, method: 'GET', route: null, status: null },
      ...{ durationMs: 0.5, requestId: 'r', errorCode: null, aborted: true },
    };
    await repository.add({ requests: [request], gaps: [] });
    await repository.add({ requests: [request], gaps: [] });
    expect(await countOf(accountId)).toBe(1);
  });
});

describe('REQUEST_LOG_RETENTION_DAYS=0', () => {
  it('records nothing and deletes what is stored', async () => {
    const off = await TestApp.start({ settings: { REQUEST_LOG_RETENTION_DAYS: '0' } });
    try {
      const member = await off.newAccount();
      await off.sql.query(
        `INSERT INTO api_key_requests VALUES
         ($1, gen_random_uuid(), now(), $2, $3, 'GET', NULL, 200, 1, 'r', NULL, false)`,
        [member.accountId, member.userId, member.keyId],
      );
      await off.api(member.key).get('/me');
      const session = await off.console(member);
      const { data, meta } = (await session.get('/requests')).body;
      expect(data).toEqual([]);
      expect(meta.retentionDays).toBe(0);
      expect(await off.nest.get(KeyRequestService).runOnce()).toBe(0);
      await off.nest.get(KeyRequestCleanup).runOnce();
      expect((await off.sql.query('SELECT FROM api_key_requests')).rows).toEqual([]);
    } finally {
      await off.close();
    }
  });
});
