import { NO_ID } from '../support/fixture';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { printFigures } from './support/figures';
import { Loader, type Call, type CallResult } from './support/loader';
import { PostgresServer } from './support/postgres-server';
import { quantile } from './support/quantile';
import { allLogRedis } from './support/redis-state';
import { newKey, newOwner, Replicas, type Owner } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

const INSTANCES = 3;
const CLIENTS = 12;
const LIMIT = 400;
/** As docs/operations.md has it: a twentieth of the limit for each instance. */
const SLACK = (INSTANCES * LIMIT) / 20;

/** Later than any request waits for Redis, and not so late that it counts as away. */
const LATE_MS = 160;

/** Of every kind: found, not found, made, not valid, no route. */
const ROUTES: readonly Call[] = [
  { method: 'GET', path: '/me' },
  { method: 'GET', path: '/workspaces' },
  { method: 'GET', path: '/workspaces?limit=0' },
  { method: 'GET', path: `/datagrids/${NO_ID}/rows` },
  { method: 'POST', path: '/workspaces', body: { name: 1 } },
  { method: 'DELETE', path: `/workspaces/${NO_ID}` },
  { method: 'GET', path: '/nowhere' },
];

let postgres: PostgresServer;
let redis: RedisServer;
let proxy: TcpProxy;
let replicas: Replicas;
let owner: Owner;

async function setUp(): Promise<void> {
  [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
  proxy = await TcpProxy.start({ port: redis.port, host: '127.0.0.1' });
  replicas = await Replicas.start(INSTANCES, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.urlOn(proxy.port),
    RATE_LIMIT_REQUESTS: String(LIMIT),
    // All tests here share one account; what is measured is the limit of a key.
    ACCOUNT_RATE_LIMIT_REQUESTS: '1000000',
    // So that no test sees two of them.
    RATE_LIMIT_WINDOW_SECONDS: '600',
  });
  owner = await newOwner(postgres.url);
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await proxy.close();
  await redis.remove();
  await postgres.remove();
}

/** A key that nothing was asked with yet. */
const freshKey = async (): Promise<string> => (await newKey(postgres.url, owner.email)).key;

/** Asks all instances, by every route in turn, until each of the clients has been refused. */
function ask(key: string): { loader: Loader; results: Promise<readonly CallResult[]> } {
  let sent = 0;
  const refused = new Set<number>();
  const loader = new Loader({
    origins: replicas.origins,
    key,
    clients: CLIENTS,
    next: (client, last) => {
      if (last?.status === 429) refused.add(client);
      return refused.size === CLIENTS ? undefined : ROUTES[(sent += 1) % ROUTES.length];
    },
  });
  return { loader, results: loader.done() };
}

const isRefused = ({ status }: CallResult): boolean => status === 429;
const isFailed = ({ status }: CallResult): boolean => status === 0 || status >= 500;

interface Outcome {
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
}

function outcomeOf(results: readonly CallResult[]): Outcome {
  const refused = results.filter(isRefused).length;
  const failed = results.filter(isFailed).length;
  return { requests: results.length, accepted: results.length - refused - failed, refused, failed };
}

describeWithRedis('limits of three instances with Redis', () => {
  beforeAll(setUp, 60_000);
  afterAll(tearDown);

  it('accept no more requests of one key, over all routes, than the limit and the documented tolerance', async () => {
    const outcome = outcomeOf(await ask(await freshKey()).results);
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
    async (fault, breakIt, mendIt) => {
      const [during, after] = await Promise.all([freshKey(), freshKey()]);
      const { loader, results } = ask(during);
      await eventuallyAnswered(loader);
      await breakIt();
      await allLogRedis(replicas, 'unavailable');
      const alone = await results;
      const outcome = outcomeOf(alone);
      const tookMs = alone.map((result) => result.tookMs);

      await mendIt();
      const recoveredMs = await allLogRedis(replicas, 'available');
      const together = outcomeOf(await ask(after).results);
      printFigures(`Redis ${fault}`, {
        ...outcome,
        'p50 ms': quantile(tookMs, 0.5),
        'p99 ms': quantile(tookMs, 0.99),
        'longest ms': Math.max(...tookMs),
        'recovered after ms': recoveredMs,
        'accepted afterwards': together.accepted,
      });
      expect([outcome.failed, together.failed]).toEqual([0, 0]);
      // Each counts alone, from what it knew.
      expect(outcome.accepted).toBeGreaterThan(LIMIT + SLACK);
      expect(outcome.accepted).toBeLessThanOrEqual(INSTANCES * LIMIT + SLACK);
      expect(Math.max(...tookMs)).toBeLessThan(1_500);
      expect(together.accepted).toBeLessThanOrEqual(LIMIT + SLACK);
    },
  );

  it('apply without waiting for Redis if its replies are late', async () => {
    const key = await freshKey();
    proxy.delay(LATE_MS / 2);
    const results = await ask(key).results.finally(() => {
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
    expect(quantile(tookMs, 0.5)).toBeLessThan(LATE_MS);
  });
});

/** Waits until the first answers are there, with most of the limit left. */
async function eventuallyAnswered(loader: Loader): Promise<void> {
  while (loader.results.length < LIMIT / 10) await new Promise((resolve) => setImmediate(resolve));
}
