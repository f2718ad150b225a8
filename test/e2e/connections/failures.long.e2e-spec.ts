import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { ALLOW_LOCAL, expectEqual, listRows, Warehouse } from './warehouse';

const COLUMNS = [{ key: 'name', type: 'text' }];
/** More tables than the service syncs at a time. */
const TABLES = 6;
/** With them, the tables of two accounts take minutes if each takes `SLOW_MS`. */
const MANY_TABLES = 40;
const SLOW_MS = 4_000;

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({ settings: { ...ALLOW_LOCAL, MAX_CONCURRENT_SYNCS: '2' } });
});

afterAll(() => app.close());

interface Synced {
  readonly owner: Member;
  readonly datagrids: readonly string[];
  readonly connection: string;
}

/** Creates an account with datagrids, and a connection that syncs all of them to a database. */
async function newSynced(settings: Json, secret: string | null, count: number): Promise<Synced> {
  const owner = await app.newAccount();
  const workspace = await newWorkspace(owner.api);
  const datagrids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    dataOf(await owner.api.post(`${datagrid}/rows`, { values: { name: 'First' } }), 201);
    datagrids.push(datagrid);
  }
  const connections = `/workspaces/${workspace}/connections`;
  const body = { name: 'Warehouse', type: 'postgresql', settings, secret };
  const { id } = dataOf(await owner.api.post(connections, body), 201);
  return { owner, datagrids, connection: `${connections}/${String(id)}` };
}

async function tablesOf({ owner, connection }: Synced): Promise<Json[]> {
  return dataOf(await owner.api.get(`${connection}/tables`), 200) as Json[];
}

/** Returns the number of syncs in progress of an account. */
async function countRunning({ owner }: Synced): Promise<number> {
  const { rows } = await app.sql.query(
    `SELECT FROM connection_tables t JOIN connections c ON c.id = t.connection_id
    WHERE c.account_id = $1 AND t.leased_until > now()`,
    [owner.accountId],
  );
  return rows.length;
}

/** Waits until the only datagrid of a connection is in its warehouse. */
async function expectInStep(warehouse: Warehouse, synced: Synced): Promise<void> {
  const [[datagrid = ''], [{ name }]] = [synced.datagrids, (await tablesOf(synced)) as [Json]];
  await expectEqual(warehouse, 'own', name, () => listRows(synced.owner.api, datagrid));
}

it('a user who loses rights in the destination is told so, and the sync goes on once they are back', async () => {
  const warehouse = await Warehouse.start();
  const { database } = warehouse.settings('own');
  try {
    const synced = await newSynced(warehouse.settings('own'), warehouse.password, 1);
    await expectInStep(warehouse, synced);
    const lesser = `lesser_${String(database)}`;
    await warehouse.sql.query(`CREATE ROLE "${lesser}"`);
    await warehouse.sql.query(`ALTER DATABASE "${String(database)}" SET role = '${lesser}'`);
    warehouse.bridge.breakAll();
    const [datagrid = ''] = synced.datagrids;
    dataOf(await synced.owner.api.post(`${datagrid}/rows`, { values: { name: 'Later' } }), 201);
    const lastError = await eventually(async () => {
      const [table] = await tablesOf(synced);
      return /right/.test(table.lastError ?? '') && String(table.lastError);
    });
    expect(lastError).toMatch(/^The user lacks a right\. Grant USAGE and CREATE on the schema/);
    await warehouse.sql.query(`ALTER DATABASE "${String(database)}" RESET role`);
    await warehouse.sql.query(`DROP ROLE "${lesser}"`);
    // A change of the connection ends the wait of 30 seconds.
    const change = { intervalSeconds: null };
    dataOf(await synced.owner.api.patch(synced.connection, change), 200);
    await expectInStep(warehouse, synced);
  } finally {
    await warehouse.close();
  }
});

it('destinations of one account that never respond delay no sync of another account', async () => {
  const working = await Warehouse.start();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  try {
    const hostile = await newSynced({ ...working.settings('own'), port }, null, TABLES);
    await eventually(async () => (await countRunning(hostile)) === 1);
    const synced = await newSynced(working.settings('own'), working.password, 1);
    await expectInStep(working, synced);
    const [datagrid = ''] = synced.datagrids;
    for (const name of ['Second', 'Third']) {
      dataOf(await synced.owner.api.post(`${datagrid}/rows`, { values: { name } }), 201);
      await expectInStep(working, synced);
    }
    expect((await tablesOf(hostile)).some(({ syncedAt }) => syncedAt !== null)).toBe(false);
  } finally {
    silent.close();
    for (const socket of sockets) socket.destroy();
    await working.close();
  }
});

it('slow destinations of two accounts with many tables that are due leave a third account its turn', async () => {
  const working = await Warehouse.start();
  const slow = createServer((socket) => {
    socket.on('error', () => undefined);
    setTimeout(() => socket.destroy(), SLOW_MS);
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { port } = slow.address() as AddressInfo;
  try {
    const settings = { ...working.settings('own'), port };
    const hostile = [
      await newSynced(settings, null, MANY_TABLES),
      await newSynced(settings, null, MANY_TABLES),
    ];
    await eventually(async () => {
      const counts = await Promise.all(hostile.map(countRunning));
      return counts.every((count) => count > 0);
    });
    const synced = await newSynced(working.settings('own'), working.password, 1);
    await expectInStep(working, synced);
    // Tables of the others still wait for their first turn.
    for (const each of hostile) {
      const waiting = (await tablesOf(each)).filter(({ lastError }) => lastError === null);
      expect(waiting.length).toBeGreaterThan(0);
    }
  } finally {
    slow.close();
    await working.close();
  }
});
