import { NO_ID } from '../support/fixture';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { Loader, type Call, type CallResult } from './support/loader';
import { expectWithin } from './support/measured';
import { quantile } from './support/quantile';
import { allLogRedis } from './support/redis-state';
import { newKey, newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

const INSTANCES = 3;
const CLIENTS = 12;
const LIMIT = 400;
/** The tolerance in docs/operations/load.md: a twentieth of the limit for each instance. */
const SLACK = (INSTANCES * LIMIT) / 20;

/** Later than any request waits for Redis, but not so late that it counts as unavailable. */
const LATE_MS = 160;

/** Routes with different responses: 200, 400 and 404. */
const ROUTES: readonly Call[] = [
  { method: 'GET', path: '/me' },
  { method: 'GET', path: '/workspaces' },
  { method: 'GET', path: '/workspaces?limit=0' },
  { method: 'GET', path: `/datagrids/${NO_ID}/rows` },
  { method: 'POST', path: '/workspaces', body: { name: 1 } },
  { method: 'DELETE', path: `/workspaces/${NO_ID}` },
  { method: 'GET', path: '/nowhere' },
];

let database: TestDatabase;
let redis: RedisServer;
let proxy: TcpProxy;
let replicas: Replicas;
let owner: Owner;

async function setUp(): Promise<void> {
  [database, redis] = await Promise.all([createTestDatabase(), RedisServer.start()]);
  proxy = await TcpProxy.start({ port: redis.port, host: '127.0.0.1' });
  replicas = await Replicas.start(INSTANCES, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.urlOn(proxy.port),
    RATE_LIMIT_REQUESTS: String(LIMIT),
    // All tests share one account, and test the limit of a key.
    ACCOUNT_RATE_LIMIT_REQUESTS: '1000000',
    // Longer than any test.
    RATE_LIMIT_WINDOW_SECONDS: '600',
  });
  owner = await newOwner(database.url);
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await proxy.close();
  await redis.remove();
  await database.drop();
}

/** Returns a key that has not been used yet. */
const freshKey = async (): Promise<string> => (await newKey(database.url, owner.email)).key;

/** Sends requests for all routes to all instances until every client has been rejected. */
function sendUntilRejected(key: string): {
  loader: Loader;
  results: Promise<readonly CallResult[]>;
} {
  let sent = 0;
  const rejected = new Set<number>();
  const loader = new Loader({
    origins: replicas.origins,
    key,
    clients: CLIENTS,
    next: (client, last) => {
      if (last?.status === 429) rejected.add(client);
      return rejected.size === CLIENTS ? undefined : ROUTES[(sent += 1) % ROUTES.length];
    },
  });
  return { loader, results: loader.done() };
}

const isRejected = ({ status }: CallResult): boolean => status === 429;
const isFailed = ({ status }: CallResult): boolean => status === 0 || status >= 500;

interface Outcome {
  readonly requests: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly failed: number;
}

function outcomeOf(results: readonly CallResult[]): Outcome {
  const rejected = results.filter(isRejected).length;
  const failed = results.filter(isFailed).length;
  return {
    requests: results.length,
    accepted: results.length - rejected - failed,
    rejected,
    failed,
  };
}

describeWithRedis('limits of three instances with Redis', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it('accept no more requests of one key, over all routes, than the limit and the documented tolerance', async () => {
    const outcome = outcomeOf(await sendUntilRejected(await freshKey()).results);
    printFigures('one key at three instances', {
      ...outcome,
      limit: LIMIT,
      slack: SLACK,
    });
    expect(outcome.failed).toBe(0);
    expect(outcome.accepted).toBeGreaterThanOrEqual(LIMIT);
    expect(outcome.accepted).toBeLessThanOrEqual(LIMIT + SLACK);
  });

  it.each<[string, () => unknown, () => unknown]>([
    ['killed and started again', () => redis.kill(), () => redis.start()],
    [
      'stopped, its connections open',
      () => {
        redis.pause();
      },
      () => {
        redis.resume();
      },
    ],
    [
      'cut off by the network',
      () => {
        proxy.blackhole();
      },
      () => {
        proxy.heal();
      },
    ],
  ])(
    'apply for each instance without a failed request, and together again after recovery, if Redis is %s',
    async (fault, begin, end) => {
      const [during, after] = await Promise.all([freshKey(), freshKey()]);
      const { loader, results } = sendUntilRejected(during);
      await eventuallyResponds(loader);
      await begin();
      await allLogRedis(replicas, 'unavailable');
      // Redis is still away: no request waits for it.
      const alone = await results;
      const outcome = outcomeOf(alone);
      const tookMs = alone.map((result) => result.tookMs);

      await end();
      await allLogRedis(replicas, 'available');
      const together = outcomeOf(await sendUntilRejected(after).results);
      printFigures(`Redis ${fault}`, {
        ...outcome,
        'p50 ms': quantile(tookMs, 0.5),
        'p99 ms': quantile(tookMs, 0.99),
        'longest ms': Math.max(...tookMs),
        'accepted afterwards': together.accepted,
      });
      expect([outcome.failed, together.failed]).toEqual([0, 0]);
      // Each instance counts by itself, starting from the last shared count.
      expect(outcome.accepted).toBeGreaterThan(LIMIT + SLACK);
      expect(outcome.accepted).toBeLessThanOrEqual(INSTANCES * LIMIT + SLACK);
      expect(together.accepted).toBeLessThanOrEqual(LIMIT + SLACK);
    },
  );

  it('apply without waiting for Redis if its replies are late', async () => {
    const key = await freshKey();
    proxy.delay(LATE_MS / 2);
    const results = await sendUntilRejected(key).results.finally(() => {
      proxy.heal();
    });
    const outcome = outcomeOf(results);
    const tookMs = results.map((result) => result.tookMs);
    printFigures(`Redis ${String(LATE_MS)} ms late`, {
      ...outcome,
      'p50 ms': quantile(tookMs, 0.5),
      'p99 ms': quantile(tookMs, 0.99),
    });
    expect(outcome.failed).toBe(0);
    expect(outcome.accepted).toBeGreaterThanOrEqual(LIMIT);
    expect(outcome.accepted).toBeLessThanOrEqual(INSTANCES * LIMIT + SLACK);
    expectWithin(quantile(tookMs, 0.5), LATE_MS);
  });
});

/** Waits for the first responses, which leave most of the limit unused. */
async function eventuallyResponds(loader: Loader): Promise<void> {
  while (loader.results.length < LIMIT / 10) await new Promise((resolve) => setImmediate(resolve));
}
