import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { QueryPool } from '../../../src/platform/database/query-pool';
import { TestApp, type Member } from '../../support/test-app';

const SEARCHES = 20;

const SETTINGS = {
  DATABASE_POOL_SIZE: '10',
  DATABASE_ACQUIRE_TIMEOUT_MS: '100',
  QUERY_TIMEOUT_MS: '2000',
};

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({
    settings: SETTINGS,
  });
});

afterAll(() => app.close());

async function newText(member: Member, text: string, rows: number): Promise<string> {
  const path = await newDatagrid(member.api, [{ key: 'text', type: 'text' }]);
  for (let row = 0; row < rows; row += 1) {
    dataOf(await member.api.post(`${path}/rows`, { values: { text } }), 201);
  }
  return `${path}/rows`;
}

/** Counts the statements with several searches that PostgreSQL is running. */
async function runningQueries(of = app): Promise<number> {
  const { rows } = await of.sql.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%***=%***=%'
      AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
  return rows[0]?.count ?? 0;
}

/** Stores large text and returns a request that searches it longer than any test waits. */
async function slowSearch(member: Member): Promise<() => Promise<ApiResponse>> {
  const path = await newText(member, 'a'.repeat(1_040_000), 30);
  const needles = Array.from({ length: SEARCHES }, (_, n) => `b${String(n)}`);
  const filter = { $or: needles.map(($contains) => ({ text: { $contains } })) };
  return () => member.api.post(`${path}/delete`, { filter, dryRun: true });
}

/** Starts `share` searches, expects that the next one is rejected, and waits until they time out. */
async function expectShare(
  share: number,
  slow: () => Promise<ApiResponse>,
  of = app,
): Promise<void> {
  const first = Array.from({ length: share }, slow);
  await eventually(async () => (await runningQueries(of)) === share);
  const rejected = await slow();
  expectFailure(rejected, 'rate_limited');
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(rejected.body.error.message).toBe(
    'Too many queries of this account are running. Retry later.',
  );
  expect(await runningQueries(of)).toBe(share);
  for (const response of await Promise.all(first)) {
    expectFailure(response, 'query_too_expensive', ['text not_indexed']);
  }
}

describe('a pool of ten with another active account', () => {
  it('runs one scan of an account at a time, returns 429 for the others and serves the other account', async () => {
    const [noisy, quiet] = [await app.newAccount(), await app.newAccount()];
    const small = await newText(quiet, 'a quiet row', 1);
    const slow = await slowSearch(noisy);
    expect(dataOf(await quiet.api.get(`${small}?q=quiet`), 200)).toHaveLength(1);
    const share = expectShare(1, slow);
    expect(dataOf(await quiet.api.get(`${small}?q=quiet`), 200)).toHaveLength(1);
    await share;
  });

  it('limits an account to the share of scans if its indexed query took long', async () => {
    const [slow, quick] = [await app.newAccount(), await app.newAccount()];
    const queries = app.nest.get(QueryPool);
    const run = (accountId: string, seconds: number): Promise<unknown> =>
      queries.run(accountId, 'SELECT pg_sleep($1::float8)', [seconds], 'indexed');
    await run(slow.accountId, 0.6);
    const two = [1, 2].map(() => run(quick.accountId, 0.4));
    const one = run(slow.accountId, 1.5);
    await expect(run(slow.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(run(quick.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await Promise.all(two)).toHaveLength(2);
    await one;
  });
});

describe('a pool of ten after a long scan of an account', () => {
  it('makes the account wait for as long again while another account is active', async () => {
    const [noisy, quiet] = [await app.newAccount(), await app.newAccount()];
    const queries = app.nest.get(QueryPool);
    const scan = (accountId: string, seconds: number): Promise<unknown> =>
      queries.run(accountId, 'SELECT pg_sleep($1::float8)', [seconds], 'scan');
    await scan(quiet.accountId, 0);
    await scan(noisy.accountId, 0.4);
    await expect(scan(noisy.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
    await scan(quiet.accountId, 0);
    await eventually(() =>
      scan(noisy.accountId, 0).then(
        () => true,
        () => false,
      ),
    );
  });
});

describe('a pool of ten without another active account', () => {
  let alone: TestApp;

  beforeAll(async () => {
    alone = await TestApp.start({ settings: SETTINGS });
  });

  afterAll(() => alone.close());

  it('runs two scans of an account at a time', async () => {
    await expectShare(2, await slowSearch(await alone.newAccount()), alone);
  });
});
