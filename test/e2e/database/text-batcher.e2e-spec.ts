import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { TextBatcher } from '../../../src/platform/database/text-batcher';
import { queryTexts, type Statement } from '../../../src/platform/database/text-query';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

const POOL_SIZE = 4;

let test: TestDatabase;
let dataSource: DataSource;
let batcher: TextBatcher;
/** Number of connections that calls have taken from the pool. */
let acquired: number;

beforeAll(async () => {
  test = await createTestDatabase();
  const options = { url: test.url, poolSize: POOL_SIZE, lockTimeoutMs: 5_000 };
  dataSource = await new DataSource(dataSourceOptions(options, [])).initialize();
  const pool = (dataSource.driver as unknown as { master: Pool }).master;
  pool.on('acquire', () => (acquired += 1));
  batcher = new TextBatcher(({ statement, valuesOfEach }) =>
    queryTexts(pool, statement, valuesOfEach),
  );
});

beforeEach(() => {
  acquired = 0;
});

afterAll(async () => {
  await dataSource.destroy();
  await test.drop();
});

const DIVISION: Statement = { name: 'batch-division', text: 'SELECT 12 / $1::int' };
const BACKEND: Statement = {
  name: 'batch-backend',
  text: 'SELECT pg_backend_pid(), $1::int',
};
const ROWS: Statement = {
  name: 'batch-rows',
  text: 'SELECT n, $1::text FROM generate_series(1, $2::int) n',
};
/** Ends its own connection if the parameter is 0. */
const END_AT_ZERO: Statement = {
  name: 'batch-end',
  text: 'SELECT CASE WHEN $1::int = 0 THEN pg_terminate_backend(pg_backend_pid()) END, $1::int',
};
const UNPREPARED: Statement = { name: '', text: 'SELECT $1::int * 2' };

/** Makes one call for each number, in one turn of the event loop. */
const callAll = (
  statement: Statement,
  numbers: readonly number[],
  accountId = 'account',
  rows = 1,
): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(numbers.map((n) => batcher.run(statement, [n], { accountId, rows })));

const summary = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.map((result) =>
    result.status === 'fulfilled' ? result.value : (result.reason as { code: string }).code,
  );

describe('calls of one account that arrive together', () => {
  it('share a connection and its message exchange, each with its own row', async () => {
    // Twice: with and without a statement to prepare.
    for (const numbers of [
      [1, 2, 3, 4],
      [6, 12, 4, 3],
    ]) {
      acquired = 0;
      const results = summary(await callAll(DIVISION, numbers));
      expect(results).toEqual(numbers.map((n) => [String(12 / n)]));
      expect(acquired).toBe(1);
    }
  });

  it('use another connection after each five calls', async () => {
    const results = summary(await callAll(BACKEND, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    const backends = results.map((row) => (row as string[])[0]);
    expect(acquired).toBe(3);
    expect(new Set(backends.slice(0, 5)).size).toBe(1);
    expect(new Set(backends.slice(5, 10)).size).toBe(1);
    expect(new Set(backends).size).toBe(3);
  });

  it('use another connection if they read more than 100 rows together', async () => {
    const acquiredFor = async (rows: number): Promise<number> => {
      acquired = 0;
      await callAll(BACKEND, [1, 2, 3, 4], 'account', rows);
      return acquired;
    };
    expect(await acquiredFor(25)).toBe(1);
    expect(await acquiredFor(26)).toBe(2);
    expect(await acquiredFor(50)).toBe(2);
    expect(await acquiredFor(200)).toBe(4);
  });

  it('return the first row each, or undefined if there is none', async () => {
    const rows = await Promise.all([
      batcher.run(ROWS, ['a', 0], { accountId: 'account', rows: 1 }),
      batcher.run(ROWS, ['b', 3], { accountId: 'account', rows: 1 }),
      batcher.run(ROWS, ['c', 0], { accountId: 'account', rows: 1 }),
      batcher.run(ROWS, ['d', 1], { accountId: 'account', rows: 1 }),
    ]);
    expect(rows).toEqual([undefined, ['1', 'b'], undefined, ['1', 'd']]);
    expect(acquired).toBe(1);
  });

  it('work for statements that are not prepared', async () => {
    expect(summary(await callAll(UNPREPARED, [1, 2, 3]))).toEqual([['2'], ['4'], ['6']]);
    expect(acquired).toBe(1);
  });

  it('see what was committed before they were made', async () => {
    await dataSource.query('CREATE TABLE committed (n int)');
    const count: Statement = {
      name: 'batch-count',
      text: 'SELECT count(*), $1::int FROM committed',
    };
    for (let n = 1; n <= 3; n += 1) {
      await dataSource.query('INSERT INTO committed VALUES ($1)', [n]);
      const counts = summary(await callAll(count, [0, 0])).map((row) => (row as string[])[0]);
      expect(counts).toEqual([String(n), String(n)]);
    }
  });
});

describe('calls that do not share an exchange', () => {
  it('are those of different accounts, so that a slow one delays only its own account', async () => {
    const [one, other] = await Promise.all([
      callAll(BACKEND, [1, 2], 'one'),
      callAll(BACKEND, [3, 4], 'other'),
    ]);
    expect(acquired).toBe(2);
    const [first, second] = [one, other].map(
      (results) => new Set(summary(results).map((row) => (row as string[])[0])),
    );
    expect(first?.size).toBe(1);
    expect(first).not.toEqual(second);
  });

  it('are those of different statements', async () => {
    const results = await Promise.all([
      batcher.run(DIVISION, [2], { accountId: 'account', rows: 1 }),
      batcher.run(UNPREPARED, [2], { accountId: 'account', rows: 1 }),
    ]);
    expect(results).toEqual([['6'], ['4']]);
    expect(acquired).toBe(2);
  });
});

describe('a call that fails', () => {
  it('fails alone: those before and after it return their rows', async () => {
    const results = summary(await callAll(DIVISION, [1, 0, 3, 4]));
    expect(results).toEqual([['12'], '22012', ['4'], ['3']]);
  });

  it('fails alone if all but one fail', async () => {
    const results = summary(await callAll(DIVISION, [0, 0, 0, 4]));
    expect(results).toEqual(['22012', '22012', '22012', ['3']]);
  });

  it('fails alone if it ends the connection', async () => {
    const results = summary(await callAll(END_AT_ZERO, [1, 0, 3, 4]));
    expect(results).toEqual([[null, '1'], '57P01', [null, '3'], [null, '4']]);
  });
});
