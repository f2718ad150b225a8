import { Client } from 'pg';
import { createSecretToken } from '../../../src/auth/secret-token';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';
import { expectPassed, readRateLimit, retryAfterSeconds, waitSeconds } from './limits-fields';

const LIMIT = 4;
/** Limit of pages and files. */
const FILES = 10 * LIMIT;

let base: TestApp;
let member: Member;
beforeAll(async () => {
  base = await TestApp.alone('It locks a whole table.');
  member = await base.newAccount();
});
afterAll(() => base.close());

let app: TestApp;
afterEach(() => app.close());

/** Starts an instance that has counted no requests yet. */
async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  app = await TestApp.start({
    database: base.database,
    settings: { PUBLIC_RATE_LIMIT_REQUESTS: String(LIMIT), ...settings },
  });
}

/** Sends a request without a key to an absolute path, from any address. */
const visit = (path: string, from?: string): Promise<ApiResponse> =>
  new ApiClient(app.origin, undefined, '').get(path, from ? { 'x-forwarded-for': from } : {});

async function statusesOf(paths: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await visit(path)).status);
  return statuses;
}

const OPENAPI = '/api/v1/public/openapi.json';

describe('requests without a key or session', () => {
  it('return 429 with Retry-After above the limit, over all public and unknown routes', async () => {
    await start();
    const first = await visit(OPENAPI);
    expect([first.status, readRateLimit(first)]).toEqual([
      200,
      { policy: 'public', limit: LIMIT, windowSeconds: 60, remaining: LIMIT - 1, resetSeconds: 60 },
    ]);
    const paths = ['/nope', '/console/api/session', '/console/api/invites/nothing'];
    expect(await statusesOf(paths)).toEqual([404, 401, 404]);
    for (const path of [OPENAPI, '/elsewhere', '/console/api/keys', ...paths]) {
      const limited = await visit(path);
      expectFailure(limited, 'rate_limited');
      expect(limited.body.error.message).toBe(
        'Too many requests without a key or session from this address. Retry later.',
      );
      expect(retryAfterSeconds(limited)).toBeLessThanOrEqual(60);
      expect(readRateLimit(limited)).toMatchObject({ policy: 'public', remaining: 0 });
    }
  });

  it('return 429 for the public API under the path of the console, and for a sign-in', async () => {
    await start();
    const nobody = new ConsoleClient(app.origin);
    const wrong = { email: 'nobody@example.com', password: 'not a password' };
    const calls = [
      () => nobody.get('/data/workspaces'),
      () => nobody.get('/data/openapi.json'),
      () => nobody.post('/session', {}),
      () => nobody.post('/session', wrong),
      () => nobody.post('/session', wrong),
      () => nobody.get('/data/workspaces'),
    ];
    const statuses: number[] = [];
    for (const call of calls) statuses.push((await call()).status);
    expect(statuses).toEqual([401, 200, 400, 401, 429, 429]);
  });

  it('succeed again once the window is over', async () => {
    await start({ RATE_LIMIT_WINDOW_SECONDS: '1' });
    const limited = await eventually(async () => {
      const response = await visit('/nope');
      return response.status === 429 && response;
    });
    await waitSeconds(retryAfterSeconds(limited));
    expect((await visit('/nope')).status).toBe(404);
  });

  it('never affect a valid key or session from the same address, which are not counted', async () => {
    await start();
    const console = await app.console(member);
    for (let n = 0; n <= LIMIT; n += 1) {
      expectPassed(await app.api(member.key).get('/me'));
      expect((await console.get('/session')).status).toBe(200);
    }
    expect(await statusesOf(Array.from({ length: LIMIT + 1 }, () => '/nope'))).toEqual([
      ...Array.from({ length: LIMIT }, () => 404),
      429,
    ]);
    const response = await app.api(member.key).get('/me');
    expectPassed(response);
    expect(readRateLimit(response)).toMatchObject({ policy: 'default' });
    expect((await console.get('/session')).status).toBe(200);
    expectFailure(await app.api(member.key).get('/nowhere'), 'not_found');
  });

  it('leave the limit on failed authentication unchanged', async () => {
    await start({ AUTH_FAILURE_LIMIT: '2' });
    await statusesOf(Array.from({ length: LIMIT + 1 }, () => '/nope'));
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await app.api('mk_bad').get('/me')).status);
    expect(statuses).toEqual([401, 401, 429]);
  });

  it('do not include health checks', async () => {
    await start();
    const probes = Array.from({ length: FILES + 1 }, () => '/health/live');
    expect(new Set(await statusesOf([...probes, '/health/ready']))).toEqual(new Set([200]));
    expect((await visit('/health/live')).headers.has('ratelimit')).toBe(false);
    expect((await visit('/nope')).status).toBe(404);
  });

  it('are counted by address, and by /64 of IPv6', async () => {
    await start({ TRUSTED_PROXIES: '127.0.0.1' });
    for (const address of ['203.0.113.1', '2001:db8:1:2::1']) {
      for (let n = 0; n < LIMIT; n += 1) await visit('/nope', address);
    }
    const from = ['203.0.113.1', '::ffff:203.0.113.1', '2001:db8:1:2::2', '203.0.113.2'];
    const statuses: number[] = [];
    for (const address of [...from, '2001:db8:1:3::1']) {
      statuses.push((await visit('/nope', address)).status);
    }
    expect(statuses).toEqual([429, 429, 429, 404, 404]);
  });
});

describe('pages and files', () => {
  it('have a limit of their own, ten times as high', async () => {
    await start();
    await statusesOf(Array.from({ length: LIMIT + 1 }, () => '/nope'));
    const paths = ['/docs', '/docs/swagger-ui-init.js', '/assets/nothing.js', '/sign-in'];
    const pages = Array.from({ length: FILES }, (_, n) => paths[n % paths.length] ?? '');
    expect(await statusesOf(pages)).not.toContain(429);
    for (const path of paths) {
      const limited = await visit(path);
      expectFailure(limited, 'rate_limited');
      expect(limited.body.error.message).toBe(
        'Too many requests for pages and files from this address. Retry later.',
      );
      expect(readRateLimit(limited)).toMatchObject({ policy: 'public-files', limit: FILES });
      retryAfterSeconds(limited);
    }
    expectPassed(await app.api(member.key).get('/me'));
  });
});

describe('requests in progress without a caller', () => {
  const MAX_CONCURRENT_REQUESTS = 8;
  let lock: Client;

  beforeEach(async () => {
    await start({
      PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
      TRUSTED_PROXIES: '127.0.0.1',
      MAX_CONCURRENT_REQUESTS: String(MAX_CONCURRENT_REQUESTS),
    });
    lock = new Client({ connectionString: app.database.url });
    await lock.connect();
  });

  afterEach(() => lock.end());

  const readInvite = (address: string): Promise<ApiResponse> =>
    visit(`/console/api/invites/${createSecretToken()}`, address);

  it('return 429 above a quarter for one address and 503 above half for all, while keys are served', async () => {
    await lock.query('BEGIN; LOCK TABLE user_invites IN ACCESS EXCLUSIVE MODE');
    const reads: Promise<ApiResponse>[] = [];
    const rejections: ApiResponse[] = [];
    for (const [address, count] of [
      ['203.0.113.1', MAX_CONCURRENT_REQUESTS / 4 + 1],
      ['203.0.113.2', MAX_CONCURRENT_REQUESTS / 4 + 1],
      ['203.0.113.3', 1],
    ] as const) {
      const some = Array.from({ length: count }, () => readInvite(address));
      reads.push(...some);
      // All others wait for the lock.
      rejections.push(await Promise.race(some));
    }
    const ofAddress = 'Too many requests from this address are in progress. Retry later.';
    const ofAll = 'Too many requests without a key or session are in progress. Retry later.';
    expect(
      rejections.map(({ status, headers, body }) => [
        status,
        headers.get('retry-after'),
        (body as { error: { code: string } }).error,
      ]),
    ).toMatchObject([
      [429, '1', { code: 'rate_limited', message: ofAddress }],
      [429, '1', { code: 'rate_limited', message: ofAddress }],
      [503, '1', { code: 'unavailable', message: ofAll }],
    ]);
    const good = await app.api(member.key).get('/me', { 'x-forwarded-for': '203.0.113.1' });
    expectPassed(good);
    await lock.query('COMMIT');
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([404, 404, 404, 404, 429, 429, 503]);
    expect((await readInvite('203.0.113.1')).status).toBe(404);
  });
});
