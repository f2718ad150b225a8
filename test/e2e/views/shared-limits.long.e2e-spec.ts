import { AccountSemaphore } from '../../../src/platform/fairness/account-semaphore';
import { SharedViewLimits } from '../../../src/views/link/shared-view-limits';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let base: TestApp;
let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  base = await TestApp.shared();
});

afterAll(() => base.close());

beforeEach(async () => {
  team = await newTeam(base);
  datagrid = await newDatagrid(team.owner.api, [{ key: 'name', type: 'text' }]);
});

afterEach(() => app.close());

/** Starts an instance that has counted no requests yet. Readers use it. */
async function start(settings: Readonly<Record<string, string>>): Promise<void> {
  app = await TestApp.start({ database: base.database, settings });
}

/** Shares a new view and returns the path of its rows. */
async function share(): Promise<string> {
  const viewId = await newView(team.editor.api, datagrid);
  const created = await team.admin.api.post(`${datagrid}/views/${viewId}/link`, {});
  const { url } = dataOf(created, 201) as { url: string };
  return `${new URL(url).pathname}/rows`;
}

const visit = (path: string, from = '203.0.113.1'): Promise<ApiResponse> =>
  new ApiClient(app.origin, undefined, '').get(path, { 'x-forwarded-for': from });

async function statusesOf(count: number, request: () => Promise<ApiResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await request()).status);
  return statuses;
}

describe('readers of public links', () => {
  it('return 429 above the limit of their address, also with links that do not work', async () => {
    await start({ PUBLIC_RATE_LIMIT_REQUESTS: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const path = await share();
    expect(await statusesOf(2, () => visit(path))).toEqual([200, 200]);
    expect((await visit(`/shared/${'A'.repeat(43)}/rows`)).status).toBe(404);
    expectFailure(await visit(path), 'rate_limited');
    expect((await visit(path, '203.0.113.2')).status).toBe(200);
  });

  it('return 429 above the limit of their link, and those of another link do not', async () => {
    await start({ RATE_LIMIT_REQUESTS: '3' });
    const [path, other] = [await share(), await share()];
    expect(await statusesOf(3, () => visit(path))).toEqual([200, 200, 200]);
    const rejected = await visit(path);
    expectFailure(rejected, 'rate_limited');
    expect(rejected.headers.get('ratelimit-policy')).toBe('"view-link";q=3;w=60');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await visit(other)).status).toBe(200);
  });

  it('use up half of the rate limit of the account with all links, and none of that of its keys', async () => {
    await start({ ACCOUNT_RATE_LIMIT_REQUESTS: '6' });
    const [path, other] = [await share(), await share()];
    expect(await statusesOf(2, () => visit(path))).toEqual([200, 200]);
    expect(await statusesOf(3, () => visit(other))).toEqual([200, 429, 429]);
    const api = app.api(team.owner.key);
    expect(await statusesOf(7, () => api.get('/me'))).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await visit(other)).status).toBe(429);
  });

  it('wait for each other, in a short queue, while keys of the account and other links read', async () => {
    await start({});
    const path = await share();
    const others = team;
    team = await newTeam(base);
    datagrid = await newDatagrid(team.owner.api, [{ key: 'name', type: 'text' }]);
    const elsewhere = await share();
    const limits: unknown = app.nest.get(SharedViewLimits, { strict: false });
    const { permits } = limits as { permits: AccountSemaphore };
    const release = permits.acquireNow(others.owner.accountId);
    const waiting = Array.from({ length: 8 }, () => visit(path));
    await eventually(() => Promise.resolve(permits.state.waiting === 8));
    expectFailure(await visit(path), 'rate_limited');
    expect((await visit(elsewhere)).status).toBe(200);
    expect((await app.api(others.owner.key).get('/workspaces')).status).toBe(200);
    release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
});
