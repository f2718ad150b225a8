import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { API, type ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { METRICS_ON, metricsUrl, Scrape } from '../../support/scrape';
import { TestApp, type Member } from '../../support/test-app';
import { DatabaseGate } from '../../../src/platform/database/database-gate';

/** The pool size. One account may use 2 connections while other accounts are active. */
const POOL = 10;
const SHARE = 2;
/** The queue size. One account may use half of it. */
const QUEUE = 8;

let app: TestApp;
let owner: Member;
let other: Member;
let path: string;
let calm: string;
let theirs: string;
let lock: Client;
let begun: Promise<ApiResponse>[];

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      DATABASE_POOL_SIZE: String(POOL),
      databaseMaxWaiting: QUEUE,
      DATABASE_ACQUIRE_TIMEOUT_MS: '3000',
      ...METRICS_ON,
    },
  });
  owner = await app.newAccount();
  other = await app.newAccount();
  const columns = [{ key: 'n', type: 'integer' }];
  path = await newDatagrid(owner.api, columns);
  calm = await newDatagrid(owner.api, columns);
  theirs = await newDatagrid(other.api, columns);
  for (const [api, grid] of [
    [owner.api, path],
    [other.api, theirs],
  ] as const) {
    expect((await api.post(`${grid}/rows`, { values: { n: 1 } })).status).toBe(201);
  }
});

afterAll(() => app.close());

beforeEach(async () => {
  begun = [];
  // Makes the other account active.
  expect((await other.api.get('/workspaces')).status).toBe(200);
  await eventually(() => hasAllPlaces(owner.accountId));
  lock = new Client({ connectionString: app.database.url });
  await lock.connect();
  const [, datagridId] = /^\/datagrids\/([^/]+)/.exec(path) ?? [];
  await lock.query('BEGIN');
  await lock.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [datagridId]);
});

afterEach(async () => {
  await lock.end();
  await Promise.all(begun);
});

/** Whether no permit of the account is in its cooldown. */
function hasAllPlaces(accountId: string): boolean {
  const gate = app.nest.get(DatabaseGate);
  const releases = Array.from({ length: SHARE }, () => gate.tryEnter(accountId));
  for (const release of releases) release?.();
  return releases.every((release) => release !== undefined);
}

/** Starts `count` updates of the locked datagrid, each in its own request. */
function update(count: number, headers: (n: number) => Record<string, string> = () => ({})): void {
  for (let n = 0; n < count; n += 1) {
    begun.push(owner.api.patch(`${path}/rows/1`, { values: { n } }, headers(n)));
  }
}

const waitsFor = async (count: number): Promise<unknown> =>
  eventually(async () => (await waitingForLocks(app)) === count);

/** Expects that reads and writes of the other account succeed. */
async function expectOtherServed(): Promise<void> {
  const created = await other.api.post(`${theirs}/rows`, { values: { n: 2 } });
  expect(created.status).toBe(201);
  const responses = await Promise.all([
    other.api.get(`${theirs}/rows`),
    other.api.get(`${theirs}/rows/1`),
    other.api.get('/workspaces'),
    other.api.patch(`${theirs}/rows/1`, { values: { n: 3 } }),
    other.api.get('/me'),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
}

describe('requests of one account that wait for a lock', () => {
  it.each([
    ['without an Idempotency-Key', () => ({})],
    [
      'with an Idempotency-Key',
      (n: number) => ({ 'idempotency-key': `${String(Date.now())} ${String(n)}` }),
    ],
  ])('leave connections for another account %s', async (_, headers) => {
    update(SHARE + 2, headers);
    await waitsFor(SHARE);
    await expectOtherServed();
    expect(await waitingForLocks(app)).toBe(SHARE);
    await lock.query('COMMIT');
    expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('return 429 with Retry-After at once if the account’s part of the queue is full', async () => {
    const url = await metricsUrl(app);
    const before = await Scrape.of(url);
    update(SHARE + QUEUE / 2);
    await waitsFor(SHARE);
    await eventually(
      async () => (await Scrape.of(url)).sum('datagrid_database_gate_waiting') === 4,
    );
    const rejected = await owner.api.get(`${calm}/rows`);
    expectFailure(rejected, 'rate_limited');
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect(rejected.body.error.message).toBe(
      'Too many requests of this account are using the database. Retry later.',
    );
    await expectOtherServed();
    const after = await Scrape.of(url);
    expect(after.sum('datagrid_database_gate_held')).toBe(SHARE);
    const rejections = (scrape: Scrape, bound: string): number =>
      scrape.sum('datagrid_database_gate_rejected_total', { bound });
    expect(rejections(after, 'account') - rejections(before, 'account')).toBe(1);
    expect(rejections(after, 'process')).toBe(0);
  });

  it.each([
    ['whose columns are not cached', { n: 1 }, {}],
    ['with If-None-Match', { n: 1 }, { 'if-none-match': '"1-1"' }],
  ])('let a query %s wait with them for the columns it reads', async (_, filter, headers) => {
    const rows = `${await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
    if ('if-none-match' in headers) {
      expect((await owner.api.get(`${rows}?filter={"n":2}`)).status).toBe(200);
    }
    await eventually(() => hasAllPlaces(owner.accountId));
    update(SHARE + QUEUE / 2);
    await waitsFor(SHARE);
    const url = await metricsUrl(app);
    await eventually(
      async () => (await Scrape.of(url)).sum('datagrid_database_gate_waiting') === 4,
    );
    const query = `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
    expectFailure(await owner.api.get(`${rows}${query}`, headers), 'rate_limited');
  });

  it('do not hide the error of a query that is invalid', async () => {
    const rows = `${await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
    expect((await owner.api.get(`${rows}?filter={"n":2}`)).status).toBe(200);
    await eventually(() => hasAllPlaces(owner.accountId));
    update(SHARE + QUEUE / 2);
    await waitsFor(SHARE);
    const url = await metricsUrl(app);
    await eventually(
      async () => (await Scrape.of(url)).sum('datagrid_database_gate_waiting') === 4,
    );
    const invalid = await owner.api.get(`${rows}?filter={"unknown":1}`);
    expectFailure(invalid, 'invalid_request', ['filter.unknown unknown_column']);
  });

  it('return 429 once they have waited for the maximum time', async () => {
    update(SHARE);
    await waitsFor(SHARE);
    const waiting = owner.api.get(`${calm}/rows/1`);
    const url = await metricsUrl(app);
    await eventually(
      async () => (await Scrape.of(url)).sum('datagrid_database_gate_waiting') === 1,
    );
    await expectOtherServed();
    expectFailure(await waiting, 'rate_limited');
  });

  it('return 503 if no request was served in the meantime', async () => {
    update(SHARE);
    await waitsFor(SHARE);
    const response = await owner.api.get(`${calm}/rows/1`);
    expectFailure(response, 'unavailable');
    expect(response.body.error.message).toBe('The database does not respond. Retry later.');
  });

  it('hold their database connections if their clients disconnect', async () => {
    const sockets = Array.from({ length: SHARE }, () => send('{"values":{"n":4}}'));
    await waitsFor(SHARE);
    for (const socket of sockets) socket.destroy();
    update(2);
    await expectOtherServed();
    expect(await waitingForLocks(app)).toBe(SHARE);
    await lock.query('COMMIT');
    expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('use one connection for all single creates of a datagrid', async () => {
    for (let n = 0; n < 30; n += 1) {
      begun.push(owner.api.post(`${path}/rows`, { values: { n } }));
    }
    await waitsFor(1);
    // The account has permits left for everything else.
    expect((await owner.api.get(`${calm}/rows`)).status).toBe(200);
    expect((await owner.api.post(`${calm}/rows`, { rows: [{ values: {} }] })).status).toBe(201);
    expect(await waitingForLocks(app)).toBe(1);
    await lock.query('COMMIT');
    expect(new Set((await Promise.all(begun)).map(({ status }) => status))).toEqual(new Set([201]));
  });
});

it('an account may use four fifths of the pool while no other account is active', async () => {
  const alone = await TestApp.start({ settings: { DATABASE_POOL_SIZE: '10' } });
  const { api } = await alone.newAccount();
  const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
  expect((await api.post(`${grid}/rows`, { values: { n: 1 } })).status).toBe(201);
  const held = new Client({ connectionString: alone.database.url });
  await held.connect();
  await held.query('BEGIN');
  await held.query('SELECT FROM datagrid_counters FOR UPDATE');
  const updates = Array.from({ length: 9 }, (_, n) =>
    api.patch(`${grid}/rows/1`, { values: { n } }),
  );
  await eventually(async () => (await waitingForLocks(alone)) === 8);
  await held.query('COMMIT');
  await held.end();
  expect((await Promise.all(updates)).map(({ status }) => status)).toEqual(Array(9).fill(200));
  await alone.close();
});

it('a request takes no connection until its body has arrived', async () => {
  const sockets = Array.from({ length: 2 * POOL }, () => send('{"values"', 18));
  for (const socket of sockets) await new Promise((resolve) => socket.once('connect', resolve));
  expect((await owner.api.get(`${calm}/rows`)).status).toBe(200);
  expect((await owner.api.get('/me')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

/** Sends an update of the locked datagrid. `length` is the announced length of its body. */
function send(body: string, length = body.length): Socket {
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    [
      `PATCH ${API}${path}/rows/1 HTTP/1.1`,
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
