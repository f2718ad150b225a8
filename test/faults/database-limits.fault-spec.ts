import { Client } from 'pg';
import type { ApiResponse } from '../support/api-client';
import { eventually } from '../support/eventually';
import { withClient } from '../support/database-url';
import { METRICS_ON, Scrape } from '../support/scrape';
import { printFigures } from './support/figures';
import { Loader, type Call } from './support/loader';
import { NumberedGrid, numberOf } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { sleepInWrites, wakeWrites } from './support/slow-writes';
import { faultsAmong, recoveryMs, withoutRetryAfter, summary } from './support/summary';

/** An account may use a third of the pool while other accounts are active. */
const POOL_SIZE = 3;
const SHARE = 2;
/** One account may use half of the queue. */
const QUEUE_LIMIT = 16;
const ACCOUNT_QUEUE = 8;
/** Longer than a test holds a lock. */
const LONG_MS = 100_000;
const PATIENCE_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 1_500;
const IDLE_TRANSACTION_TIMEOUT_MS = 2_000;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;
let other: Owner;
let grid: NumberedGrid;
let theirs: NumberedGrid;
let third: Owner;
let thirds: NumberedGrid;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  replicas = await Replicas.start(1, {
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    databaseMaxWaiting: QUEUE_LIMIT,
    DATABASE_ACQUIRE_TIMEOUT_MS: String(LONG_MS),
    LOCK_TIMEOUT_MS: String(LONG_MS),
    STATEMENT_TIMEOUT_MS: String(LONG_MS),
    ...METRICS_ON,
  });
  // A second instance with short timeouts for locks and statements.
  await replicas.add({
    LOCK_TIMEOUT_MS: '1000',
    STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
    idleTransactionTimeoutMs: IDLE_TRANSACTION_TIMEOUT_MS,
  });
  owner = await newOwner(postgres.url);
  other = await newOwner(postgres.url);
  theirs = await NumberedGrid.create(replicas.api(0, other.key));
  third = await newOwner(postgres.url);
  thirds = await NumberedGrid.create(replicas.api(0, third.key));
});

beforeEach(async () => {
  grid = await NumberedGrid.create(replicas.api(0, owner.key));
});

afterAll(async () => {
  await replicas.kill();
  await postgres.remove();
});

const sql = <T>(work: (client: Client) => Promise<T>): Promise<T> => withClient(postgres.url, work);

const idOf = ({ path }: NumberedGrid): string => path.slice('/datagrids/'.length);

/** Blocks every write to a datagrid until the returned client is ended. */
async function holdWrites(...others: readonly NumberedGrid[]): Promise<Client> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM datagrid_counters WHERE datagrid_id = ANY($1) FOR UPDATE', [
    [grid, ...others].map(idOf),
  ]);
  return client;
}

/** Returns the number of backends of the service's pool in a state. */
const backends = (state: string): Promise<number> =>
  sql(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE application_name = 'datagrid-platform' AND state LIKE $1`,
      [state],
    );
    return rows[0]?.count ?? 0;
  });

/** Returns the number of requests that wait to use the pool of the first instance. */
async function countWaiting(): Promise<number> {
  const line = replicas
    .get(0)
    .log()
    .find(({ msg }) => msg === 'metrics listening');
  return (await Scrape.of(String(line?.['url']))).sum('datagrid_database_gate_waiting');
}

/** Returns the number of sessions that PostgreSQL has ended, such as because of a timeout. */
const countEnded = (): Promise<number> =>
  sql(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT sessions_fatal::int AS count FROM pg_stat_database
       WHERE datname = current_database()`,
    );
    return rows[0]?.count ?? NaN;
  });

it('queues a limited number of requests if an account has used its connections, rejects the rest at once, and serves another account', async () => {
  const clients = 60;
  // Makes the other account active.
  expect((await replicas.api(0, other.key).get(`${theirs.path}/rows`)).status).toBe(200);
  const lock = await holdWrites();
  const toReplace: Call = { method: 'PUT', path: `${grid.path}/rows/1`, body: { values: {} } };
  // Unlike creates, updates are not batched: each needs a connection.
  let left = clients;
  const loader = new Loader({
    origins: [replicas.origins[0] ?? ''],
    key: owner.key,
    clients,
    next: () => ((left -= 1) >= 0 ? toReplace : undefined),
  });
  // The lock is held until then, so all others wait: some for the lock, some for a connection.
  await eventually(() => loader.count(429) >= clients - SHARE - ACCOUNT_QUEUE, PATIENCE_MS);
  await eventually(async () => (await countWaiting()) === ACCOUNT_QUEUE, PATIENCE_MS);
  // The instance stays ready, so that a load balancer does not remove it.
  const ready = await fetch(`${replicas.origins[0] ?? ''}/health/ready`);
  const api = replicas.api(0, other.key);
  const ofOther = [
    await api.post(`${theirs.path}/rows`, { values: {} }),
    await api.get(`${theirs.path}/rows`),
  ];
  const atOnce = [...loader.results];
  await lock.query('ROLLBACK');
  await lock.end();
  const results = await loader.done();
  const waited = results.slice(atOnce.length);
  printFigures('pool exhausted', {
    ...summary(results),
    'rejected at once': atOnce.length,
    'served after waiting': waited.length,
    'slowest at once ms': Math.max(...atOnce.map(({ tookMs }) => tookMs)),
  });
  expect(withoutRetryAfter(results)).toEqual([]);
  expect(ready.status).toBe(200);
  expect(ofOther.map(({ status }) => status)).toEqual([201, 200]);
  // The row does not exist.
  expect(waited.map(({ status }) => status)).toEqual(waited.map(() => 404));
  expect(waited).toHaveLength(SHARE + ACCOUNT_QUEUE);
  expect(atOnce.map(({ status }) => status)).toEqual(atOnce.map(() => 429));
  expect(atOnce).toHaveLength(clients - SHARE - ACCOUNT_QUEUE);
  expect((await replicas.api(0, owner.key).get(`${grid.path}/rows`)).status).toBe(200);
});

it('leaks no connection and loses no acknowledged write if 100 backends are killed under load', async () => {
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: 16,
    next: (client) =>
      client % 2 ? grid.nextCreate() : { method: 'GET', path: `${grid.path}/rows` },
  });
  await eventually(() => loader.count(201) > 20, PATIENCE_MS);
  const ended = await countEnded();
  let killed = 0;
  let killedAtMs = 0;
  await sql(async (client) => {
    await eventually(async () => {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'datagrid-platform' LIMIT $1`,
        [100 - killed],
      );
      killed += rowCount ?? 0;
      killedAtMs = performance.now();
      return killed >= 100;
    }, PATIENCE_MS);
  });
  await eventually(() => recoveryMs(loader.results, killedAtMs) < Infinity, PATIENCE_MS);
  const results = await loader.stop();
  await replicas.allReady();
  const stored = new Set(await grid.stored(replicas.api(0, owner.key)));
  const lost = results.filter((result) => result.status === 201 && !stored.has(numberOf(result)));
  printFigures('100 backends killed', {
    ...summary(results),
    killed,
    lost: lost.length,
    'time to recover ms': recoveryMs(results, killedAtMs),
  });
  expect(faultsAmong(results)).toEqual([]);
  expect(lost).toEqual([]);
  expect(results.some(({ status }) => status === 503)).toBe(true);
  // Uses all connections of the pool at once, which fails if one has leaked.
  await replicas.api(0, other.key).post(`${theirs.path}/rows`, { values: {} });
  await replicas.api(0, third.key).post(`${thirds.path}/rows`, { values: {} });
  const lock = await holdWrites(theirs, thirds);
  const change = ({ key }: Owner, { path }: NumberedGrid): Promise<ApiResponse> =>
    replicas.api(0, key).put(`${path}/rows/1`, { values: {} });
  const all = [change(owner, grid), change(other, theirs), change(third, thirds)];
  await eventually(async () => (await backends('active')) >= POOL_SIZE, PATIENCE_MS);
  await lock.query('ROLLBACK');
  await lock.end();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  // PostgreSQL would end a leaked transaction after some seconds.
  await eventually(async () => (await backends('idle in transaction%')) === 0, PATIENCE_MS);
  expect(await countEnded()).toBe(ended);
});

describe('the timeouts of PostgreSQL sessions', () => {
  it('end a wait for a lock with 503, and nothing is written', async () => {
    const lock = await holdWrites();
    const response = await replicas.api(1, owner.key).post(`${grid.path}/rows`, { values: {} });
    await lock.query('ROLLBACK');
    await lock.end();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await replicas.api(1, owner.key).get(`${grid.path}/rows`)).body.meta.total).toBe(0);
  });

  it('end a long statement with 503, and nothing is written', async () => {
    await sleepInWrites(postgres.url, 600);
    const response = await replicas.api(1, owner.key).post(`${grid.path}/rows`, { values: {} });
    await wakeWrites(postgres.url);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await replicas.api(1, owner.key).get(`${grid.path}/rows`)).body.meta.total).toBe(0);
  });

  it('end a transaction whose instance is frozen, so that another instance can write', async () => {
    await sleepInWrites(postgres.url, 1);
    const { child } = replicas.get(1);
    const headers = { 'idempotency-key': 'frozen' };
    const cut = replicas.api(1, owner.key).post(`${grid.path}/rows`, { values: {} }, headers);
    await eventually(
      () =>
        sql(async (client) => {
          const { rowCount } = await client.query(
            "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
          );
          return rowCount === 1;
        }),
      PATIENCE_MS,
    );
    child.kill('SIGSTOP');
    await eventually(async () => (await backends('idle in transaction%')) === 1, PATIENCE_MS);
    await wakeWrites(postgres.url);
    const other = await replicas.api(0, owner.key).post(`${grid.path}/rows`, { values: {} });
    child.kill('SIGCONT');
    expect(other.status).toBe(201);
    expect((await cut).status).toBe(503);
    const again = await replicas
      .api(1, owner.key)
      .post(`${grid.path}/rows`, { values: {} }, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect((await replicas.api(1, owner.key).get(`${grid.path}/rows`)).body.meta.total).toBe(2);
  });
});
