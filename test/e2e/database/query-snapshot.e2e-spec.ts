import { Client } from 'pg';
import { AccountActivity } from '../../../src/platform/fairness/account-activity';
import { QueryPool } from '../../../src/platform/database/query-pool';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

let test: TestDatabase;
let pool: QueryPool;
let other: Client;

beforeAll(async () => {
  test = await createTestDatabase();
  pool = new QueryPool({
    url: test.url,
    poolSize: 1,
    timeoutMs: 20_000,
    limits: { acquireTimeoutMs: 20_000, maxWaiting: 10 },
    activity: new AccountActivity(),
    isPooled: false,
    prepares: true,
  });
  other = new Client({ connectionString: test.url });
  await other.connect();
  await other.query('CREATE TABLE numbers (n int)');
  await other.query('INSERT INTO numbers VALUES (1)');
});

afterAll(async () => {
  await pool.close();
  await other.end();
  await test.drop();
});

const SUM = 'SELECT sum(n)::int AS sum FROM numbers';
const MANY = 'COPY (SELECT generate_series(1, 1000000)) TO STDOUT';
const PID = 'SELECT pg_backend_pid() AS pid';

describe('a snapshot', () => {
  it('sees the same rows in each statement', async () => {
    const sums = await pool.inSnapshot('account', 'scan', async (snapshot) => {
      const before = await snapshot.query(SUM, []);
      await other.query('INSERT INTO numbers VALUES (2)');
      return [before, await snapshot.query(SUM, []), await snapshot.queryText(SUM, [])];
    });
    expect(sums).toEqual([[{ sum: 1 }], [{ sum: 1 }], ['1']]);
    expect(await pool.run('account', SUM, [])).toEqual([{ sum: 3 }]);
  });

  it('reads a copy to its end if the reader stops early', async () => {
    const [isRead, sum] = await pool.inSnapshot('account', 'scan', async (snapshot) => {
      let length = 0;
      for await (const part of snapshot.copy(MANY)) {
        length = part.length;
        break;
      }
      return [length > 0, await snapshot.query(SUM, [])];
    });
    expect([isRead, sum]).toEqual([true, [{ sum: 3 }]]);
  });

  it('starts no copy that nobody reads', async () => {
    const sum = await pool.inSnapshot('account', 'scan', (snapshot) => {
      snapshot.copy(MANY);
      return snapshot.query(SUM, []);
    });
    expect(sum).toEqual([{ sum: 3 }]);
  });

  it('whose connection ends between two statements fails, and nothing else does', async () => {
    const lost = pool.inSnapshot('account', 'scan', async (snapshot) => {
      const [backend] = await snapshot.query<{ pid: number }>(PID, []);
      await other.query('SELECT pg_terminate_backend($1, 20000)', [backend?.pid]);
      return snapshot.query(SUM, []);
    });
    await expect(lost).rejects.toThrow();
    expect(await pool.run('account', SUM, [])).toEqual([{ sum: 3 }]);
  });
});
