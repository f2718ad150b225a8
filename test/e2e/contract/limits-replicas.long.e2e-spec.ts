import { createApiKeyToken } from '../../../src/auth/api-key/api-key-token';
import { PasswordService } from '../../../src/auth/password/password.service';
import { RedisLink } from '../../../src/platform/redis/redis-link';
import { BufferedCounter } from '../../../src/platform/throttling/buffered-counter';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { describeWithRedis, RedisServer, type RedisOptions } from '../../support/redis-server';
import { TestApp, type Member } from '../../support/test-app';
import { readRateLimit, retryAfterSeconds, waitSeconds } from './limits-fields';

const PASSWORD = 'a "secret" of Redis';

let redis: RedisServer;
let replicas: TestApp[] = [];

afterEach(async () => {
  for (const replica of [...replicas].reverse()) await replica.close();
  replicas = [];
  await redis.remove();
});

const areConnected = (): boolean =>
  replicas.every(({ nest }) => nest.get(RedisLink, { strict: false }).isThere);

/** Returns the count in Redis for a name. Instances may have counted more. */
const counted = async (name: string): Promise<number> =>
  Number((await redis.query((client) => client.get(`datagrid:${name}`))) ?? NaN);

/** Starts two replicas with one database and one Redis. */
async function start(
  settings: Readonly<Record<string, string>>,
  options: RedisOptions = {},
): Promise<void> {
  redis = await RedisServer.start(options);
  await startReplica(settings);
  await startReplica(settings);
  await eventually(areConnected);
}

/**
 * All tested limits are smaller. The limits of accounts and addresses, which are derived from them,
 * are larger.
 */
const SMALL_LIMIT = 20;

const ofSmallLimits = (
  calls: jest.MockContext<unknown, unknown[], BufferedCounter> | undefined,
): number =>
  (calls?.contexts ?? []).filter((context) => {
    return (context as unknown as { limit: number }).limit < SMALL_LIMIT;
  }).length;

/**
 * Returns the result of a run in which Redis has counted every request. On a busy machine, Redis
 * may need more than its 50 ms, and a replica then counts by itself: the run is repeated with new
 * callers.
 */
async function whereRedisCounts<T extends object>(work: () => Promise<T>): Promise<T> {
  const [hits, waits, alone] = (['add', 'wait', 'endWaits'] as const).map((name) =>
    jest.spyOn(BufferedCounter.prototype, name),
  );
  return eventually(async () => {
    await eventually(areConnected);
    jest.clearAllMocks();
    const done = await work().then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error;
      },
    );
    // With such small limits, every request waits for Redis.
    const isAlone = ofSmallLimits(hits?.mock) !== ofSmallLimits(waits?.mock);
    return !isAlone && alone?.mock.calls.length === 0 && done();
  }).finally(() => jest.restoreAllMocks());
}

async function startReplica(settings: Readonly<Record<string, string>>): Promise<void> {
  const database = replicas[0]?.database;
  replicas.push(
    await TestApp.start({
      settings: { REDIS_URL: redis.url, ...settings },
      ...(database && { database }),
    }),
  );
}

function turn(n: number): TestApp {
  const app = replicas[n % replicas.length];
  if (!app) throw new Error('No replica has started.');
  return app;
}

async function inTurns(
  count: number,
  call: (app: TestApp) => Promise<ApiResponse>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await call(turn(n))).status);
  return statuses;
}

let addresses = 0;

/** Returns the headers of a request from a new address through a trusted proxy. */
const fromElsewhere = (): Record<string, string> => ({
  'x-forwarded-for': `203.0.113.${String((addresses += 1))}`,
});

const newMember = (): Promise<Member> => turn(0).newAccount();

describeWithRedis('limits of two instances with Redis', () => {
  it('apply to a key, request by request if the limit is small', async () => {
    await start({ RATE_LIMIT_REQUESTS: '5' });
    const statuses = await whereRedisCounts(async () => {
      const { key } = await newMember();
      return inTurns(8, (app) => app.api(key).get('/me'));
    });
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  it('apply to a key that calls both instances at once', async () => {
    await start({ RATE_LIMIT_REQUESTS: '15' });
    const responses = await whereRedisCounts(async () => {
      const { key } = await newMember();
      return Promise.all(Array.from({ length: 60 }, (_, n) => turn(n).api(key).get('/me')));
    });
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
  });

  it('apply to invalid keys from one address', async () => {
    await start({ AUTH_FAILURE_LIMIT: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const bad = createApiKeyToken();
    const statuses = await whereRedisCounts(() => {
      const from = fromElsewhere();
      return inTurns(5, (app) => app.api(bad).get('/me', from));
    });
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('apply to requests without a key from one address', async () => {
    await start({ PUBLIC_RATE_LIMIT_REQUESTS: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const statuses = await whereRedisCounts(() => {
      const from = fromElsewhere();
      return inTurns(5, (app) => app.api().get('/openapi.json', from));
    });
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  // Hashing a password takes half a second, and several on a busy machine.
  it('apply to wrong passwords, and right ones are not counted', async () => {
    await start({ SIGN_IN_LIMIT: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const passwords = turn(0).nest.get(PasswordService);
    const right = 'a password of the tests';
    const hash = await passwords.hash(right);
    const statuses = await whereRedisCounts(async () => {
      const { userId, email } = await newMember();
      await passwords.set(userId, hash);
      const from = fromElsewhere();
      const signIn = (app: TestApp, password: string): Promise<ApiResponse> =>
        new ConsoleClient(app.origin).post('/session', { email, password }, from);
      for (let n = 0; n < 4; n += 1) {
        expect((await signIn(turn(n), right)).status).toBe(200);
        await eventually(async () => (await counted(`sign-in:email ${email}`)) === 0, 2_000);
      }
      return inTurns(5, (app) => signIn(app, 'wrong'));
    });
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  }, 60_000);
});

describeWithRedis('Retry-After of two instances with Redis', () => {
  it('is long enough: afterwards both instances accept a request', async () => {
    await start({ RATE_LIMIT_REQUESTS: '4', RATE_LIMIT_WINDOW_SECONDS: '2' });
    const statuses = await whereRedisCounts(async () => {
      const { key } = await newMember();
      // Repeats until all of these requests are in one window.
      const rejected = await eventually(async () => {
        await inTurns(4, (app) => app.api(key).get('/me'));
        const response = await turn(1).api(key).get('/me');
        return response.status !== 200 && response;
      });
      expectFailure(rejected, 'rate_limited');
      await waitSeconds(retryAfterSeconds(rejected));
      return inTurns(2, (app) => app.api(key).get('/me'));
    });
    expect(statuses).toEqual([200, 200]);
  });
});

describeWithRedis('the RateLimit fields of two instances with Redis', () => {
  it('count the requests of both instances', async () => {
    await start({ RATE_LIMIT_REQUESTS: '10' });
    const remaining = await whereRedisCounts(async () => {
      const { key } = await newMember();
      const told: number[] = [];
      for (let n = 0; n < 6; n += 1) {
        const fields = readRateLimit(await turn(n).api(key).get('/me'));
        expect(fields).toMatchObject({ policy: 'default', limit: 10, windowSeconds: 60 });
        told.push(fields.remaining);
      }
      return told;
    });
    expect(remaining).toEqual([9, 8, 7, 6, 5, 4]);
  });
});

describeWithRedis('the connection to Redis', () => {
  it('is shown in the metrics', async () => {
    await start(METRICS_ON);
    const url = await metricsUrl(turn(0));
    const isUp = async (): Promise<number> => (await Scrape.of(url)).sum('datagrid_redis_up');
    await eventually(async () => (await isUp()) === 1);
    await redis.kill();
    await eventually(async () => (await isUp()) === 0);
    expect((await Scrape.of(url)).text).toContain('datagrid_redis_up 0');
  });

  it('may use a password, which no log contains', async () => {
    await start({ RATE_LIMIT_REQUESTS: '2' }, { password: PASSWORD });
    const { key } = await newMember();
    const statuses = await whereRedisCounts(async () => {
      const member = await newMember();
      return inTurns(3, (app) => app.api(member.key).get('/me'));
    });
    expect(statuses).toEqual([200, 200, 429]);

    const wrong = redis.url.replace(/:[^:]+@/, ':a-wrong-password@');
    await startReplica({ REDIS_URL: wrong });
    const log = await eventually(() => {
      const text = turn(2).logs.join('');
      return text.includes('redis unavailable') && text;
    });
    expect(log).toContain('WRONGPASS');
    expect((await turn(2).api(key).get('/me')).status).toBe(200);
    const logs = replicas.flatMap(({ logs: lines }) => lines).join('');
    expect(logs).not.toMatch(/a-wrong-password|secret/);
  });
});
