import { AccountService } from '../../../src/auth/account.service';
import { SyncTotalsRepository } from '../../../src/connections/sync/sync-totals.repository';
import { eventually } from '../../support/eventually';
import { dataOf, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';
import { expectEqual, listRows, Warehouse } from './warehouse';

let warehouse: Warehouse;
let app: TestApp;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.shared();
});

afterAll(async () => {
  await app.close();
  await warehouse.close();
});

interface Synced {
  readonly owner: Member;
  readonly datagrid: string;
  readonly schema: string;
}

const TABLE = 'peaks';
/** Longer than a claim that is not extended. */
const CLAIM_MS = 25_000;

async function newSynced(schema: string): Promise<Synced> {
  const owner = await app.newAccount();
  const workspace = await newWorkspace(owner.api);
  const columns = [{ key: 'name', type: 'text' }];
  const { id } = dataOf(
    await owner.api.post(`/workspaces/${workspace}/datagrids`, { name: TABLE, columns }),
    201,
  );
  const target = { type: 'postgresql', settings: warehouse.settings(schema) };
  const body = { name: 'Warehouse', ...target, secret: warehouse.password };
  dataOf(await owner.api.post(`/workspaces/${workspace}/connections`, body), 201);
  const synced = { owner, datagrid: `/datagrids/${String(id)}`, schema };
  await addRow(synced);
  await expectInStep(synced);
  return synced;
}

async function addRow({ owner, datagrid }: Synced): Promise<void> {
  dataOf(await owner.api.post(`${datagrid}/rows`, { values: { name: 'A' } }), 201);
}

const expectInStep = ({ owner, datagrid, schema }: Synced): Promise<void> =>
  expectEqual(warehouse, schema, TABLE, () => listRows(owner.api, datagrid));

const setSuspended = ({ accountId }: Member, suspended: boolean): Promise<void> =>
  app.nest.get(AccountService).setSuspended(accountId, suspended);

/** Returns the number of tables of an account that a worker has claimed. */
async function countClaims({ accountId }: Member): Promise<number> {
  const { rows } = await app.sql.query(
    `SELECT FROM connection_tables t JOIN connections c ON c.id = t.connection_id
     WHERE c.account_id = $1 AND t.leased_until > now()`,
    [accountId],
  );
  return rows.length;
}

/** Returns the number of statements that wait for a lock in the warehouse. */
async function countWaiting(): Promise<number> {
  const { rows } = await warehouse.sql.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

/** Returns the number of tables that the metrics of syncs count. */
async function countTables(): Promise<number> {
  const totals = await app.nest.get(SyncTotalsRepository).countTables();
  return totals.reduce((sum, { tables }) => sum + tables, 0);
}

it('the syncs of a suspended account end, and go on by themselves once it is resumed', async () => {
  const [suspended, other] = [await newSynced('suspended'), await newSynced('other')];
  const locker = await warehouse.sql.connect();
  try {
    await locker.query(`BEGIN; LOCK TABLE suspended.${TABLE} IN ACCESS EXCLUSIVE MODE`);
    await addRow(suspended);
    await eventually(async () => (await countWaiting()) === 1);
    expect(await countTables()).toBe(2);
    await setSuspended(suspended.owner, true);
    // The worker no longer extends its claim.
    await eventually(async () => (await countClaims(suspended.owner)) === 0, CLAIM_MS);
    expect(await countTables()).toBe(1);
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  await addRow(other);
  await expectInStep(other);
  expect(await warehouse.read('suspended', TABLE)).toHaveLength(1);
  await setSuspended(suspended.owner, false);
  await expectInStep(suspended);
  expect(await warehouse.read('suspended', TABLE)).toHaveLength(2);
});

it('the scheduled imports of a suspended account end, and run again once it is resumed', async () => {
  const owner = await app.newAccount();
  const target = { type: 'postgresql', settings: warehouse.settings('public') };
  const secret = warehouse.password;
  const columns = [{ key: 'code', type: 'text', unique: true }];
  const importing = await Importing.start(app, owner, { ...target, secret }, columns);
  await warehouse.sql.query("CREATE TABLE codes AS SELECT 'a' AS code");
  const path = await importing.create({ query: 'SELECT code FROM codes' });
  const locker = await warehouse.sql.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE codes IN ACCESS EXCLUSIVE MODE');
    await owner.api.post(`${path}/run`);
    await eventually(async () => (await countWaiting()) === 1);
    await setSuspended(owner, true);
    await eventually(async () => (await countWaiting()) === 0);
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  await setSuspended(owner, false);
  expect(await importing.nextRun(path, null)).toMatchObject({ created: 1, error: null });
});
