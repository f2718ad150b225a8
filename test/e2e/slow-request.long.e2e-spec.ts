import { connect } from 'node:net';
import { LiveReaders } from '../../src/changes/live-readers';
import type { ApiResponse } from '../support/api-client';
import { EventStream } from '../support/event-stream';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { waitingForLocks } from '../support/locks';
import { metricsUrl, METRICS_ON, Scrape } from '../support/scrape';
import { TestApp, type Member } from '../support/test-app';

const SLOW_MS = 300;
/** Reads are timed from Node 24 on. On older versions this would cost too much: see request-timings.ts. */
const HAS_READ_TIMINGS = Number(process.versions.node.split('.')[0]) >= 24;

interface RequestLine {
  readonly requestId: string;
  readonly level: string;
  readonly durationMs: number;
  readonly databaseMs?: number;
  readonly connectionMs?: number;
  readonly lockMs?: number;
  readonly bodyMs?: number;
  readonly waitMs?: number;
  readonly traceId?: string;
  readonly slow?: boolean;
  readonly statements?: readonly { name: string; count: number; ms: number }[];
}

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.start({
    settings: { SLOW_REQUEST_MS: String(SLOW_MS), DATABASE_POOL_SIZE: '1', ...METRICS_ON },
  });
  owner = await app.newAccount();
  grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  dataOf(await owner.api.post(`${grid}/rows`, { rows: [{ values: { n: 1 } }] }), 201);
});

afterAll(() => app.close());

const lineOf = (requestId: string): Promise<RequestLine> =>
  eventually(() =>
    app.logs
      .map((line) => JSON.parse(line) as RequestLine & { msg: string })
      .find((line) => line.msg === 'request' && line.requestId === requestId),
  );

/** Waits until a request that started before the call is certainly slow. */
const untilSlow = (): Promise<true> => {
  const startedAtMs = performance.now();
  return eventually(() => performance.now() - startedAtMs > SLOW_MS + 50);
};

const change = (requestId: string, n: number): Promise<ApiResponse> =>
  owner.api.patch(`${grid}/rows/1`, { values: { n } }, { 'X-Request-Id': requestId });

describe('the log of a slow request', () => {
  it('distinguishes a wait for a lock from a wait for a connection', async () => {
    const holder = await app.sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
      grid.replace('/datagrids/', ''),
    ]);
    const locked = change('waits-for-the-lock', 2);
    await eventually(async () => (await waitingForLocks(app)) === 1);
    const queued = change('waits-for-a-connection', 3);
    await untilSlow();
    await holder.query('ROLLBACK');
    holder.release();
    expect([(await locked).status, (await queued).status]).toEqual([200, 200]);

    const behindLock = await lineOf('waits-for-the-lock');
    expect(behindLock).toMatchObject({ level: 'warn', slow: true });
    expect(behindLock.lockMs).toBeGreaterThan(SLOW_MS);
    expect(behindLock.databaseMs).toBeGreaterThanOrEqual(behindLock.lockMs ?? Infinity);
    expect(behindLock.durationMs).toBeGreaterThan(behindLock.databaseMs ?? Infinity);
    const [slowest] = behindLock.statements ?? [];
    expect(slowest).toEqual({ name: 'row-lock-counter', count: 1, ms: behindLock.lockMs });

    const behindPool = await lineOf('waits-for-a-connection');
    expect(behindPool).toMatchObject({ level: 'warn', slow: true });
    expect(behindPool.connectionMs).toBeGreaterThan(SLOW_MS);
    expect(behindPool.databaseMs).toBeLessThan(behindPool.connectionMs ?? 0);
    expect(behindPool.lockMs ?? 0).toBeLessThan(SLOW_MS);
  });

  it('has the time that was spent waiting for the body', async () => {
    const body = '{"values":{"n":4}}';
    const socket = connect(app.port, '127.0.0.1');
    const path = `/api/v1/public${grid}/rows/1`;
    const head = [
      `PATCH ${path} HTTP/1.1`,
      ...['Host: x', `Authorization: Bearer ${owner.key}`, 'Content-Type: application/json'],
      ...[`Content-Length: ${String(body.length)}`, 'X-Request-Id: slow-body', '', ''],
    ];
    socket.write(head.join('\r\n') + body.slice(0, 5));
    await untilSlow();
    socket.write(body.slice(5));
    const line = await lineOf('slow-body');
    socket.destroy();
    expect(line).toMatchObject({ level: 'warn', slow: true });
    expect(line.bodyMs).toBeGreaterThan(SLOW_MS / 2);
    expect(line.durationMs).toBeGreaterThan(line.bodyMs ?? Infinity);
  });
});

describe('the log of any other request', () => {
  it('has the trace id of a valid traceparent only', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    await owner.api.get('/me', { traceparent, 'X-Request-Id': 'in-a-trace' });
    await owner.api.get('/me', { traceparent: 'secret', 'X-Request-Id': 'in-no-trace' });
    expect((await lineOf('in-a-trace')).traceId).toBe(traceId);
    expect(await lineOf('in-no-trace')).not.toHaveProperty('traceId');
  });

  it('has the database time of a change, and of a read on Node 24 and newer', async () => {
    dataOf(await change('a-change', 5), 200);
    const read = await owner.api.get(`${grid}/rows`, { 'X-Request-Id': 'a-read' });
    dataOf(read, 200);
    const [changed, seen] = [await lineOf('a-change'), await lineOf('a-read')];
    expect(changed.databaseMs).toBeGreaterThan(0);
    expect(seen.databaseMs === undefined).toBe(!HAS_READ_TIMINGS);
    for (const line of [changed, seen]) {
      if (line.durationMs < SLOW_MS) expect(line.level).toBe('info');
    }
  });
});

describe('a request that waits for changes', () => {
  const readers = (): number => app.nest.get(LiveReaders, { strict: false }).count;

  /** Expects that a request waited, and that only the rest of its time can make it slow. */
  const workMsOf = async (requestId: string): Promise<number> => {
    const { durationMs, waitMs = 0, level, slow } = await lineOf(requestId);
    expect(waitMs).toBeGreaterThan(SLOW_MS);
    const workMs = durationMs - waitMs;
    expect(workMs).toBeGreaterThan(0);
    const isSlow = workMs >= SLOW_MS;
    expect({ level, slow }).toEqual({ level: isSlow ? 'warn' : 'info', slow: isSlow || undefined });
    return workMs;
  };

  it('is not logged as slow, and its wait is not in the histogram of durations', async () => {
    const route = '/api/v1/public/datagrids/:datagridId/changes';
    const changes = `${grid}/changes?cursor=latest`;
    const headers = (requestId: string): Record<string, string> => ({
      authorization: `Bearer ${owner.key}`,
      'X-Request-Id': requestId,
    });
    const { body } = await owner.api.get(changes, headers('asks-for-the-cursor'));
    const poll = `${grid}/changes?cursor=${String(body.meta.nextCursor)}&wait=30`;
    const long = owner.api.get(poll, headers('long-poll'));
    const left = new AbortController();
    const url = `${app.origin}/api/v1/public${poll}`;
    const leaving = fetch(url, { headers: headers('left-poll'), signal: left.signal });
    const stream = new EventStream(
      `${app.origin}/api/v1/public${changes}`,
      headers('stream-of-events'),
    );
    await stream.next();
    await eventually(() => readers() === 3);
    await untilSlow();
    left.abort();
    await expect(leaving).rejects.toThrow('aborted');
    stream.close();
    await eventually(() => readers() === 1);
    dataOf(await change('wakes-the-reader', 6), 200);
    expect((await long).body.data).toHaveLength(1);

    let workMs = (await lineOf('asks-for-the-cursor')).durationMs;
    for (const id of ['long-poll', 'left-poll', 'stream-of-events']) workMs += await workMsOf(id);
    const durations = (await Scrape.of(await metricsUrl(app))).sum(
      'datagrid_http_request_duration_seconds_sum',
      { method: 'GET', route },
    );
    expect(durations).toBeCloseTo(workMs / 1_000, 1);
  });
});
