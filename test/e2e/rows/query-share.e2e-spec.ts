import type { Answer } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { BudgetedQueries } from '../../../src/platform/database/budgeted-queries';
import { TestApp, type Member } from '../../support/test-app';

const SEARCHES = 20;

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      DATABASE_POOL_SIZE: '10',
      DATABASE_ACQUIRE_TIMEOUT_MS: '100',
      QUERY_TIMEOUT_MS: '4000',
    },
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
async function runningQueries(): Promise<number> {
  const { rows } = await app.sql.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%***=%'
      AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
  return rows[0]?.count ?? 0;
}

it('runs two scans of one account at a time with a pool of ten, answers 429 to the rest, and serves another account', async () => {
  const [noisy, quiet] = [await app.newAccount(), await app.newAccount()];
  const large = await newText(noisy, 'a'.repeat(1_040_000), 12);
  const small = await newText(quiet, 'a quiet row', 1);
  const needles = Array.from({ length: SEARCHES }, (_, n) => `b${String(n)}`);
  const filter = { $or: needles.map(($contains) => ({ text: { $contains } })) };
  const slow = (): Promise<Answer> => noisy.api.post(`${large}/delete`, { filter, dryRun: true });
  const first = [slow(), slow()];
  await eventually(async () => (await runningQueries()) === 2);
  const rejected = await slow();
  expectFailure(rejected, 'rate_limited');
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(rejected.body.error.message).toBe(
    'Too many queries of this account are running. Retry later.',
  );
  const served = await quiet.api.get(`${small}?q=quiet`);
  expect(dataOf(served, 200)).toHaveLength(1);
  expect(await runningQueries()).toBe(2);
  for (const answer of await Promise.all(first)) {
    expectFailure(answer, 'query_too_expensive', ['text not_indexed']);
  }
});

it('gives an account whose indexed query took long the share of scans', async () => {
  const [slow, quick] = [await app.newAccount(), await app.newAccount()];
  const queries = app.nest.get(BudgetedQueries);
  const run = (accountId: string, seconds: number): Promise<unknown> =>
    queries.run(accountId, 'SELECT pg_sleep($1::float8)', [seconds], 'indexed');
  await run(slow.accountId, 0.6);
  const two = [run(slow.accountId, 1.5), run(slow.accountId, 1.5)];
  await expect(run(slow.accountId, 0)).rejects.toMatchObject({ code: 'rate_limited' });
  const three = [1, 2, 3].map(() => run(quick.accountId, 0.4));
  expect(await Promise.all(three)).toHaveLength(3);
  await Promise.all(two);
});
