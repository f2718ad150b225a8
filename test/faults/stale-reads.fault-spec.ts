import { Client } from 'pg';
import { adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import { ApiClient, type ApiResponse } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid } from '../support/fixture';
import { METRICS_ON, Scrape } from '../support/scrape';
import { printFigures } from './support/figures';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';

const OLD = { 'cache-control': 'max-stale=3600' };
const PATIENCE_MS = 60_000;
const FRESH = { 'cache-control': 'max-stale=1' };

let primary: PostgresServer;
let replica: PostgresServer;
let service: ServiceProcess;
let owner: Owner;
let api: ApiClient;
let grid: string;

beforeAll(async () => {
  primary = await PostgresServer.start();
  owner = await newOwner(primary.url);
  replica = await primary.addReplica();
  const settings = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url };
  service = await ServiceProcess.ready({
    ...settings,
    ...METRICS_ON,
    RATE_LIMIT_REQUESTS: '1000000',
  });
  api = new ApiClient(await service.origin(), owner.key);
  grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await replica.remove();
  await primary.remove();
});

const ageOf = ({ headers }: ApiResponse): number | null => {
  const age = headers.get('age');
  return age === null ? null : Number(age);
};

const totalOf = ({ body }: ApiResponse): number => body.meta.total;

const rows = (headers: Record<string, string> = {}): Promise<ApiResponse> =>
  api.get(`${grid}/rows`, headers);

/** Waits until the replica serves reads that may be one second stale, and has replayed all changes. */
async function caughtUp(): Promise<ApiResponse> {
  return eventually(async () => {
    const total = totalOf(await rows());
    const response = await rows(FRESH);
    return ageOf(response) !== null && totalOf(response) === total && response;
  }, PATIENCE_MS);
}

/** Reads the metrics. */
async function scrape(): Promise<Scrape> {
  const line = await eventually(() => service.log().find(({ msg }) => msg === 'metrics listening'));
  return Scrape.of(String(line['url']));
}

const onReplica = (text: string): Promise<unknown> =>
  withClient(replica.url, (client: Client) => client.query(text));

describe('a read', () => {
  it('that allows stale data is served by the replica, with its age', async () => {
    dataOf(await api.post(`${grid}/rows`, { rows: [{ values: { n: 1 } }] }), 201);
    await caughtUp();
    for (const path of ['/rows', '/rows?sort=n', '/rows/1', '']) {
      const response = await eventually(async () => {
        const found = await api.get(grid + path, FRESH);
        return found.status === 200 && ageOf(found) !== null && found;
      }, PATIENCE_MS);
      expect(ageOf(response)).toBeLessThanOrEqual(1);
    }
    const queried = await api.post(`${grid}/rows/query`, { filter: { n: 1 } }, OLD);
    expect([totalOf(queried), ageOf(queried) !== null]).toEqual([1, true]);
  });

  it('that does not allow stale data is served by the primary', async () => {
    await caughtUp();
    for (const headers of [
      {},
      { 'cache-control': 'no-cache' },
      { 'cache-control': 'max-stale=0' },
    ]) {
      expect(ageOf(await rows(headers))).toBeNull();
    }
    // Routes that write, and routes that do not allow stale data.
    expect(ageOf(await api.post(`${grid}/rows`, { values: { n: 2 } }, OLD))).toBeNull();
    expect(ageOf(await api.get('/me', OLD))).toBeNull();
  });

  it('that allows stale data is not served by a replica further behind than allowed, and keys are never stale', async () => {
    const before = totalOf(await caughtUp());
    await onReplica('SELECT pg_wal_replay_pause()');
    const { id } = dataOf(await api.post(`${grid}/rows`, { values: { n: 3 } }), 201);
    const pausedAtMs = performance.now();

    expect(totalOf(await rows())).toBe(before + 1);
    const stale = await rows(OLD);
    expect([totalOf(stale), ageOf(stale) !== null]).toEqual([before, true]);
    expectFailure(await api.get(`${grid}/rows/${String(id)}`, OLD), 'not_found');
    expect((await api.get(`${grid}/rows/${String(id)}`)).status).toBe(200);

    // A second later, the replica is older than the request allows.
    const rejected = await eventually(async () => {
      const response = await rows(FRESH);
      return ageOf(response) === null && response;
    }, PATIENCE_MS);
    const rejectedAfterMs = performance.now() - pausedAtMs;
    expect(totalOf(rejected)).toBe(before + 1);
    const old = await rows(OLD);
    expect(totalOf(old)).toBe(before);
    expect(ageOf(old)).toBeGreaterThanOrEqual(1);
    const shown = await scrape();
    expect(shown.sum('datagrid_database_replica_age_seconds')).toBeGreaterThanOrEqual(1);
    expect(shown.sum('datagrid_database_pool_connections', { pool: 'replica' })).toBeGreaterThan(0);

    // Keys are looked up in the primary: the replica does not know yet that the key is revoked.
    const settings = { DATABASE_URL: primary.url };
    const user = ['--email', 'viewer@example.com'];
    const account = ['--account', owner.accountId, '--role', 'viewer'];
    await adminJson(settings, 'user', 'create', ...user, ...account);
    const { id: keyId, key } = await adminJson(settings, 'key', 'create', ...user, '--name', 'K');
    const other = new ApiClient(await service.origin(), String(key));
    expect((await other.get(`${grid}/rows`, OLD)).status).toBe(200);
    await adminJson(settings, 'key', 'revoke', '--id', String(keyId));
    expectFailure(await other.get(`${grid}/rows`, OLD), 'unauthenticated');

    const resumedAtMs = performance.now();
    await onReplica('SELECT pg_wal_replay_resume()');
    const again = await caughtUp();
    expect(totalOf(again)).toBe(before + 1);
    printFigures('a replica paused', {
      'rejected for max-stale=1 after ms': rejectedAfterMs,
      'allowed again after ms': performance.now() - resumedAtMs,
    });
  });

  it('that allows stale data is served by the primary without a failure while the replica is gone', async () => {
    await caughtUp();
    await replica.kill();
    const responses = [];
    for (let count = 0; count < 50; count += 1) responses.push(await rows(OLD));
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(responses.map(ageOf)).toEqual(Array(50).fill(null));
    const startedAtMs = performance.now();
    await replica.start();
    await caughtUp();
    printFigures('a replica killed', {
      requests: responses.length,
      failed: 0,
      'responds again after ms': performance.now() - startedAtMs,
    });
  });

  it('that allows stale data is not served by a replica that became a primary', async () => {
    await caughtUp();
    await onReplica('SELECT pg_promote()');
    await eventually(async () => ageOf(await rows(OLD)) === null, PATIENCE_MS);
    expect((await rows(OLD)).status).toBe(200);
    expect(ageOf(await rows(OLD))).toBeNull();
    expect((await scrape()).text).not.toMatch(/^datagrid_database_replica_age_seconds/m);
  });
});
