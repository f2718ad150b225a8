import { connect } from 'node:net';
import { API, FileBody } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { TestApp, type Member } from '../../support/test-app';

const ROWS = `${API}/datagrids/:datagridId/rows`;

const POOL = 10;

let app: TestApp;
let owner: Member;
let rows: string;
let url: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { ...METRICS_ON, DATABASE_POOL_SIZE: String(POOL) } });
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'u', type: 'text', unique: true }])}/rows`;
  url = await metricsUrl(app);
});

afterAll(() => app.close());

/**
 * Waits until `count` more requests are counted than before. A request is counted once its response
 * is sent, which may be after the client has received it, so every test waits for its own.
 */
const counted = (
  labels: Readonly<Record<string, string>>,
  count: number,
  before: Scrape,
): Promise<Scrape> =>
  eventually(async () => {
    const scrape = await Scrape.of(url);
    const name = 'datagrid_http_requests_total';
    return scrape.sum(name, labels) === before.sum(name, labels) + count && scrape;
  });

describe('metrics', () => {
  it('count requests by method, route pattern and status', async () => {
    const before = await Scrape.of(url);
    for (let each = 0; each < 3; each += 1) await owner.api.get(`${rows}?limit=1`);
    await owner.api.get(`${rows}?limit=0`);
    await owner.api.get('/nowhere/at/all');
    await counted({ method: 'GET', route: ROWS, status: '200' }, 3, before);
    await counted({ method: 'GET', route: ROWS, status: '400' }, 1, before);
    const scrape = await counted({ route: `/${API.slice(1)}/{*path}`, status: '404' }, 1, before);
    for (const secret of [owner.key, owner.accountId, rows.split('/')[2] ?? '', 'nowhere']) {
      expect(scrape.text).not.toContain(secret);
    }
  });

  it('count durations in cumulative buckets', async () => {
    const before = await Scrape.of(url);
    await owner.api.get(rows);
    const labels = { method: 'GET', route: ROWS };
    const scrape = await counted({ route: ROWS }, 1, before);
    const count = scrape.sum('datagrid_http_requests_total', { route: ROWS });
    const name = 'datagrid_http_request_duration_seconds';
    expect(scrape.sum(`${name}_count`, labels)).toBe(count);
    expect(scrape.sum(`${name}_bucket`, { ...labels, le: '+Inf' })).toBe(count);
    expect(scrape.sum(`${name}_bucket`, { ...labels, le: '30' })).toBe(count);
    const bounds = ['0.001', '0.01', '0.1', '1', '10', '60'];
    const buckets = bounds.map((le) => scrape.sum(`${name}_bucket`, { ...labels, le }));
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(scrape.sum(`${name}_sum`, labels)).toBeGreaterThan(0);
  });

  it('count requests without a route', async () => {
    const before = await Scrape.of(url);
    const socket = connect(app.port, '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    socket.resume();
    await counted({ method: 'GET', route: 'none', status: '400' }, 1, before);
  });

  it('report the pools, the event loop, the process and the build', async () => {
    const scrape = await Scrape.of(url);
    expect(scrape.sum('datagrid_database_pool_limit', { pool: 'main' })).toBe(POOL);
    expect(scrape.sum('datagrid_database_pool_limit', { pool: 'imports' })).toBe(4);
    const size = scrape.sum('datagrid_database_pool_connections', { pool: 'main' });
    expect(size).toBeGreaterThan(0);
    expect(scrape.sum('datagrid_database_pool_idle', { pool: 'main' })).toBeLessThanOrEqual(size);
    expect(scrape.sum('datagrid_database_pool_waiting')).toBe(0);
    // Without Redis and a replica, their metrics do not exist.
    expect(scrape.text).not.toMatch(/^datagrid_(redis_up|database_replica_age_seconds)/m);
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(scrape.names()).toContain(name);
    }
    expect(scrape.sum('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    const build = { version: '0.1.0', node: process.versions.node };
    expect(scrape.sum('datagrid_build_info', build)).toBe(1);
  });

  it('report the state of PostgreSQL', async () => {
    const scrape = await eventually(async () => {
      const now = await Scrape.of(url);
      return now.sum('datagrid_database_size_bytes') > 0 && now;
    });
    expect(scrape.sum('datagrid_database_size_bytes')).toBeGreaterThan(1_000_000);
    const { rows: limits } = await app.sql.query<{ count: number }>(
      "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS count",
    );
    const sessions = scrape.sum('datagrid_database_sessions');
    expect(sessions).toBeGreaterThanOrEqual(1);
    expect(sessions).toBeLessThanOrEqual(scrape.sum('datagrid_database_sessions_limit') + 10);
    expect(scrape.sum('datagrid_database_sessions_limit')).toBe(limits[0]?.count);
    const age = scrape.sum('datagrid_database_transaction_age');
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(2 ** 31);
    expect(scrape.sum('datagrid_database_archive_failing')).toBe(0);
  });

  it('report requests that wait for a connection', async () => {
    const before = await Scrape.of(url);
    const other = await app.sql.connect();
    try {
      await other.query('BEGIN; LOCK TABLE rows');
      const reads = Promise.all(Array.from({ length: 15 }, () => owner.api.get(`${rows}?limit=1`)));
      await eventually(async () => {
        const scrape = await Scrape.of(url);
        // One account has a share of the pool; the others of its requests wait without a connection.
        return (
          scrape.sum('datagrid_database_gate_waiting') === 7 &&
          scrape.sum('datagrid_database_gate_held') === 8
        );
      });
      await other.query('ROLLBACK');
      expect((await reads).map(({ status }) => status)).toEqual(Array(15).fill(200));
      await counted({ method: 'GET', route: ROWS, status: '200' }, 15, before);
    } finally {
      other.release(true);
    }
  });

  it('count imports and exports and their rows', async () => {
    const lines = '{"u":"a"}\n{"u":"b"}\n{"u":"a"}\n';
    const file = new FileBody('application/x-ndjson', lines);
    expect((await owner.api.post(`${rows}/import?onError=skip`, file)).body.data.created).toBe(2);
    expect((await owner.api.post(`${rows}/import`, file)).status).toBe(409);
    expect((await owner.api.get(`${rows}/export`)).status).toBe(200);
    const scrape = await eventually(async () => {
      const now = await Scrape.of(url);
      return now.sum('datagrid_exports_total') === 1 && now.sum('datagrid_imports_total') === 2
        ? now
        : undefined;
    });
    expect(scrape.sum('datagrid_imports_total', { state: 'completed' })).toBe(1);
    expect(scrape.sum('datagrid_imports_total', { state: 'failed' })).toBe(1);
    expect(scrape.sum('datagrid_import_rows_total', { outcome: 'created' })).toBe(2);
    expect(scrape.sum('datagrid_import_rows_total', { outcome: 'rejected' })).toBe(1);
    expect(scrape.sum('datagrid_exports_total', { outcome: 'completed' })).toBe(1);
    expect(scrape.sum('datagrid_export_rows_total')).toBe(2);
    expect(scrape.sum('datagrid_imports_running')).toBe(0);
    expect(scrape.sum('datagrid_exports_running')).toBe(0);
  });

  it('are served only on their own port and path', async () => {
    const origin = url.replace('/metrics', '');
    for (const path of ['/', '/metric', '/metrics/', '/health/live', `${API}/me`]) {
      expect((await fetch(origin + path)).status).toBe(404);
    }
    const posted = await fetch(url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    expect(new URL(url).port).not.toBe(String(app.port));
    expect((await fetch(`${app.origin}/metrics`)).status).toBe(404);
  });
});

describe('rejections by limits', () => {
  it('are counted by limit', async () => {
    const limited = await TestApp.start({
      database: app.database,
      settings: {
        ...METRICS_ON,
        RATE_LIMIT_REQUESTS: '2',
        AUTH_FAILURE_LIMIT: '1',
        SIGN_IN_LIMIT: '1',
      },
    });
    try {
      const member = await limited.newAccount();
      const [nobody, session] = [new ConsoleClient(limited.origin), await limited.console(member)];
      const wrong = { email: 'nobody@example.com', password: 'not a password' };
      const statuses = [];
      for (const call of [
        () => member.api.get('/me'),
        () => session.get('/session'),
        () => limited.api('mk_wrong').get('/me'),
        () => nobody.post('/session', wrong),
      ]) {
        for (let each = 0; each < 3; each += 1) statuses.push((await call()).status);
      }
      expect(statuses.filter((status) => status === 429)).toHaveLength(6);
      const scrape = await Scrape.of(await metricsUrl(limited));
      const rejected = (limit: string): number =>
        scrape.sum('datagrid_throttled_requests_total', { limit });
      expect(['key', 'user', 'auth-failures', 'sign-in'].map(rejected)).toEqual([1, 1, 2, 2]);
      expect(scrape.sum('datagrid_sign_ins_total', { outcome: 'wrong_password' })).toBe(1);
    } finally {
      await limited.close();
    }
  });
});
