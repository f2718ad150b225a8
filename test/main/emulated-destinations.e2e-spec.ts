import { isDeepStrictEqual } from 'node:util';
import { SyncRepository } from '../../src/connections/sync/sync.repository';
import type { ReadRow } from '../connections/contract-tables';
import { readTable as readIceberg } from '../connections/iceberg-tables';
import { readTable as readSnowflake, withSession } from '../connections/snowflake-server';
import { ALLOW_LOCAL } from '../e2e/connections/warehouse';
import type { Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { describeWithIceberg, IcebergServer } from '../support/iceberg/iceberg-server';
import { describeWithSnowflake, SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { type Member, TestApp } from '../support/test-app';
import { ServiceProcess } from './service-process';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
];
const ROWS = 50;
const PATIENCE_MS = 60_000;
const INTERVAL_SECONDS = 300;

// Servers and the program take their time to start.
jest.setTimeout(180_000);

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  // Only the built program syncs.
  const { claims } = app.nest.get(SyncRepository, { strict: false });
  jest.spyOn(claims, 'listDue').mockResolvedValue([]);
  owner = await app.newAccount();
  await ServiceProcess.ready({
    ...ALLOW_LOCAL,
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
  });
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

/** Copies rows and then a change, and expects both in the table. */
async function expectSynced(
  target: Json,
  read: (table: string) => Promise<readonly ReadRow[] | null>,
): Promise<void> {
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    values: { name: `row ${String(n)}`, count: n },
  }));
  dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  const connections = `/workspaces/${workspace}/connections`;
  const body = { name: 'Warehouse', ...target, intervalSeconds: INTERVAL_SECONDS };
  const { id } = dataOf(await owner.api.post(connections, body), 201);
  const connection = `${connections}/${String(id)}`;
  const [{ name: table }] = dataOf(await owner.api.get(`${connection}/tables`), 200) as [
    { name: string },
  ];
  const countsOf = async (): Promise<unknown> => (await read(table))?.map(({ count }) => count);
  const stateOf = async (): Promise<Json> =>
    (dataOf(await owner.api.get(`${connection}/tables`), 200) as [Json])[0];
  const expectCounts = async (counts: readonly number[]): Promise<void> => {
    // A change of the connection ends a run, and the emulator would keep its transaction open.
    const isDone = async (): Promise<boolean> =>
      (await stateOf()).syncedAt !== null && isDeepStrictEqual(await countsOf(), counts);
    // The comparison below shows the difference.
    await eventually(isDone, PATIENCE_MS, 250).catch(() => undefined);
    const { lastError, syncedAt } = await stateOf();
    expect([lastError, await countsOf()]).toEqual([null, counts]);
    expect(syncedAt).not.toBeNull();
  };
  const counts = rows.map(({ values }) => values.count);
  await expectCounts(counts);
  dataOf(await owner.api.patch(`${datagrid}/rows/1`, { values: { count: 1_000 } }), 200);
  // A change of the connection ends its wait.
  dataOf(await owner.api.patch(connection, { intervalSeconds: INTERVAL_SECONDS + 1 }), 200);
  await expectCounts([1_000, ...counts.slice(1)]);
}

describeWithIceberg('the built service', () => {
  it('copies rows and changes to Apache Iceberg', async () => {
    const server = await IcebergServer.start();
    try {
      const secret = JSON.stringify({ s3: server.secretAccessKey });
      await expectSynced({ type: 'iceberg', settings: server.settings, secret }, (table) =>
        readIceberg(server, table),
      );
    } finally {
      await server.close();
    }
  });
});

describeWithSnowflake('the built service', () => {
  it('copies rows and changes to Snowflake', async () => {
    const emulator = await SnowflakeEmulator.start();
    const { user, database, schema, port, privateKey: secret } = emulator;
    const settings = {
      ...{ account: 'myorg-myaccount', user, warehouse: 'WH', database, schema },
      url: `http://127.0.0.1:${String(port)}`,
    };
    try {
      await expectSynced({ type: 'snowflake', settings, secret }, (table) =>
        withSession(emulator, (session) => readSnowflake(session, table)),
      );
    } finally {
      await emulator.stop();
    }
  });
});
