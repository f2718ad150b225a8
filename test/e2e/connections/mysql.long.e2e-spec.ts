import { isDeepStrictEqual } from 'node:util';
import type { RowDataPacket } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { quoted, readTable } from '../../connections/mysql-server';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { describeMariadb, MariadbServer } from '../../support/mariadb-server';
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

describeMariadb('a connection to MariaDB', () => {
  let server: MariadbServer;
  let reader: Connection;
  let app: TestApp;
  let owner: Member;

  beforeAll(async () => {
    server = await MariadbServer.start();
    reader = await server.connect();
    app = await TestApp.shared();
    owner = await app.newAccount();
  });

  afterAll(async () => {
    await app.close();
    reader.destroy();
    await server.remove();
  });

  interface Synced {
    readonly datagrid: string;
    readonly connection: string;
    /** Path of the table in the API. */
    readonly path: string;
    readonly table: string;
  }

  /** Creates a datagrid with a connection that syncs it to a table. */
  async function newSynced(name: string, body: object = {}): Promise<Synced> {
    const workspace = await newWorkspace(owner.api);
    const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    await create(datagrid, 20);
    const connections = `/workspaces/${workspace}/connections`;
    const { port, user, database, password } = server;
    const settings = { host: '127.0.0.1', port, user, database, tls: false };
    const created = await owner.api.post(connections, {
      ...{ name: 'Warehouse', type: 'mysql', settings, secret: password, enabled: false },
      ...body,
    });
    const connection = `${connections}/${String(dataOf(created, 201).id)}`;
    expect(JSON.stringify(created.body)).not.toContain('word');
    expect(dataOf(await owner.api.post(`${connection}/test`), 200)).toEqual({
      ok: true,
      error: null,
    });
    const path = `${connection}/tables/${datagrid.slice('/datagrids/'.length)}`;
    dataOf(await owner.api.patch(path, { name }), 200);
    dataOf(await owner.api.patch(connection, { enabled: true }), 200);
    return { datagrid, connection, path, table: name };
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

  /** Returns the rows of the table as `{ id, revision, values }`; `null` without the table. */
  async function read(table: string): Promise<Json[] | null> {
    const rows = await readTable(reader, table);
    if (rows === null) return null;
    return rows.map(({ _id: id, _revision: revision, price, details, ...values }) => {
      const exact = typeof price === 'string' ? price.replace(/\.?0+$/, '') : null;
      const json: unknown = typeof details === 'string' ? JSON.parse(details) : null;
      const all = { ...values, price: exact, details: json };
      const present = Object.entries(all).filter(([, value]) => value !== null);
      return { id, revision, values: Object.fromEntries(present) };
    });
  }

  /** Waits until the table has the rows of the datagrid. */
  async function expectInStep({ datagrid, table }: Synced): Promise<void> {
    const isEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(await read(table).catch(unreadable), await listRows(owner.api, datagrid));
    // The comparison below shows the difference.
    await eventually(isEqual).catch(() => undefined);
    expect(await read(table)).toEqual(await listRows(owner.api, datagrid));
  }

  it('loads all rows, and follows every change', async () => {
    const synced = await newSynced('followed');
    const { datagrid } = synced;
    await expectInStep(synced);
    await create(datagrid, 300);
    await owner.api.patch(`${datagrid}/rows/3`, {
      values: { name: null, price: '12345678901234567890.000000000000000001' },
    });
    expect((await owner.api.delete(`${datagrid}/rows/4`)).status).toBe(204);
    await expectInStep(synced);
    const [table] = dataOf(await owner.api.get(`${synced.connection}/tables`), 200) as Json[];
    expect(table).toMatchObject({ status: 'synced', lastError: null });
  });

  it('adds, removes and replaces columns with those of the datagrid', async () => {
    const synced = await newSynced('altered');
    await expectInStep(synced);
    const columns = `${synced.datagrid}/columns`;
    dataOf(await owner.api.post(columns, { key: 'extra', type: 'boolean' }), 201);
    await create(synced.datagrid, 2, { extra: true });
    await expectInStep(synced);
    expect((await owner.api.delete(`${columns}/name`)).status).toBe(204);
    dataOf(await owner.api.post(columns, { key: 'name', type: 'integer' }), 201);
    await owner.api.patch(`${synced.datagrid}/rows/1`, { values: { name: 7 } });
    dataOf(await owner.api.patch(`${columns}/count`, { type: 'number' }), 200);
    dataOf(await owner.api.patch(`${columns}/at`, { type: 'text' }), 200);
    await owner.api.patch(`${synced.datagrid}/rows/2`, { values: { count: 0.25, at: 'someday' } });
    await expectInStep(synced);
    const [types] = await reader.query<RowDataPacket[]>(
      `SELECT DATA_TYPE AS type FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'altered'
         AND COLUMN_NAME IN ('name', 'count', 'at') ORDER BY COLUMN_NAME`,
    );
    expect(types.map(({ type }) => String(type))).toEqual(['longtext', 'double', 'bigint']);
  });

  it('keeps and marks the rows that are deleted, with deletions mark, also if it is loaded again', async () => {
    const synced = await newSynced('marked', { deletions: 'mark' });
    await expectInStep(synced);
    expect((await owner.api.delete(`${synced.datagrid}/rows/1`)).status).toBe(204);
    const isMarked = async (): Promise<boolean> =>
      (await read(synced.table))?.[0]?.values._deleted_at === true;
    await eventually(isMarked);
    const before = await read(synced.table);
    const versionOf = async (): Promise<string> => {
      const [[found]] = await reader.query<RowDataPacket[]>(
        `SELECT TABLE_COMMENT AS text FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'marked'`,
      );
      return String(found?.['text']);
    };
    const first = await versionOf();
    expect((await owner.api.post(`${synced.path}/reset`)).status).toBe(204);
    await create(synced.datagrid, 1);
    await eventually(async () => (await versionOf()) !== first);
    await eventually(async () => (await read(synced.table))?.length === 21);
    expect((await read(synced.table))?.slice(0, 20)).toEqual(before);
  });

  it('finds rows that are different, and repairs them', async () => {
    const synced = await newSynced('repaired');
    await expectInStep(synced);
    await reader.query(`DELETE FROM ${quoted(synced.table)} WHERE _id < 4`);
    await reader.query(`UPDATE ${quoted(synced.table)} SET _revision = 0 WHERE _id = 9`);
    expect((await owner.api.post(`${synced.path}/repair`)).status).toBe(204);
    await expectInStep(synced);
  });

  it('goes on after the server was killed', async () => {
    const synced = await newSynced('restarted');
    await expectInStep(synced);
    reader.destroy();
    await server.restart();
    reader = await server.connect();
    await create(synced.datagrid, 5);
    // The connection that was lost ends the first run.
    dataOf(await owner.api.patch(synced.connection, { intervalSeconds: 60 }), 200);
    dataOf(await owner.api.patch(synced.connection, { intervalSeconds: null }), 200);
    await expectInStep(synced);
  });
});
