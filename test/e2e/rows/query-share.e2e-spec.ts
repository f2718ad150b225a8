import type { Answer } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { BudgetedQueries } from '../../../src/platform/database/budgeted-queries';
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

/** Statements of filtered reads that PostgreSQL is carrying out. */
async function runningQueries(of = app): Promise<number> {
  const { rows } = await of.sql.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%***=%'
      AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
  return rows[0]?.count ?? 0;
}

/** Large text, and a request that searches it for longer than any test waits. */
async function slowSearch(member: Member): Promise<() => Promise<Answer>> {
  const path = await newText(member, 'a'.repeat(1_040_000), 30);
  const needles = Array.from({ length: SEARCHES }, (_, n) => `b${String(n)}`);
  const filter = { $or: needles.map(($contains) => ({ text: { $contains } })) };
  return () => member.api.post(`${path}/delete`, { filter, dryRun: true });
}

/** Starts as many searches, finds that the next one is rejected, and waits for them to time out. */
async function expectShare(share: number, slow: () => Promise<Answer>, of = app): Promise<void> {
  const first = Array.from({ length: share }, slow);
  await eventually(async () => (await runningQueries(of)) === share);
  const rejected = await slow();
  expectFailure(rejected, 'rate_limited');
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(rejected.body.error.message).toBe(
    'Too many queries of this account are running. Retry later.',
  );
  expect(await runningQueries(of)).toBe(share);
  for (const answer of await Promise.all(first)) {
    expectFailure(answer, 'query_too_expensive', ['text not_indexed']);
  }
}

describe('with a pool of ten, while another account is active', () => {
  it('runs one scan of an account at a time, answers 429 to the rest, and serves the other account', async () => {
    const [noisy, quiet] = [await app.newAccount(), await app.newAccount()];
    const small = await newText(quiet, 'a quiet row', 1);
    const slow = await slowSearch(noisy);
    expect(dataOf(await quiet.api.get(`${small}?q=quiet`), 200)).toHaveLength(1);
    const share = expectShare(1, slow);
    expect(dataOf(await quiet.api.get(`${small}?q=quiet`), 200)).toHaveLength(1);
    await share;
  });

  it('gives an account whose indexed query took long the share of scans', async () => {
    const [slow, quick] = [await app.newAccount(), await app.newAccount()];
    const queries = app.nest.get(BudgetedQueries);
    const run = (accountId: string, seconds: number): Promise<unknown> =>
      queries.run(accountId, 'SELECT pg_sleep($1::float8)', [seconds], 'indexed');
    await run(slow.accountId, 0.6);
    const three = [1, 2, 3].map(() => run(quick.accountId, 0.4));
    const one = run(slow.accountId, 1.5);
    await expect(run(slow.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(run(quick.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await Promise.all(three)).toHaveLength(3);
    await one;
  });
});

describe('with a pool of ten, while no other account is active', () => {
  let alone: TestApp;

  beforeAll(async () => {
    alone = await TestApp.start({ settings: SETTINGS });
  });

  afterAll(() => alone.close());

  it('runs two scans of an account at a time', async () => {
    await expectShare(2, await slowSearch(await alone.newAccount()), alone);
  });
});
