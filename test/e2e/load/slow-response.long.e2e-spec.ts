import { Client } from 'pg';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const CLIENT_SECONDS = 1;

let app: TestApp;
/** An instance with a short client timeout. It gets only requests that take long. */
let hasty: TestApp;
let lock: Client;

beforeAll(async () => {
  app = await TestApp.shared();
  hasty = await TestApp.start({
    settings: { REQUEST_TIMEOUT_SECONDS: String(CLIENT_SECONDS) },
    database: app.database,
  });
  lock = new Client({ connectionString: app.database.url });
  await lock.connect();
});

afterAll(async () => {
  await lock.end();
  await hasty.close();
  await app.close();
});

/**
 * Returns whether a statement has waited for a lock for twice the client timeout. The transaction that
 * holds the lock would not see it: it reads `pg_stat_activity` once, and then keeps what it read.
 */
async function hasWaitedLong(): Promise<boolean> {
  const { rowCount } = await app.sql.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > make_interval(secs => $1)`,
    [2 * CLIENT_SECONDS],
  );
  return rowCount === 1;
}

describe('a client that waits for a response', () => {
  it('is not closed as a slow client, however long the response takes', async () => {
    const { api, key } = await app.newAccount();
    const rows = `${await newDatagrid(api, [])}/rows`;
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const response = hasty.api(key).post(rows, { values: {} });
    await eventually(hasWaitedLong);
    await lock.query('COMMIT');
    expect((await response).status).toBe(201);
  });
});
