import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { API, type ApiResponse } from '../support/api-client';
import { ConsoleClient } from '../support/console-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { Scrape } from '../support/scrape';
import { TestApp, type Member } from '../support/test-app';
import { ServiceProcess } from './service-process';
import { OWN_CONNECTION, statusesOf, WorkerInstance } from './worker-instance';

// Each program takes its time to start.
jest.setTimeout(180_000);

/** All tested limits are lower than 20, and so are counted request by request. */
const LIMIT = 14;
const PATIENCE_MS = 60_000;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

async function start(settings: Record<string, string> = {}): Promise<WorkerInstance> {
  const service = await ServiceProcess.ready({
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
    WORKERS: '2',
    ...settings,
  });
  return new WorkerInstance(service);
}

const count = (statuses: readonly number[], status: number): number =>
  statuses.filter((each) => each === status).length;

/**
 * Sends requests of new callers until exactly the limit gets another status than 429. On a busy machine,
 * a worker decides by itself if its supervisor does not respond in time.
 * @param newCaller Returns a way to send requests of a caller that has not sent any.
 */
async function expectLimitOf(
  newCaller: () => Promise<() => Promise<ApiResponse>>,
  status: number,
): Promise<void> {
  await eventually(
    async () => {
      const statuses = await statusesOf(3 * LIMIT, await newCaller());
      expect(count(statuses, status) + count(statuses, 429)).toBe(3 * LIMIT);
      return count(statuses, status) === LIMIT;
    },
    PATIENCE_MS,
    100,
  );
}

async function expectLimit(instance: WorkerInstance): Promise<void> {
  await expectLimitOf(async () => {
    const { key } = await app.newAccount();
    const api = await instance.api(key);
    return () => api.get('/me');
  }, 200);
  await eventually(() => instance.answered(`${API}/me`).length === 2, PATIENCE_MS);
}

describe('the rate limits of an instance with two workers', () => {
  afterEach(() => ServiceProcess.killAll());

  it('are those of one process: for a key, an account, and addresses without one', async () => {
    const instance = await start({
      RATE_LIMIT_REQUESTS: String(LIMIT),
      PUBLIC_RATE_LIMIT_REQUESTS: String(LIMIT),
      AUTH_FAILURE_LIMIT: String(LIMIT),
      TRUSTED_PROXIES: '127.0.0.1',
    });
    await expectLimit(instance);
    const unknown = await instance.api(`mk_${'0'.repeat(36)}`);
    const anonymous = await instance.api();
    let addresses = 0;
    const newAddress = (): Record<string, string> => {
      addresses += 1;
      return { 'x-forwarded-for': `203.0.113.${String(addresses)}` };
    };
    await expectLimitOf(() => {
      const headers = newAddress();
      return Promise.resolve(() => unknown.get('/me', headers));
    }, 401);
    await expectLimitOf(() => {
      const headers = newAddress();
      return Promise.resolve(() => anonymous.get('/openapi.json', headers));
    }, 200);
  });

  it('go on when a worker is replaced', async () => {
    // On a busy machine, two workers can take longer to start than a window of a minute.
    const window = { RATE_LIMIT_REQUESTS: String(LIMIT), RATE_LIMIT_WINDOW_SECONDS: '3600' };
    const instance = await start(window);
    const { key } = await app.newAccount();
    const api = await instance.api(key);
    await eventually(async () => (await api.get('/me')).status === 429, PATIENCE_MS);
    for (const number of [1, 2]) await instance.kill(number);
    expect(new Set(await statusesOf(6, () => api.get('/me')))).toEqual(new Set([429]));
  });
});

describeWithRedis('the rate limits of an instance with two workers and Redis', () => {
  afterEach(() => ServiceProcess.killAll());

  it('are counted in Redis, and by the supervisor while Redis is away', async () => {
    const redis = await RedisServer.start();
    try {
      const instance = await start({
        RATE_LIMIT_REQUESTS: String(LIMIT),
        REDIS_URL: redis.url,
      });
      await expectLimit(instance);
      const keys = (): Promise<string[]> => redis.query((client) => client.keys('datagrid:key:*'));
      expect((await keys()).length).toBeGreaterThan(0);
      await redis.kill();
      const away = 'redis unavailable, using per-instance limits';
      const lines = (): unknown[] => instance.service.log().filter(({ msg }) => msg === away);
      await eventually(() => lines().length === 2, PATIENCE_MS);
      await expectLimit(instance);
    } finally {
      await redis.remove();
    }
  });
});

/** Starts an import whose body does not end, and returns its end. */
async function startImport(origin: string, path: string, key: string): Promise<() => void> {
  const sent = request(`${origin}${API}${path}/rows/import`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
  });
  sent.on('error', () => undefined);
  const [response] = await Promise.race([
    once(sent, 'response') as Promise<[IncomingMessage]>,
    new Promise<[]>((resolve) => {
      sent.write('{"n":1}\n', () => {
        resolve([]);
      });
    }),
  ]);
  expect(response).toBeUndefined();
  return () => sent.destroy();
}

describe('the slots of an instance with two workers', () => {
  it('are those of one process, also for one account, and are free again after a worker was killed', async () => {
    const instance = await start({ MAX_CONCURRENT_IMPORTS: '4' });
    const origin = await instance.service.origin();
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const importRow = async (): Promise<number> => {
      const api = await instance.api(owner.key);
      const headers = { 'content-type': 'application/x-ndjson' };
      return (await api.post(`${grid}/rows/import`, '{"n":2}\n', headers)).status;
    };
    // Each worker gets one of these connections. Together, they are the share of the account.
    const first = await startImport(origin, grid, owner.key);
    const second = await startImport(origin, grid, owner.key);
    await eventually(async () => (await importRow()) === 429, PATIENCE_MS);
    await instance.kill(1);
    expect(await importRow()).toBe(201);
    first();
    second();
    expect(await instance.service.stop()).toBe(0);
  });
});

describe('an instance with two workers', () => {
  let instance: WorkerInstance;
  beforeAll(async () => {
    instance = await start({
      RATE_LIMIT_REQUESTS: '1000000',
      ACCOUNT_RATE_LIMIT_REQUESTS: '1000000',
      METRICS_PORT: '0',
      METRICS_HOST: '127.0.0.1',
    });
  });

  it('runs a request with an idempotency key once, whichever worker gets it', async () => {
    const api = await instance.api(owner.key);
    const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const headers = { 'idempotency-key': 'once' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => api.post(`${path}/rows`, { values: { n: 1 } }, headers)),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await owner.api.get(`${path}/rows`)).body.meta.total).toBe(1);
  });

  it('gives rows that both create at once different ids and revisions', async () => {
    const api = await instance.api(owner.key);
    const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const rows = await Promise.all(
      Array.from({ length: 40 }, async (_, n) =>
        dataOf(await api.post(`${path}/rows`, { values: { n } }), 201),
      ),
    );
    const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    const route = `${API}/datagrids/:datagridId/rows`;
    await eventually(() => instance.answered(route).length === 2, PATIENCE_MS);
  });

  it('signs a session in at one worker and serves it at both, until it is signed out at one', async () => {
    const { token } = await app.console(owner);
    const origin = await instance.service.origin();
    const console_ = new ConsoleClient(origin, token);
    const me = (): ReturnType<ConsoleClient['get']> => console_.get('/session', OWN_CONNECTION);
    expect(new Set(await statusesOf(6, me))).toEqual(new Set([200]));
    expect((await console_.delete('/session')).status).toBe(204);
    expect(new Set(await statusesOf(6, me))).toEqual(new Set([401]));
  });

  it('rejects a revoked key at both', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const api = await instance.api(member.key);
    expect(new Set(await statusesOf(6, () => api.get('/me')))).toEqual(new Set([200]));
    await app.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [member.keyId]);
    await eventually(async () => {
      const statuses = await statusesOf(6, () => api.get('/me'));
      return count(statuses, 401) === 6;
    }, PATIENCE_MS);
  });

  it('wakes clients that wait for changes at either worker', async () => {
    const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const api = await instance.api(owner.key);
    const { nextCursor } = (await api.get(`${path}/changes`)).body.meta;
    const waits = Array.from({ length: 4 }, () =>
      api.get(`${path}/changes?wait=30&cursor=${String(nextCursor)}`),
    );
    const url = String(
      instance.service.log().find(({ msg }) => msg === 'metrics listening')?.['url'],
    );
    const readers = async (): Promise<number> =>
      (await Scrape.of(url)).sum('datagrid_change_readers');
    await eventually(async () => (await readers()) === 4, PATIENCE_MS);
    expect((await api.post(`${path}/rows`, { values: { n: 1 } })).status).toBe(201);
    const pages = await Promise.all(waits);
    expect(pages.map(({ body }) => body.data[0].op)).toEqual(Array(4).fill('set'));
  });
});
