import { isDeepStrictEqual } from 'node:util';
import type { TargetColumn } from '../../../src/destinations/destination';
import { CatalogProxy } from '../../connections/catalog-proxy';
import { csv } from '../../connections/contract-lines';
import { destinationFor, readTable } from '../../connections/iceberg-tables';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { describeWithIceberg, IcebergServer } from '../../support/iceberg/iceberg-server';
import { type Member, TestApp } from '../../support/test-app';
import { listRows, unreadable } from './warehouse';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'price', type: 'decimal' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'done', type: 'boolean' },
  { key: 'details', type: 'json' },
];
const INTERVAL_SECONDS = 3_600;
const PATIENCE_MS = 60_000;

/** The server and its reader are processes of Java and Python. */
jest.setTimeout(180_000);

describeWithIceberg('a connection to Apache Iceberg', () => {
  let server: IcebergServer;
  let app: TestApp;
  let owner: Member;
  let interval = INTERVAL_SECONDS;

  beforeAll(async () => {
    server = await IcebergServer.start();
    app = await TestApp.shared();
    owner = await app.newAccount();
  });

  afterAll(async () => {
    await app.close();
    await server.close();
  });

  interface Synced {
    readonly datagrid: string;
    readonly connection: string;
    /** Path of the table in the API. */
    readonly path: string;
    readonly table: string;
  }

  const secretOf = (catalog?: string): string =>
    JSON.stringify({ s3: server.secretAccessKey, catalog });

  /** Creates a datagrid with a connection that is not enabled. */
  async function newConnection(name: string, body: object = {}): Promise<Synced> {
    const workspace = await newWorkspace(owner.api);
    const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    await create(datagrid, 20);
    const connections = `/workspaces/${workspace}/connections`;
    const created = await owner.api.post(connections, {
      ...{ name: 'Lake', type: 'iceberg', settings: server.settings, secret: secretOf() },
      ...{ intervalSeconds: INTERVAL_SECONDS, enabled: false },
      ...body,
    });
    const connection = `${connections}/${String(dataOf(created, 201).id)}`;
    expect(JSON.stringify(created.body)).not.toContain(server.secretAccessKey);
    const path = `${connection}/tables/${datagrid.slice('/datagrids/'.length)}`;
    dataOf(await owner.api.patch(path, { name }), 200);
    return { datagrid, connection, path, table: name };
  }

  /** Creates a datagrid with a connection that has passed its test and copies it. */
  async function newSynced(name: string, body: object = {}): Promise<Synced> {
    const synced = await newConnection(name, body);
    expect(dataOf(await owner.api.post(`${synced.connection}/test`), 200)).toEqual({
      ok: true,
      error: null,
    });
    dataOf(await owner.api.patch(synced.connection, { enabled: true }), 200);
    return synced;
  }

  async function create(datagrid: string, count: number, values: Json = {}): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => ({
      values: {
        name: `It's "${String(n)}" \\n ünï 😀 `,
        count: n,
        price: `${String(n)}.5`,
        day: '2026-11-21',
        at: '2026-11-21T09:30:00.120Z',
        done: n % 2 === 0,
        details: { n, list: [1.5, null, 'a,\n'] },
        ...values,
      },
    }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  }

  const tableOf = async ({ connection }: Synced): Promise<Json> =>
    (dataOf(await owner.api.get(`${connection}/tables`), 200) as [Json])[0];

  /** Lets the next run begin at once, as a connection that changes does. */
  async function syncNow({ connection }: Synced): Promise<void> {
    interval += 1;
    dataOf(await owner.api.patch(connection, { intervalSeconds: interval }), 200);
  }

  /** Waits until the next run has failed. */
  async function expectError(synced: Synced, message: string): Promise<void> {
    const error = await eventually(
      async () => ((await tableOf(synced)).lastError as string | null) ?? false,
      PATIENCE_MS,
      100,
    );
    expect(error).toContain(message);
  }

  /** Returns the rows of the table as `{ id, revision, values }`; `null` without the table. */
  async function read(table: string): Promise<Json[] | null> {
    const rows = await readTable(server, table);
    return (
      rows?.map(({ _id: id, _revision: revision, ...values }) => {
        const present = Object.entries(values).filter(([, value]) => value !== null);
        return { id, revision, values: Object.fromEntries(present) };
      }) ?? null
    );
  }

  /** Waits until the table has the rows of the datagrid. */
  async function expectInStep(synced: Synced): Promise<void> {
    const { datagrid, table } = synced;
    const isEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(await read(table).catch(unreadable), await listRows(owner.api, datagrid));
    // The comparison below shows the difference.
    await eventually(isEqual, PATIENCE_MS, 100).catch(() => undefined);
    expect(await read(table)).toEqual(await listRows(owner.api, datagrid));
  }

  it('loads all rows, and follows every change', async () => {
    const synced = await newSynced('followed');
    const { datagrid } = synced;
    await expectInStep(synced);
    await create(datagrid, 200);
    await owner.api.patch(`${datagrid}/rows/3`, {
      values: { name: null, price: '12345678901234567890.000000000000000001' },
    });
    expect((await owner.api.delete(`${datagrid}/rows/4`)).status).toBe(204);
    await syncNow(synced);
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).lagSeconds === 0);
    expect(await tableOf(synced)).toMatchObject({ status: 'synced', lastError: null });
    // One snapshot for the load, and one for the changes.
    expect((await server.describe(synced.table)).history).toHaveLength(2);
  });

  it('adds, removes and replaces columns with those of the datagrid', async () => {
    const synced = await newSynced('altered');
    await expectInStep(synced);
    const columns = `${synced.datagrid}/columns`;
    dataOf(await owner.api.post(columns, { key: 'extra', type: 'boolean' }), 201);
    await create(synced.datagrid, 2, { extra: true });
    await syncNow(synced);
    await expectInStep(synced);
    expect((await owner.api.delete(`${columns}/name`)).status).toBe(204);
    dataOf(await owner.api.post(columns, { key: 'name', type: 'integer' }), 201);
    await owner.api.patch(`${synced.datagrid}/rows/1`, { values: { name: 7 } });
    dataOf(await owner.api.patch(`${columns}/count`, { type: 'number' }), 200);
    dataOf(await owner.api.patch(`${columns}/at`, { type: 'text' }), 200);
    await owner.api.patch(`${synced.datagrid}/rows/2`, { values: { count: 0.25, at: 'someday' } });
    await syncNow(synced);
    await expectInStep(synced);
    const { columns: types } = await server.describe(synced.table);
    expect(types).toMatchObject({ name: 'long', count: 'double', at: 'string', extra: 'boolean' });
  });

  it('keeps and marks the rows that are deleted, with deletions mark, also if it is loaded again', async () => {
    const synced = await newSynced('marked', { deletions: 'mark' });
    await expectInStep(synced);
    expect((await owner.api.delete(`${synced.datagrid}/rows/1`)).status).toBe(204);
    await syncNow(synced);
    await eventually(
      async () => (await read(synced.table))?.[0]?.values._deleted_at === true,
      PATIENCE_MS,
      100,
    );
    const before = await read(synced.table);
    await create(synced.datagrid, 1);
    expect((await owner.api.post(`${synced.path}/reset`)).status).toBe(204);
    await eventually(async () => (await read(synced.table))?.length === 21, PATIENCE_MS, 100);
    expect((await read(synced.table))?.slice(0, 20)).toEqual(before);
  });

  it('keeps the versions of rows, with deletions history, also when the table is loaded again', async () => {
    const synced = await newSynced('versions', { deletions: 'history' });
    await expectInStep(synced);
    dataOf(await owner.api.patch(`${synced.datagrid}/rows/1`, { values: { count: 99 } }), 200);
    expect((await owner.api.delete(`${synced.datagrid}/rows/2`)).status).toBe(204);
    const versions = async (): Promise<unknown[]> =>
      ((await readTable(server, synced.table, true)) ?? [])
        .filter(({ _id: id }) => Number(id) <= 2)
        .map(({ _id: id, count, _valid_to: end }) => [id, count, end === null])
        .sort();
    const expected = [
      [1, 0, false],
      [1, 99, true],
      [2, 1, false],
    ];
    await syncNow(synced);
    await eventually(async () => isDeepStrictEqual(await versions(), expected), PATIENCE_MS, 100);
    const { history } = await server.describe(synced.table);
    expect((await owner.api.post(`${synced.path}/reset`)).status).toBe(204);
    await eventually(
      async () => (await server.describe(synced.table)).history.length > history.length,
      PATIENCE_MS,
      100,
    );
    expect(await versions()).toEqual(expected);
  });

  it('finds rows that are different, and repairs them', async () => {
    const synced = await newSynced('repaired');
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).status === 'synced');
    await changeBehindItsBack(synced);
    expect((await owner.api.post(`${synced.path}/check`)).status).toBe(204);
    const checked = await eventually(
      async () => {
        const table = await tableOf(synced);
        return table.checkedAt !== null && table;
      },
      PATIENCE_MS,
      100,
    );
    expect(checked).toMatchObject({ differentRows: 2, lastError: null });
    expect((await read(synced.table))?.length).toBe(19);
    expect((await owner.api.post(`${synced.path}/repair`)).status).toBe(204);
    await expectInStep(synced);
  });

  /** Deletes a row and changes another one, in commits that look like those of a sync. */
  async function changeBehindItsBack({ table }: Synced): Promise<void> {
    const { properties } = await server.describe(table);
    const id = String(properties['datagrid.table']);
    const writer = await destinationFor(server).open({ id, name: table, deletions: 'delete' });
    try {
      const state = await writer.claim(Number(properties['datagrid.token']) + 1);
      const { columns } = JSON.parse(String(state)) as { columns: TargetColumn[] };
      const nothing = columns.map(() => null);
      const lines = [
        ['3', '1000000', 'true', ...nothing],
        ['5', '1000000', 'false', ...nothing],
      ];
      await writer.merge(columns, csv(lines), String(state));
    } finally {
      await writer.close();
    }
  }

  it('loads a table again that was dropped, or that somebody else has written to', async () => {
    const synced = await newSynced('foreign');
    await expectInStep(synced);
    await server.ask('append', synced.table);
    await create(synced.datagrid, 1);
    await syncNow(synced);
    await expectInStep(synced);
    await server.ask('drop', synced.table);
    await create(synced.datagrid, 1);
    await syncNow(synced);
    await expectInStep(synced);
  });

  it('says that the catalog rejects the credentials, and goes on once they are corrected', async () => {
    const proxy = await CatalogProxy.start(server.catalogPort);
    try {
      proxy.bearerToken = 'right';
      const settings = { ...server.settings, uri: proxy.uri, auth: 'token' };
      const synced = await newConnection('secured', { settings, secret: secretOf('wrong') });
      const message = 'The catalog rejected the credentials. Correct them. (status 401)';
      const test = dataOf(await owner.api.post(`${synced.connection}/test`), 200);
      expect([test.ok, test.error]).toEqual([false, expect.stringContaining(message)]);
      dataOf(await owner.api.patch(synced.connection, { enabled: true }), 200);
      await expectError(synced, message);
      expect(await tableOf(synced)).toMatchObject({ status: 'failing' });
      dataOf(await owner.api.patch(synced.connection, { secret: secretOf('right') }), 200);
      await expectInStep(synced);
      await eventually(async () => (await tableOf(synced)).lastError === null);
    } finally {
      await proxy.close();
    }
  });

  it('says that the catalog is unavailable, and continues when it is back', async () => {
    const synced = await newSynced('restarted');
    await expectInStep(synced);
    await server.stopCatalog();
    await create(synced.datagrid, 5);
    await syncNow(synced);
    await expectError(synced, 'The host of the catalog rejects connections at this port.');
    await server.startCatalog();
    // It is tried again by itself.
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).lastError === null);
  });

  it('says that the namespace has another table with its name, and takes another name', async () => {
    await server.ask('create', 'taken');
    const synced = await newConnection('taken');
    dataOf(await owner.api.patch(synced.connection, { enabled: true }), 200);
    await expectError(
      synced,
      'The namespace has a table or view "taken" that this connection did not create.',
    );
    dataOf(await owner.api.patch(synced.path, { name: 'free' }), 200);
    await syncNow(synced);
    await expectInStep({ ...synced, table: 'free' });
    expect(await server.ask('read', 'taken')).toEqual([{ id: 1 }]);
  });
});
