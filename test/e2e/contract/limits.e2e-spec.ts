import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import type { ApiResponse, ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { expectPassed, readRateLimit, retryAfterSeconds, waitSeconds } from './limits-fields';

const LIMIT = 1_000;

/** Limit of `few`. */
const FEW = 6;

let app: TestApp;
/** A replica with low limits. Each test that uses it has a key of its own. */
let few: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start({ settings: { RATE_LIMIT_REQUESTS: String(LIMIT) } });
  const settings = { RATE_LIMIT_REQUESTS: String(FEW), AUTH_FAILURE_LIMIT: '2' };
  few = await TestApp.start({ settings, database: app.database });
  team = await newTeam(app);
});

afterAll(async () => {
  await few.close();
  await app.close();
});

/** Repeats a request until it returns 429, and returns this response. */
async function untilLimited(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let n = 0; n < 50; n += 1) {
    const response = await call();
    if (response.status === 429) return response;
  }
  throw new Error('50 calls, and none was 429.');
}

describe('a response with 429', () => {
  let replica: TestApp;
  beforeAll(async () => {
    const settings = {
      RATE_LIMIT_REQUESTS: '3',
      RATE_LIMIT_WINDOW_SECONDS: '1',
      AUTH_FAILURE_LIMIT: '3',
      authFailureWindowSeconds: 1,
    };
    replica = await TestApp.start({ settings, database: app.database });
  });
  afterAll(() => replica.close());

  it.each<[string, 'owner' | 'nobody', number]>([
    ['a key', 'owner', 200],
    ['no key', 'nobody', 401],
  ])('has one integer Retry-After, and waiting that long works: %s', async (_, who, status) => {
    const api = replica.api(who === 'owner' ? team.owner.key : undefined);
    await eventually(async () => {
      const limited = await untilLimited(() => api.get('/me'));
      expectFailure(limited, 'rate_limited');
      const waited = waitSeconds(retryAfterSeconds(limited));
      const calls = [api.get('/me'), api.get('/nowhere'), api.post('/me')];
      const meanwhile = await Promise.all(calls);
      await waited;
      // If the window had ended meanwhile, these requests would have counted in the next one.
      return meanwhile.every((response) => response.status === 429);
    });
    expect((await api.get('/me')).status).toBe(status);
  });
});

describe('the RateLimit and RateLimit-Policy fields', () => {
  let api: ApiClient;
  beforeEach(async () => {
    api = app.api((await app.newAccount()).key);
  });

  it.each<[number, (api: ApiClient) => Promise<ApiResponse>]>([
    [200, (api) => api.get('/me')],
    [400, (api) => api.get('/workspaces?page=0')],
    [400, (api) => api.post('/workspaces', '{')],
    [404, (api) => api.get(`/workspaces/${NO_ID}`)],
    [404, (api) => api.get('/nowhere')],
    [404, (api) => api.get('/workspaces/%zz')],
    [405, (api) => api.put('/me', {})],
    [415, (api) => api.post('/workspaces', 'name', { 'content-type': 'text/plain' })],
  ])('parse as in the IETF draft and count every request that returns %d', async (status, call) => {
    for (const used of [1, 2]) {
      const response = await call(api);
      expect(response.status).toBe(status);
      const { policy, limit, windowSeconds, remaining, resetSeconds } = readRateLimit(response);
      expect([policy, limit, windowSeconds]).toEqual(['default', LIMIT, 60]);
      expect(remaining).toBe(LIMIT - used);
      expect(resetSeconds).toBeGreaterThanOrEqual(1);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    }
  });

  it('count down by one over 201, 200, 304, HEAD, 409, 204 and 404', async () => {
    const created = await api.post('/workspaces', { name: 'Kept' });
    const path = `/workspaces/${created.body.data.id}`;
    const read = await api.get(path);
    const responses = [
      created,
      read,
      await api.get(path, { 'if-none-match': read.headers.get('etag') ?? '' }),
      await api.send('HEAD', path),
      await api.post('/workspaces', { name: 'KEPT' }),
      await api.delete(path),
      await api.get(path),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 304, 200, 409, 204, 404]);
    expect(responses.map((response) => readRateLimit(response).remaining)).toEqual(
      responses.map((_, index) => LIMIT - 1 - index),
    );
  });

  it('count requests that return 403', async () => {
    const { viewer } = await newTeam(app);
    const response = await viewer.api.post('/workspaces', { name: 'Denied' });
    expectFailure(response, 'forbidden');
    expect(readRateLimit(response).remaining).toBe(LIMIT - 1);
  });

  it('show that nothing is left on 429, and reset after Retry-After', async () => {
    const { api: owner } = await few.newAccount();
    const responses: ApiResponse[] = [];
    while (responses.length <= FEW) responses.push(await owner.get('/me'));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(responses.map((response) => readRateLimit(response).remaining)).toEqual([
      ...[5, 4, 3, 2, 1, 0, 0],
    ]);
    for (const response of responses) expect(readRateLimit(response).limit).toBe(FEW);
    const limited = responses.at(-1);
    if (!limited) throw new Error('Seven calls, seven responses.');
    expect(readRateLimit(limited).resetSeconds).toBe(retryAfterSeconds(limited));
    // The window of 60 s has just started.
    expect(retryAfterSeconds(limited)).toBeGreaterThan(30);
  });

  it('describe the limit of the address on 401', async () => {
    const anonymous = few.api();
    const responses = [
      await anonymous.get('/me'),
      await anonymous.get('/nowhere'),
      await anonymous.get('/me'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 429]);
    const fields = responses.map(readRateLimit);
    expect(fields.map(({ remaining }) => remaining)).toEqual([1, 0, 0]);
    for (const { policy, limit } of fields) {
      expect([policy, limit]).toEqual(['auth-failures', 2]);
    }
  });
});

describe('the rate limit of a key', () => {
  const spend: readonly [string, (api: ApiClient) => Promise<ApiResponse>][] = [
    ['an unknown route', (api) => api.get('/nowhere')],
    ['the base path', (api) => api.get('')],
    ['an invalid escape', (api) => api.get('/workspaces/%ff')],
    ['a wrong method', (api) => api.delete('/workspaces')],
    ['malformed JSON', (api) => api.post('/workspaces', '{"name":')],
    ['a wrong content type', (api) => api.post('/workspaces', 'x', { 'content-type': 'text/csv' })],
    ['an unknown parameter', (api) => api.get('/workspaces?colour=red')],
    ['a missing datagrid', (api) => api.get(`/datagrids/${NO_ID}/rows`)],
    ['a role that may not write', (api) => api.post('/workspaces', { name: 'Denied' })],
  ];

  let replica: TestApp;
  beforeAll(async () => {
    const settings = { RATE_LIMIT_REQUESTS: '1' };
    replica = await TestApp.start({ settings, database: app.database });
  });
  afterAll(() => replica.close());

  it.each(spend)('counts a request with %s', async (_, call) => {
    const { viewer } = await newTeam(replica);
    expect((await call(viewer.api)).status).toBeLessThan(429);
    expectFailure(await viewer.api.get('/me'), 'rate_limited');
  });

  it.each(spend)('returns 429 for a request with %s if none is left', async (_, call) => {
    const { viewer } = await newTeam(replica);
    expect((await viewer.api.get('/me')).status).toBe(200);
    const limited = await call(viewer.api);
    expectFailure(limited, 'rate_limited');
    expect(retryAfterSeconds(limited)).toBeLessThanOrEqual(60);
  });

  it('covers all routes together, and each key by itself', async () => {
    const grid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    const { key: secondKey } = await few.nest
      .get(ApiKeyService)
      .create(team.owner.userId, 'second', null, 'operator');
    const [first, second] = [few.api(team.owner.key), few.api(secondKey)];
    const statuses = [
      await first.post(`${grid}/rows`, { values: { n: 1 } }),
      await first.get(`${grid}/records`),
      await first.get(`${grid}/columns/n`),
      await first.get('/workspaces'),
      await first.get('/nowhere'),
      await first.patch('/me', {}),
      await first.post(`${grid}/rows`, { values: { n: 2 } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 200, 200, 404, 405, 429]);
    const rows = await second.get(`${grid}/rows`);
    expectPassed(rows);
    expect(readRateLimit(rows).remaining).toBe(5);
    // The rejected request wrote nothing.
    expect(rows.body.meta.total).toBe(1);
    expectPassed(await few.api(team.viewer.key).get('/me'));
  });

  it('is not exceeded by requests at the same time', async () => {
    const { api } = await few.newAccount();
    const responses = await Promise.all(Array.from({ length: 40 }, () => api.get('/me')));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(FEW);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(40 - FEW);
  });
});
