import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { printFigures } from './support/figures';
import { heapMiB, heapSettings } from './support/heap';
import { Loader, type Call } from './support/loader';
import { NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { processFigures } from './support/process-figures';
import { quantile } from './support/quantile';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const RUN_MS = 12_000;
const SAMPLE_MS = 500;
/** Time before the measurement, in which caches fill and code is compiled. */
const WARM_UP_MS = 5_000;
const WARM_UP_REQUESTS = 3_000;
const CLIENTS = 8;
const POOL_SIZE = 5;

let postgres: PostgresServer;
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
  [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
  replicas = await Replicas.start(1, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    ...heapSettings(),
  });
  owner = await newOwner(postgres.url);
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await redis.remove();
  await postgres.remove();
}

/** Samples the service repeatedly for this time. */
function watch(sql: Client, forMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const { pid = 0 } = replicas.get(0).child;
  const look = async (): Promise<void> => {
    const { rows } = await sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    samples.push({ ...(await processFigures(pid)), backends: rows[0]?.count ?? NaN });
  };
  return new Promise((resolve, reject) => {
    const untilMs = performance.now() + forMs;
    const timer = setInterval(() => {
      look().catch(reject);
      if (performance.now() < untilMs) return;
      clearInterval(timer);
      resolve(samples);
    }, SAMPLE_MS);
  });
}

describeWithRedis('a long run', () => {
  beforeAll(setUp, 60_000);
  afterAll(tearDown);

  it('keeps memory, sockets and database connections flat', async () => {
    const sql = new Client({ connectionString: postgres.url });
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
    await watch(sql, WARM_UP_MS);
    await eventually(() => sent >= WARM_UP_REQUESTS, 60_000);
    const before = await heapMiB(replicas.get(0));
    const samples = await watch(sql, RUN_MS);
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
    printFigures(`${String(RUN_MS / 1000)} s of mixed load`, {
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
    expect(highest('residentMiB')).toBeLessThan(300);
    expect(median(last, 'sockets')).toBeLessThanOrEqual(median(first, 'sockets') + 3);
    // Sockets of the clients and of two pools, and some others.
    expect(highest('sockets')).toBeLessThanOrEqual(2 * CLIENTS + 2 * POOL_SIZE + 10);
    expect(highest('backends')).toBeLessThanOrEqual(2 * POOL_SIZE + 3);
  });
});
