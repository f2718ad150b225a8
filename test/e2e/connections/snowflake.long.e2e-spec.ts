import { isDeepStrictEqual } from 'node:util';
import { readTable, withSession } from '../../connections/snowflake-server';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import {
  describeWithSnowflake,
  SnowflakeEmulator,
} from '../../support/snowflake/snowflake-emulator';
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

describeWithSnowflake('a connection to Snowflake', () => {
  let emulator: SnowflakeEmulator;
  let app: TestApp;
  let owner: Member;
  let datagrid: string;
  let connection: string;

  beforeAll(async () => {
    emulator = await SnowflakeEmulator.start();
    app = await TestApp.shared();
    owner = await app.newAccount();
  });

  afterAll(async () => {
    await app.close();
    await emulator.stop();
  });

  const settings = (more: Json = {}): Json => ({
    account: 'myorg-myaccount',
    user: emulator.user,
    warehouse: 'WH',
    database: emulator.database,
    schema: emulator.schema,
    url: `http://127.0.0.1:${String(emulator.port)}`,
    ...more,
  });

  async function create(count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => ({
      values: {
        name: `It's "${String(n)}" \\n ünï 😀 `,
        count: n,
        price: `${String(n)}.5`,
        day: '2026-11-21',
        at: '2026-11-21T09:30:00.120Z',
        done: n % 2 === 0,
        details: { n, list: [1.5, null, 'a,\n'] },
      },
    }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  }

  /** Returns the rows of the table as `{ id, revision, values }`; `null` without the table. */
  async function read(): Promise<Json[] | null> {
    const rows = await withSession(emulator, (session) => readTable(session, 'followed'));
    if (rows === null) return null;
    return rows.map(({ _id: id, _revision: revision, details, ...values }) => {
      const json: unknown = typeof details === 'string' ? JSON.parse(details) : null;
      const all = Object.entries({ ...values, details: json });
      return {
        id,
        revision,
        values: Object.fromEntries(all.filter(([, value]) => value !== null)),
      };
    });
  }

  async function expectInStep(): Promise<void> {
    const isEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(await read().catch(unreadable), await listRows(owner.api, datagrid));
    // The comparison below shows the difference.
    await eventually(isEqual).catch(() => undefined);
    expect(await read()).toEqual(await listRows(owner.api, datagrid));
  }

  it('tests each way to authenticate, and says what is wrong', async () => {
    const workspace = await newWorkspace(owner.api);
    const test = async (authentication: string, secret: string, more: Json = {}): Promise<Json> => {
      const body = { type: 'snowflake', secret, settings: settings({ authentication, ...more }) };
      return dataOf(await owner.api.post(`/workspaces/${workspace}/connections/test`, body), 200);
    };
    const { privateKey, token, password } = emulator;
    const passed = { ok: true, error: null };
    expect(await test('keyPair', privateKey)).toEqual(passed);
    expect(await test('token', token)).toEqual(passed);
    expect(await test('password', password)).toEqual(passed);
    expect((await test('password', 'wrong')).error).toMatch(/^Snowflake rejected the user/);
    expect((await test('token', 'wrong')).error).toMatch(/^Snowflake rejected the user/);
    const { privateKey: other } = SnowflakeEmulator.newKeys();
    expect((await test('keyPair', other)).error).toMatch(/^Snowflake rejected the private key/);
    expect((await test('keyPair', privateKey, { database: 'NONE' })).error).toMatch(
      /^The database or the schema does not exist/,
    );
  });

  it('loads all rows, and follows every change', async () => {
    const workspace = await newWorkspace(owner.api);
    datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
    await create(20);
    const connections = `/workspaces/${workspace}/connections`;
    const created = await owner.api.post(connections, {
      ...{ name: 'Warehouse', type: 'snowflake', enabled: false },
      ...{ settings: settings(), secret: emulator.privateKey },
    });
    connection = `${connections}/${String(dataOf(created, 201).id)}`;
    expect(JSON.stringify(created.body)).not.toContain('PRIVATE KEY');
    const path = `${connection}/tables/${datagrid.slice('/datagrids/'.length)}`;
    dataOf(await owner.api.patch(path, { name: 'followed' }), 200);
    dataOf(await owner.api.patch(connection, { enabled: true }), 200);
    await expectInStep();
    await create(300);
    await owner.api.patch(`${datagrid}/rows/3`, { values: { name: null, count: 7 } });
    expect((await owner.api.delete(`${datagrid}/rows/4`)).status).toBe(204);
    await expectInStep();
    const [table] = dataOf(await owner.api.get(`${connection}/tables`), 200) as Json[];
    expect(table).toMatchObject({ status: 'synced', lastError: null });
  });

  it('adds, removes and replaces columns with those of the datagrid', async () => {
    const columns = `${datagrid}/columns`;
    dataOf(await owner.api.post(columns, { key: 'extra', type: 'boolean' }), 201);
    expect((await owner.api.delete(`${columns}/name`)).status).toBe(204);
    dataOf(await owner.api.post(columns, { key: 'name', type: 'integer' }), 201);
    dataOf(await owner.api.patch(`${columns}/count`, { type: 'number' }), 200);
    await owner.api.patch(`${datagrid}/rows/1`, { values: { name: 7, count: 0.25, extra: true } });
    await expectInStep();
  });
});
