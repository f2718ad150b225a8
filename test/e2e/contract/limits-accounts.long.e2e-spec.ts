import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import type { ApiResponse, ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { METRICS_ON, metricsUrl, Scrape } from '../../support/scrape';
import { TestApp, type Member } from '../../support/test-app';
import { retryAfterSeconds, waitSeconds } from './limits-fields';

const LIMIT = 5;
const ACCOUNT_LIMIT = 8;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      RATE_LIMIT_REQUESTS: String(LIMIT),
      ACCOUNT_RATE_LIMIT_REQUESTS: String(ACCOUNT_LIMIT),
      ...METRICS_ON,
    },
  });
});

beforeEach(async () => {
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Creates another key of a user and returns its client. */
async function newKey(of: TestApp, { userId }: Member): Promise<ApiClient> {
  const { key } = await of.nest.get(ApiKeyService).create(userId, 'more', null, 'operator');
  return of.api(key);
}

async function call(api: ApiClient, times: number): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let n = 0; n < times; n += 1) responses.push(await api.get('/me'));
  return responses;
}

const statuses = (responses: readonly ApiResponse[]): number[] =>
  responses.map(({ status }) => status);

describe('the rate limit of an account', () => {
  it('counts all keys and users of the account together, and no other account', async () => {
    const viewer = await app.newUser(owner.accountId, 'viewer');
    const second = await newKey(app, owner);
    expect(statuses(await call(owner.api, 4))).toEqual([200, 200, 200, 200]);
    expect(statuses(await call(second, 2))).toEqual([200, 200]);
    expect(statuses(await call(viewer.api, 3))).toEqual([200, 200, 429]);
    expect(statuses(await call(second, 1))).toEqual([429]);
    const console = await app.console(owner);
    expect((await console.get('/session')).status).toBe(429);
    expect(statuses(await call((await app.newAccount()).api, 1))).toEqual([200]);
  });

  it('is named in the headers once less of it is left than of the limit of the key', async () => {
    const second = await newKey(app, owner);
    const [first] = await call(owner.api, 4);
    expect(first?.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
    expect(first?.headers.get('ratelimit')).toMatch(/^"default";r=4;t=\d+$/);
    const [fifth] = await call(second, 1);
    expect(fifth?.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60, "account";q=8;w=60');
    expect(fifth?.headers.get('ratelimit')).toMatch(/^"default";r=4;t=\d+, "account";r=3;t=\d+$/);
  });

  it('returns 429 with the time after which a call succeeds', async () => {
    const settings = {
      RATE_LIMIT_REQUESTS: '5',
      ACCOUNT_RATE_LIMIT_REQUESTS: '6',
      RATE_LIMIT_WINDOW_SECONDS: '2',
    };
    const replica = await TestApp.start({ settings, database: app.database });
    try {
      const first = replica.api(owner.key);
      const second = await newKey(replica, owner);
      await call(first, 4);
      const limited = (await call(second, 5)).find(({ status }) => status === 429);
      if (!limited) throw new Error('Nine calls, and none was 429.');
      expectFailure(limited, 'rate_limited');
      const seconds = retryAfterSeconds(limited);
      expect(limited.body.error.message).toBe(
        `Rate limit of this account exceeded. Retry after ${String(seconds)} seconds.`,
      );
      await waitSeconds(seconds);
      expect((await second.get('/me')).status).toBe(200);
    } finally {
      await replica.close();
    }
  });

  it('is not used up by a key that exceeds its own limit', async () => {
    const url = await metricsUrl(app);
    const before = await Scrape.of(url);
    const second = await newKey(app, owner);
    expect(statuses(await call(owner.api, 20)).filter((status) => status === 429)).toHaveLength(15);
    expect(statuses(await call(second, 4))).toEqual([200, 200, 200, 429]);
    const after = await Scrape.of(url);
    const throttled = (scrape: Scrape, limit: string): number =>
      scrape.sum('datagrid_throttled_requests_total', { limit });
    expect(throttled(after, 'key') - throttled(before, 'key')).toBe(15);
    expect(throttled(after, 'account') - throttled(before, 'account')).toBe(1);
  });
});
