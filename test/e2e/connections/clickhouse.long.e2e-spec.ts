import { isDeepStrictEqual } from 'node:util';
import { readTable } from '../../connections/clickhouse-server';
import type { Json } from '../../support/api-client';
import {
  ClickhouseEngine,
  describeWithClickhouse,
} from '../../support/clickhouse/clickhouse-engine';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { listRows, unreadable } from './warehouse';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'price', type: 'decimal' },
  { key: 'day', type: 'date' },
  { key: 'details', type: 'json' },
];

/** The engine is slow on a busy machine. */
const PATIENCE_MS = 50_000;

jest.setTimeout(180_000);

describeWithClickhouse('a connection to ClickHouse', () => {
  let engine: ClickhouseEngine;
  let app: TestApp;
  let owner: Member;
  let serial = 0;

  beforeAll(async () => {
    engine = await ClickhouseEngine.start();
    app = await TestApp.shared();
    owner = await app.newAccount();
  });

  afterAll(async () => {
    await app.close();
    await engine.close();
  });

  /** A datagrid with a connection that syncs it to the only table of a database of its own. */
  interface Synced {
    readonly datagrid: string;
    readonly connection: string;
    readonly database: string;
    /** Name of the table in the database. */
    readonly table: string;
  }

  async function newSynced(body: object = {}): Promise<Synced> {
    serial += 1;
    const database = `database_${String(serial)}`;
    await engine.query(`CREATE DATABASE ${database}`);
    const workspace = await newWorkspace(owner.api);
    const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    await create(datagrid, 20);
    const { port, user, password: secret } = engine;
    const settings = { host: '127.0.0.1', port, database, user, tls: false };
    const connections = `/workspaces/${workspace}/connections`;
    const created = { name: 'Warehouse', type: 'clickhouse', settings, secret, ...body };
    const { id } = dataOf(await owner.api.post(connections, created), 201);
    const connection = `${connections}/${String(id)}`;
    const [{ name: table }] = dataOf(await owner.api.get(`${connection}/tables`), 200);
    return { datagrid, connection, database, table: String(table) };
  }

  async function create(datagrid: string, count: number, values: Json = {}): Promise<number[]> {
    const rows = Array.from({ length: count }, (_, n) => ({
      values: {
        name: `Name "${String(n)}"`,
        count: n,
        price: `${String(n)}.5`,
        day: '2026-11-21',
        details: { n, list: [1.5, null] },
        ...values,
      },
    }));
    const created = dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201) as Json[];
    return created.map(({ id }) => id);
  }

  /** Returns the rows of the table as `{ id, revision, values }`; `null` without the table. */
  async function read({ table, database }: Synced): Promise<Json[] | null> {
    const rows = await readTable(engine, table, database);
    if (rows === null) return null;
    return rows.map(({ _id: id, _revision: revision, ...values }) => ({
      id,
      revision,
      values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    }));
  }

  /** Waits until the table has the rows of the datagrid. */
  async function expectInStep(synced: Synced): Promise<void> {
    const isEqual = async (): Promise<boolean> => {
      // The engine runs one statement at a time, and each one of the test delays the sync.
      if ((await tableOf(synced)).lagSeconds !== 0) return false;
      const stored = await read(synced).catch(unreadable);
      return isDeepStrictEqual(stored, await listRows(owner.api, synced.datagrid));
    };
    // The comparison below shows the difference.
    await eventually(isEqual, PATIENCE_MS).catch(() => undefined);
    expect(await read(synced)).toEqual(await listRows(owner.api, synced.datagrid));
  }

  /** Returns the only table of the connection, as the API describes it. */
  async function tableOf({ connection }: Synced): Promise<Json> {
    return dataOf(await owner.api.get(`${connection}/tables`), 200)[0];
  }

  const expectSynced = (synced: Synced): Promise<unknown> =>
    eventually(async () => {
      const { status, lastError } = await tableOf(synced);
      return status === 'synced' && lastError === null;
    });

  it('loads all rows, and then follows every change', async () => {
    const synced = await newSynced();
    const { datagrid } = synced;
    await expectInStep(synced);
    const [first = 0, second = 0] = await create(datagrid, 300);
    await owner.api.patch(`${datagrid}/rows/${String(first)}`, {
      values: { name: null, price: '12345678901234567890.000000000000000001' },
    });
    expect((await owner.api.delete(`${datagrid}/rows/${String(second)}`)).status).toBe(204);
    await expectInStep(synced);
    expect(await read(synced)).toHaveLength(319);
    await expectSynced(synced);
  });

  it('adds, removes and replaces columns with those of the datagrid', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    const columns = `${synced.datagrid}/columns`;
    dataOf(await owner.api.post(columns, { key: 'extra', type: 'boolean' }), 201);
    await create(synced.datagrid, 2, { extra: true });
    await expectInStep(synced);
    expect((await owner.api.delete(`${columns}/name`)).status).toBe(204);
    dataOf(await owner.api.post(columns, { key: 'name', type: 'integer' }), 201);
    await owner.api.patch(`${synced.datagrid}/rows/1`, { values: { name: 7 } });
    dataOf(await owner.api.patch(`${columns}/count`, { type: 'number' }), 200);
    dataOf(await owner.api.patch(`${columns}/day`, { type: 'text' }), 200);
    await owner.api.patch(`${synced.datagrid}/rows/2`, { values: { count: 0.25, day: 'someday' } });
    await expectInStep(synced);
    const types = await engine.query(`
      SELECT name, type FROM system.columns
      WHERE database = '${synced.database}' AND table = '${synced.table}' AND NOT startsWith(name, '_')`);
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toEqual({
      price: 'Nullable(Decimal(76, 18))',
      details: 'Nullable(String)',
      extra: 'Nullable(Bool)',
      name: 'Nullable(Int64)',
      count: 'Nullable(Float64)',
      day: 'Nullable(String)',
    });
  });

  it('deletes the rows that are deleted', async () => {
    const synced = await newSynced({ deletions: 'delete' });
    await expectInStep(synced);
    await owner.api.post(`${synced.datagrid}/rows/delete`, { filter: { count: { $lt: 5 } } });
    await expectInStep(synced);
    expect(await read(synced)).toHaveLength(15);
  });

  it('keeps and marks the rows that are deleted, with deletions mark', async () => {
    const synced = await newSynced({ deletions: 'mark' });
    await expectInStep(synced);
    const before = await read(synced);
    expect((await owner.api.delete(`${synced.datagrid}/rows/1`)).status).toBe(204);
    await eventually(async () => (await read(synced))?.[0]?.values._deleted_at === true);
    const marked = { ...before?.[0]?.values, _deleted_at: true };
    expect(await read(synced)).toEqual([
      { id: 1, revision: 2, values: marked },
      ...(before?.slice(1) ?? []),
    ]);
  });

  it('finds rows that are different, and repairs them', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    const [data] = await engine.query(`
      SELECT name FROM system.tables
      WHERE database = '${synced.database}' AND name LIKE '\\_datagrid\\_%' AND name != '_datagrid_sync'`);
    const table = `${synced.database}.${String(data?.['name'])}`;
    await engine.query(`DELETE FROM ${table} WHERE _id IN (3, 4)`);
    const { datagridId } = await tableOf(synced);
    const path = `${synced.connection}/tables/${String(datagridId)}`;
    expect((await owner.api.post(`${path}/repair`)).status).toBe(204);
    const repaired = await eventually(async () => {
      const { request, ...rest } = await tableOf(synced);
      return request === null && rest;
    });
    expect(repaired).toMatchObject({ differentRows: 2, lastError: null });
    await expectInStep(synced);
  });

  it('says that the password is wrong, and goes on once it is corrected', async () => {
    const synced = await newSynced({ secret: 'wrong' });
    const message = /^The database rejected the user or the password\. Correct them\. ClickHouse: /;
    const lastError = await eventually(async () => (await tableOf(synced)).lastError ?? undefined);
    expect(lastError).toMatch(message);
    const tested = dataOf(await owner.api.post(`${synced.connection}/test`), 200);
    expect(tested).toEqual({ ok: false, error: expect.stringMatching(message) });
    dataOf(await owner.api.patch(synced.connection, { secret: engine.password }), 200);
    await expectInStep(synced);
    await expectSynced(synced);
    const again = dataOf(await owner.api.post(`${synced.connection}/test`), 200);
    expect(again).toEqual({ ok: true, error: null });
  });

  it('goes on when the server is back that was killed', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await engine.kill();
    try {
      await create(synced.datagrid, 5);
      await eventually(async () => (await tableOf(synced)).status === 'failing');
    } finally {
      await engine.restart();
    }
    await expectInStep(synced);
    await expectSynced(synced);
  });
});
