import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { heapMiB, heapSettings } from './support/heap';
import { Loader, type Call } from './support/loader';
import { isMeasured } from './support/measured';
import { NumberedGrid } from './support/numbered-grid';
import { processFigures } from './support/process-figures';
import { quantile } from './support/quantile';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const REQUESTS = 4_000;
/** Requests from one sample to the next. */
const SAMPLE_REQUESTS = 100;
/** Requests before the measurement, in which caches fill and code is compiled. */
const WARM_UP_REQUESTS = 3_000;
const PATIENCE_MS = 100_000;
const CLIENTS = 8;
const POOL_SIZE = 5;

let database: TestDatabase;
let redis: RedisServer;
let replicas: Replicas;
let owner: Owner;

interface Sample {
  readonly residentMiB: number;
  readonly sockets: number;
  /** PostgreSQL backends of the service. */
  readonly backends: number;
}

async function setUp(): Promise<void> {
  [database, redis] = await Promise.all([createTestDatabase(), RedisServer.start()]);
  replicas = await Replicas.start(1, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    ...heapSettings(),
  });
  owner = await newOwner(database.url);
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await redis.remove();
  await database.drop();
}

/** Samples the service. */
async function sample(sql: Client): Promise<Sample> {
  const { pid = 0 } = replicas.get(0).child;
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'
       AND pid <> pg_backend_pid()`,
  );
  return { ...(await processFigures(pid)), backends: rows[0]?.count ?? NaN };
}

describeWithRedis('a long run', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it('keeps memory, sockets and database connections flat', async () => {
    const sql = new Client({ connectionString: database.url });
    await sql.connect();
    const grid = await NumberedGrid.create(replicas.api(0, owner.key));
    let sent = 0;
    const calls: readonly (() => Call)[] = [
      () => ({ method: 'GET', path: `${grid.path}/rows?limit=50` }),
      () => grid.nextCreate(),
      () => ({ method: 'GET', path: '/me', headers: { connection: 'close' } }),
      () => ({ method: 'GET', path: `${grid.path}/rows?sort=-n&limit=5` }),
      () => ({ method: 'POST', path: '/workspaces', body: { name: 1 } }),
      () => ({ method: 'GET', path: '/me', headers: { authorization: 'Bearer mk_bad' } }),
    ];
    const loader = new Loader({
      origins: replicas.origins,
      key: owner.key,
      clients: CLIENTS,
      keepsResults: false,
      next: () => calls[(sent += 1) % calls.length]?.(),
    });
    await eventually(() => sent >= WARM_UP_REQUESTS, PATIENCE_MS);
    const before = await heapMiB(replicas.get(0));
    const samples: Sample[] = [];
    for (let count = 0; count < REQUESTS; count += SAMPLE_REQUESTS) {
      const already = sent;
      await eventually(() => sent >= already + SAMPLE_REQUESTS, PATIENCE_MS);
      samples.push(await sample(sql));
    }
    const after = await heapMiB(replicas.get(0));
    await loader.stop();
    await sql.end();

    const third = Math.floor(samples.length / 3);
    const [first, last] = [samples.slice(0, third), samples.slice(-third)];
    const median = (of: readonly Sample[], figure: keyof Sample): number =>
      quantile(
        of.map((sample) => sample[figure]),
        0.5,
      );
    const highest = (figure: keyof Sample): number =>
      Math.max(...samples.map((each) => each[figure]));
    printFigures('mixed load', {
      requests: sent,
      'heap MiB before': before,
      after,
      'most resident MiB': highest('residentMiB'),
      'sockets, first third': median(first, 'sockets'),
      'last third': median(last, 'sockets'),
      'most sockets': highest('sockets'),
      'most database connections': highest('backends'),
    });
    expect(after - before).toBeLessThan(5);
    // On a busy machine, garbage stays longer.
    if (isMeasured) expect(highest('residentMiB')).toBeLessThan(300);
    expect(median(last, 'sockets')).toBeLessThanOrEqual(median(first, 'sockets') + 3);
    // Sockets of the clients and of two pools, and some others.
    expect(highest('sockets')).toBeLessThanOrEqual(2 * CLIENTS + 2 * POOL_SIZE + 10);
    expect(highest('backends')).toBeLessThanOrEqual(2 * POOL_SIZE + 3);
  });
});
