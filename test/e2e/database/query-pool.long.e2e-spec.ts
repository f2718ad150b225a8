import { AccountActivity } from '../../../src/platform/fairness/account-activity';
import {
  type QueryKind,
  QueryPool,
  QueryTimeoutError,
} from '../../../src/platform/database/query-pool';
import type { TextRow } from '../../../src/platform/database/text-query';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

const ACCOUNT = 'account';
const SETTINGS = `
  SELECT current_setting('transaction_read_only'), current_setting('statement_timeout'),
    current_setting('max_parallel_workers_per_gather')`;
const PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'query-%'";
const USES = 5;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe.each([
  { title: 'with prepared statements', isPooled: false, prepares: true, prepared: [0, 0, 0, 1, 1] },
  { title: 'without them', isPooled: false, prepares: false, prepared: [0, 0, 0, 0, 0] },
  { title: 'behind a pooler', isPooled: true, prepares: true, prepared: [0, 0, 0, 1, 1] },
])('A query for one row of texts, $title,', ({ isPooled, prepares, prepared }) => {
  let queries: QueryPool;

  const newPool = (timeoutMs: number): QueryPool =>
    new QueryPool({
      url: database.url,
      poolSize: 1,
      timeoutMs,
      limits: { acquireTimeoutMs: 5_000, maxWaiting: 10 },
      activity: new AccountActivity(),
      isPooled,
      prepares,
    });

  beforeAll(() => {
    queries = newPool(1_500);
  });

  afterAll(() => queries.close());

  it('prepares its text from the fourth use on, if it may', async () => {
    const counts: unknown[] = [];
    for (let use = 0; use < USES; use += 1) {
      counts.push((await queries.runForText(ACCOUNT, PREPARED, []))?.[0]);
    }
    expect(counts).toEqual(prepared.map(String));
  });

  it('sends parameters as other queries do, on every use', async () => {
    const text = 'SELECT $1::bigint, $2::text, ($3::text[])[2], cardinality($4::text[]), $5::bool';
    const values = [9_007_199_254_740_991, null, ['a', 'b"\\,{é}'], [], true];
    for (let use = 0; use < USES; use += 1) {
      const row = await queries.runForText(ACCOUNT, text, values);
      expect(row).toEqual(['9007199254740991', null, 'b"\\,{é}', '0', 't']);
    }
  });

  it('returns undefined if there is no row', async () => {
    for (let use = 0; use < USES; use += 1) {
      expect(await queries.runForText(ACCOUNT, 'SELECT 1 WHERE $1', [false])).toBeUndefined();
    }
  });

  it('has the settings of the pool', async () => {
    const isReadOnly = isPooled ? 'on' : 'off';
    expect(await queries.runForText(ACCOUNT, SETTINGS, [])).toEqual([isReadOnly, '1500ms', '0']);
  });

  it('times out as other queries do, and the connection remains usable', async () => {
    const soon = newPool(500);
    const sleep = soon.runForText(ACCOUNT, 'SELECT pg_sleep($1::float8)', [30]);
    await expect(sleep).rejects.toBeInstanceOf(QueryTimeoutError);
    expect(await soon.runForText(ACCOUNT, 'SELECT 1', [])).toEqual(['1']);
    await soon.close();
  });

  it('reports the error of PostgreSQL on every use', async () => {
    for (let use = 0; use < USES; use += 1) {
      const failing = queries.runForText(ACCOUNT, 'SELECT 1 / $1::int', [0]);
      await expect(failing).rejects.toMatchObject({ code: '22012' });
    }
    expect(await queries.runForText(ACCOUNT, 'SELECT 1 / $1::int', [1])).toEqual(['1']);
  });
});

describe('A query of a public link', () => {
  const activity = new AccountActivity();
  let queries: QueryPool;

  beforeAll(() => {
    queries = new QueryPool({
      url: database.url,
      poolSize: 5,
      timeoutMs: 5_000,
      limits: { acquireTimeoutMs: 5_000, maxWaiting: 10 },
      activity,
      isPooled: false,
      prepares: true,
    });
  });

  afterAll(() => queries.close());

  it('does not make other queries of its account count as scans if it is slow', async () => {
    const slow = 'SELECT pg_sleep(0.6)';
    await queries.runForText(ACCOUNT, slow, [], 'public');
    // The pool has one permit for scans of an account, and two for other queries.
    const scan = queries.runForText(ACCOUNT, slow, [], 'public');
    const order: string[] = [];
    const ends = [
      scan.then(() => order.push('scan')),
      queries.runForText(ACCOUNT, 'SELECT 1', [], 'indexed').then(() => order.push('indexed')),
    ];
    await Promise.all(ends);
    expect(order).toEqual(['indexed', 'scan']);
  });
});

describe('Queries by index that arrive together', () => {
  const BACKEND = 'SELECT pg_backend_pid(), 12 / $1::int, pg_sleep($2::float8)';
  let queries: QueryPool;

  beforeEach(() => {
    queries = new QueryPool({
      url: database.url,
      poolSize: 10,
      timeoutMs: 500,
      limits: { acquireTimeoutMs: 5_000, maxWaiting: 10 },
      activity: new AccountActivity(),
      isPooled: false,
      prepares: true,
    });
  });

  afterEach(() => queries.close());

  interface Query {
    readonly accountId?: string;
    readonly kind?: QueryKind;
    readonly rows?: number;
    readonly divisor?: number;
    readonly seconds?: number;
  }

  /** Runs all queries at once. */
  const run = (all: readonly Query[]): Promise<TextRow | undefined>[] =>
    all.map(({ accountId = ACCOUNT, kind = 'indexed', rows = 20, divisor = 1, seconds = 0 }) =>
      queries.runForText(accountId, BACKEND, [divisor, seconds], kind, rows),
    );

  /** Runs all queries at once. @returns the number of connections that they used. */
  const connectionsOf = async (all: readonly Query[]): Promise<number> => {
    const rows = await Promise.all(run(all));
    return new Set(rows.map((row) => row?.[0])).size;
  };

  /** Uses the text so often that it is prepared. */
  const prepare = async (): Promise<void> => {
    for (let use = 0; use < 3; use += 1) await connectionsOf([{}]);
  };

  it('share a connection if they have the same account and a prepared text', async () => {
    expect(await connectionsOf([{}, {}, {}])).toBe(3);
    expect(await connectionsOf([{}, {}, {}])).toBe(1);
    expect(await connectionsOf([{ accountId: 'one' }, { accountId: 'other' }])).toBe(2);
  });

  it('share a connection up to 100 rows', async () => {
    await prepare();
    expect(await connectionsOf([{ rows: 50 }, { rows: 50 }])).toBe(1);
    expect(await connectionsOf([{ rows: 50 }, { rows: 51 }])).toBe(2);
  });

  it('do not share a connection with scans', async () => {
    await prepare();
    expect(await connectionsOf([{}, { kind: 'scan' }, { kind: 'public' }])).toBe(3);
  });

  it('have a connection each after a shared exchange of more than 100 ms', async () => {
    await prepare();
    const slow = { seconds: 0.06 };
    expect(await connectionsOf([slow, slow])).toBe(1);
    expect(await connectionsOf([{}, {}])).toBe(2);
    expect(await connectionsOf([{ accountId: 'other' }, { accountId: 'other' }])).toBe(1);
  });

  it('fail alone', async () => {
    await prepare();
    const results = await Promise.allSettled(
      run([{ divisor: 3 }, { divisor: 0 }, { divisor: 4 }, { seconds: 5 }, { divisor: 6 }]),
    );
    const summary = results.map((result) =>
      result.status === 'fulfilled' ? result.value?.[1] : (result.reason as Error),
    );
    expect(summary).toEqual([
      '4',
      expect.objectContaining({ code: '22012' }),
      '3',
      expect.any(QueryTimeoutError),
      '2',
    ]);
  });
});
