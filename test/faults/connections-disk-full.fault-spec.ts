import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { readTable } from '../connections/duckdb-files';
import { readParquetTable } from '../connections/parquet-files';
import { ALLOW_LOCAL, listRows, Warehouse } from '../e2e/connections/warehouse';
import type { ApiClient, Json } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { PostgresServer } from './support/postgres-server';
import { newOwner } from './support/owner';
import { Replicas } from './support/replicas';
import { describeWithDisk, SmallDisk } from './support/small-disk';

const TINY_MIB = 2;
const SMALL_MIB = 6;
const LARGE_MIB = 300;
const ROWS = 10_000;
const ROWS_PER_CALL = 1_000;
/** Ten thousand rows of this length do not fit on the small disk. */
const NOTE = 'x'.repeat(1_000);
const PATIENCE_MS = 90_000;

interface Synced {
  readonly api: ApiClient;
  readonly datagrid: string;
  /** Path of the tables of the connection. */
  readonly tables: string;
}

describeWithDisk('a connection whose destination has a full disk', () => {
  let postgres: PostgresServer;
  let replicas: Replicas;
  let warehouse: Warehouse;
  let fileDisk: SmallDisk;
  let tableDisk: SmallDisk;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    fileDisk = SmallDisk.mount(SMALL_MIB);
    tableDisk = SmallDisk.mount(SMALL_MIB);
    const settings = { ...ALLOW_LOCAL, CONNECTION_FILES_DIR: fileDisk.directory };
    replicas = await Replicas.start(1, { DATABASE_URL: postgres.url, ...settings });
    warehouse = await Warehouse.on(postgres.url);
  });

  afterAll(async () => {
    await replicas.kill();
    await warehouse.close();
    await postgres.remove();
    fileDisk.remove();
    tableDisk.remove();
  });

  /** Creates a datagrid with a connection, of an account of its own. */
  async function newSynced(rows: number, connection: Json): Promise<Synced & { account: string }> {
    const owner = await newOwner(postgres.url);
    const api = replicas.api(0, owner.key);
    const workspace = await newWorkspace(api);
    const datagrid = await newDatagrid(api, [{ key: 'note', type: 'text' }], workspace);
    for (let n = 0; n < rows; n += ROWS_PER_CALL) {
      const values = Array.from({ length: ROWS_PER_CALL }, () => ({ values: { note: NOTE } }));
      dataOf(await api.post(`${datagrid}/rows`, { rows: values }), 201);
    }
    const connections = `/workspaces/${workspace}/connections`;
    const { id } = dataOf(await api.post(connections, { name: 'Small', ...connection }), 201);
    const tables = `${connections}/${String(id)}/tables`;
    return { api, datagrid, tables, account: owner.accountId };
  }

  const tableOf = async ({ api, tables }: Synced): Promise<Json> =>
    dataOf(await api.get(tables), 200)[0];

  async function expectFailureThenRows(
    synced: Synced,
    disk: SmallDisk,
    read: (table: string) => Promise<Json[] | null>,
  ): Promise<void> {
    const { name } = await tableOf(synced);
    const lastError = await eventually(async () => {
      const table = await tableOf(synced);
      return table.lastError !== null && String(table.lastError);
    }, PATIENCE_MS);
    expect(lastError).toMatch(/disk/);

    // Another account notices nothing.
    const settings = warehouse.settings(`other_${String(name)}`);
    const body = { type: 'postgresql', settings, secret: warehouse.password };
    const other = await newSynced(ROWS_PER_CALL, body);
    await eventually(async () => (await tableOf(other)).status === 'synced', PATIENCE_MS);
    expect((await tableOf(synced)).status).toBe('failing');

    disk.resize(LARGE_MIB);
    await eventually(async () => (await tableOf(synced)).status === 'synced', PATIENCE_MS);
    const rows = await listRows(synced.api, synced.datagrid);
    expect(rows).toHaveLength(ROWS);
    expect(isDeepStrictEqual(await read(String(name)), rows)).toBe(true);
  }

  it('reports a full disk and a directory without rights of Parquet files, and continues', async () => {
    // Lines are written in parts, and files are compressed.
    fileDisk.resize(TINY_MIB);
    const settings = { storage: 'directory', directory: 'lake' };
    const body = { type: 'parquet', settings, intervalSeconds: 300 };
    const synced = await newSynced(ROWS, body);
    const { name } = await tableOf(synced);
    const account = `${fileDisk.directory}/${synced.account}`;
    const read = async (): Promise<Json[] | null> => {
      const rows = await readParquetTable(`${account}/lake/${String(name)}`);
      return (
        rows?.map(({ _id: id, _revision: revision, ...values }) => ({ id, revision, values })) ??
        null
      );
    };
    await expectFailureThenRows(synced, fileDisk, read);

    // The directory loses its rights while a row changes.
    const isWorking = (): boolean => readdirSync(account).some((each) => each.startsWith('.work-'));
    await eventually(() => !isWorking(), PATIENCE_MS);
    fileDisk.setReadOnly(true);
    dataOf(await synced.api.patch(`${synced.datagrid}/rows/1`, { values: { note: 'new' } }), 200);
    const connection = synced.tables.replace(/\/tables$/, '');
    dataOf(await synced.api.patch(connection, { intervalSeconds: 301 }), 200);
    const { lastError } = await eventually(async () => {
      const table = await tableOf(synced);
      return table.lastError !== null && table;
    }, PATIENCE_MS);
    expect(lastError).toMatch(/^The (directory of the files|work directory) cannot be/);
    fileDisk.setReadOnly(false);
    const rows = await listRows(synced.api, synced.datagrid);
    await eventually(async () => isDeepStrictEqual(await read(), rows), PATIENCE_MS);
    // The next test begins with a full disk, too.
    fileDisk.resize(SMALL_MIB);
  });

  it('reports a full disk of a DuckDB file, and continues once there is space', async () => {
    const synced = await newSynced(ROWS, { type: 'duckdb', settings: { file: 'small' } });
    const file = `${fileDisk.directory}/${synced.account}/small.duckdb`;
    await expectFailureThenRows(synced, fileDisk, async (table) => {
      const rows = await readTable(file, table);
      return (
        rows?.map(({ _id: id, _revision: revision, ...values }) => ({ id, revision, values })) ??
        null
      );
    });
  });

  it('reports a full disk of a PostgreSQL database, and continues once there is space', async () => {
    const { rows } = await warehouse.sql.query<{ data_directory: string }>('SHOW data_directory');
    const location = `${tableDisk.directory}/tablespace`;
    execFileSync('mkdir', [location]);
    execFileSync('chown', [`--reference=${String(rows[0]?.data_directory)}`, location]);
    const create = `CREATE TABLESPACE small LOCATION '${location}'`;
    await withClient(postgres.url, (client) => client.query(create));
    const small = await Warehouse.on(postgres.url, 'small');
    try {
      await small.sql.query('ALTER DATABASE small SET default_tablespace = small');
      const settings = small.settings('sales');
      const body = { type: 'postgresql', settings, secret: small.password };
      const synced = await newSynced(ROWS, body);
      await expectFailureThenRows(synced, tableDisk, (table) => small.read('sales', table));
    } finally {
      await small.close();
    }
  });
});
