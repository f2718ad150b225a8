import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { API, type ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { sendRaw } from '../../support/raw-http';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { TestApp, type Member } from '../../support/test-app';

const LIMIT = 4;
/** The number of requests that one account may have in progress. */
const SHARE = 2;

let app: TestApp;
let owner: Member;
let other: Member;
let path: string;
let theirs: string;
/** One account for each place of the limit, each with a datagrid. */
let crowd: { readonly member: Member; readonly grid: string }[];
let lock: Client;

beforeAll(async () => {
  app = await TestApp.start({
    settings: { MAX_CONCURRENT_REQUESTS: String(LIMIT), ...METRICS_ON },
  });
  owner = await app.newAccount();
  path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  other = await app.newAccount();
  theirs = await newDatagrid(other.api, [{ key: 'n', type: 'integer' }]);
  crowd = [
    { member: owner, grid: path },
    { member: other, grid: theirs },
  ];
  while (crowd.length < LIMIT) {
    const member = await app.newAccount();
    crowd.push({ member, grid: await newDatagrid(member.api, [{ key: 'n', type: 'integer' }]) });
  }
});

afterAll(() => app.close());

beforeEach(async () => {
  lock = new Client({ connectionString: app.database.url });
  await lock.connect();
});

afterEach(() => lock.end());

/** Writes a row, and retries until it is not rejected. */
async function write(member: Member, grid: string): Promise<ApiResponse> {
  for (;;) {
    const response = await member.api.post(`${grid}/rows`, { values: { n: 1 } });
    if (response.status !== 503 && response.status !== 429) return response;
  }
}

/** Starts as many writes as one account may have in progress. All wait for a lock. */
const fillShare = (member: Member, grid: string): Promise<ApiResponse>[] =>
  Array.from({ length: SHARE }, () => write(member, grid));

/** Starts as many writes as the limit allows, each of another account. */
async function fill(): Promise<Promise<ApiResponse>[]> {
  await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
  const writes = crowd.map(({ member, grid }) => write(member, grid));
  await eventually(async () => (await owner.api.get('/me')).status === 503);
  return writes;
}

describe('an account that exceeds its share of the requests in progress', () => {
  it('gets 429 with Retry-After while another account is served', async () => {
    const url = await metricsUrl(app);
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const writes = fillShare(owner, path);
    await eventually(async () => (await owner.api.get('/me')).status === 429);
    const before = await Scrape.of(url);
    for (const call of [
      () => owner.api.get('/me'),
      () => owner.api.post(`${path}/rows`, { values: { n: 1 } }),
      () => owner.api.get('/nowhere'),
    ]) {
      const rejected = await call();
      expectFailure(rejected, 'rate_limited');
      expect(rejected.headers.get('retry-after')).toBe('1');
      expect(rejected.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
      expect(rejected.body.error.message).toBe(
        'Too many concurrent requests of this account. Retry later.',
      );
    }
    const after = await Scrape.of(url);
    const rejections = (scrape: Scrape): number =>
      scrape.sum('datagrid_account_rejected_requests_total');
    expect(rejections(after) - rejections(before)).toBe(3);
    expect(after.sum('datagrid_requests_in_progress')).toBe(SHARE);
    expect((await other.api.get('/me')).status).toBe(200);
    expect((await other.api.get(`${theirs}/rows`)).status).toBe(200);
    await lock.query('COMMIT');
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await owner.api.get('/me')).status).toBe(200);
  });

  it('gets 429 for requests whose bodies arrive while its share is in use', async () => {
    const sockets = Array.from({ length: SHARE + 1 }, () => post('{"values"', 18));
    const responses: string[] = [];
    for (const socket of sockets) {
      socket.setEncoding('utf8').on('data', (text: string) => responses.push(text.slice(9, 12)));
    }
    await eventually(async () => (await owner.api.get('/me')).status === 200);
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const writes = fillShare(owner, path);
    await eventually(async () => (await owner.api.get('/me')).status === 429);
    for (const socket of sockets) socket.write(':{"n":1}}');
    await eventually(() => responses.length === sockets.length);
    expect(responses).toEqual(['429', '429', '429']);
    for (const socket of sockets) socket.destroy();
    await lock.query('COMMIT');
    await Promise.all(writes);
  });
});

describe('a request beyond MAX_CONCURRENT_REQUESTS', () => {
  it('is rejected at once in the error format, and accepted when there is room', async () => {
    const writes = await fill();
    const rejected = await owner.api.get('/me', { 'x-request-id': 'mine' });
    expectFailure(rejected, 'unavailable');
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect(rejected.headers.get('x-request-id')).toBe('mine');
    expect(rejected.headers.get('x-content-type-options')).toBe('nosniff');
    expect(rejected.headers.get('cache-control')).toBe('no-store');
    // The rejection comes before authentication.
    expectFailure(await app.api('mk_bad').get('/me'), 'unavailable');

    await lock.query('COMMIT');
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await owner.api.get('/me')).status).toBe(200);
  });

  it('is logged in a summary, not one by one', async () => {
    const writes = await fill();
    // Earlier rejections may have been logged while fewer requests were in progress.
    const before = app.logs.length;
    for (let n = 0; n < 3; n += 1) {
      expectFailure(await owner.api.get('/me', { 'x-request-id': 'of-the-many' }), 'unavailable');
    }
    const line = await eventually(() =>
      app.logs.slice(before).find((text) => text.includes('server overloaded')),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', inProgress: LIMIT });
    expect(app.logs.join('')).not.toContain('of-the-many');
    await lock.query('COMMIT');
    await Promise.all(writes);
  });

  it('is counted in its own metric', async () => {
    const url = await metricsUrl(app);
    const writes = await fill();
    const before = await Scrape.of(url);
    expect(before.sum('datagrid_requests_in_progress')).toBe(LIMIT);
    expect(before.sum('datagrid_requests_in_progress_limit')).toBe(LIMIT);
    for (let n = 0; n < 3; n += 1) await owner.api.get('/me');
    const after = await Scrape.of(url);
    const rejected = (scrape: Scrape): number =>
      scrape.sum('datagrid_overload_rejected_requests_total');
    expect(rejected(after) - rejected(before)).toBe(3);
    expect(after.sum('datagrid_http_requests_total', { status: '503' })).toBe(0);
    await lock.query('COMMIT');
    await Promise.all(writes);
    await eventually(async () => (await Scrape.of(url)).sum('datagrid_requests_in_progress') === 0);
  });

  it('is accepted if it is a probe', async () => {
    const writes = await fill();
    for (const probe of ['live', 'ready']) {
      expect((await fetch(`${app.origin}/health/${probe}`)).status).toBe(200);
    }
    await lock.query('COMMIT');
    await Promise.all(writes);
  });

  it('is no longer counted if the client disconnects', async () => {
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const url = await metricsUrl(app);
    const sockets = Array.from({ length: SHARE }, () => post('{"values":{"n":1}}'));
    // Reads the metric, which takes no place of the limit.
    await eventually(
      async () => (await Scrape.of(url)).sum('datagrid_requests_in_progress') === SHARE,
    );
    expectFailure(await owner.api.get('/me'), 'rate_limited');
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await owner.api.get('/me')).status === 200);
    await lock.query('COMMIT');
  });
});

/** Sends a row. `length` is the announced length if `body` is only a part of it. */
function post(body: string, length = body.length): Socket {
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    [
      `POST ${API}${path}/rows HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${owner.key}`,
      'Content-Type: application/json',
      `Content-Length: ${String(length)}`,
      '',
      body,
    ].join('\r\n'),
  );
  return socket;
}

describe('slow clients', () => {
  it('are not counted as in progress while their bodies are awaited', async () => {
    const url = await metricsUrl(app);
    const sockets: Socket[] = [];
    const responses: string[] = [];
    // Sends no more at a time than there are places, because each uses one until its key is authenticated.
    for (let n = 0; n < 5; n += 1) {
      for (let each = 0; each < SHARE; each += 1) {
        const socket = post('{"values"', 18);
        socket.setEncoding('utf8').on('data', (text: string) => responses.push(text));
        sockets.push(socket);
      }
      // All have arrived once the last one gets a response.
      const last = await sendRaw(
        app.port,
        `GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(last.status).toBe(200);
      await eventually(
        async () => (await Scrape.of(url)).sum('datagrid_requests_in_progress') === 0,
      );
    }
    for (let n = 0; n < 2 * LIMIT; n += 1) {
      expect((await owner.api.get('/me')).status).toBe(200);
    }
    expect(responses).toEqual([]);
    for (const [index, socket] of sockets.entries()) {
      socket.write(':{"n":1}}');
      await eventually(() => responses.length === index + 1);
    }
    expect(responses.map((text) => text.slice(9, 12))).toEqual(sockets.map(() => '201'));
    for (const socket of sockets) socket.destroy();
  });
});

describe('requests whose key is looked up', () => {
  it('take no place of other accounts', async () => {
    const read = async (): Promise<number> => (await other.api.get(`${theirs}/rows`)).status;
    expect(await read()).toBe(200);
    const { api } = await app.newAccount();
    await lock.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const waiting = Array.from({ length: 2 * LIMIT }, () => api.get('/workspaces'));
    await eventually(async () => {
      const { rows } = await lock.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'api_keys'::regclass AND NOT granted",
      );
      return (rows[0]?.count ?? 0) > 0;
    });
    const statuses: number[] = [];
    for (let n = 0; n < LIMIT; n += 1) statuses.push(await read());
    await lock.query('ROLLBACK');
    expect(statuses).toEqual(statuses.map(() => 200));
    const own = (await Promise.all(waiting)).map(({ status }) => status);
    expect(own).toContain(200);
    expect(own.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });
});
