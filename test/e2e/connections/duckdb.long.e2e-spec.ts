import { once } from 'node:events';
import { DuckDBInstance } from '@duckdb/node-api';
import { workFileOf } from '../../../src/destinations/duckdb/duckdb-publication';
import { isDeepStrictEqual } from 'node:util';
import {
  createFiles,
  holdFile,
  inFile,
  readTable,
  type TestFiles,
} from '../../connections/duckdb-files';
import type { Json } from '../../support/api-client';
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

// A sync that failed is tried again after a pause, which becomes longer with each failure.
const PATIENCE_MS = 60_000;
jest.setTimeout(3 * PATIENCE_MS);

let files: TestFiles;
let app: TestApp;
let owner: Member;
let serial = 0;

beforeAll(async () => {
  files = await createFiles();
  app = await TestApp.start({
    settings: {
      CONNECTION_FILES_DIR: files.directory,
      // A busy machine takes seconds to start a process.
      connectionTestTimeoutSeconds: 60,
    },
  });
  owner = await app.newAccount();
});

afterAll(async () => {
  await app.close();
  await files.remove();
});

/** A datagrid with a connection that syncs it to the only table of a file of its own. */
interface Synced {
  readonly datagrid: string;
  readonly connection: string;
  readonly connectionId: string;
  /** Path of the file. */
  readonly file: string;
  /** Name of the table in the file. */
  readonly table: string;
}

async function newSynced(body: object = {}): Promise<Synced> {
  serial += 1;
  const name = `file_${String(serial)}`;
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
  await create(datagrid, 20);
  const connections = `/workspaces/${workspace}/connections`;
  const settings = { file: name };
  const created = await owner.api.post(connections, { name, type: 'duckdb', settings, ...body });
  const connectionId = String(dataOf(created, 201).id);
  const connection = `${connections}/${connectionId}`;
  const [{ name: table }] = dataOf(await owner.api.get(`${connection}/tables`), 200);
  return {
    datagrid,
    connection,
    connectionId,
    file: files.path(owner.accountId, name),
    table: String(table),
  };
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

/** Returns the rows of the file as `{ id, revision, values }`; `null` without the table. */
async function read({ file, table }: Synced): Promise<Json[] | null> {
  // A copy that was made during a change may be incomplete.
  const rows = await readTable(file, table).catch(unreadable);
  if (rows === null) return null;
  return rows.map(({ _id: id, _revision: revision, ...values }) => ({
    id,
    revision,
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
  }));
}

/** Waits until the file has the rows of the datagrid. */
async function expectInStep(synced: Synced): Promise<void> {
  const isEqual = async (): Promise<boolean> =>
    isDeepStrictEqual(await read(synced), await listRows(owner.api, synced.datagrid));
  // The comparison below shows the difference.
  await eventually(isEqual, PATIENCE_MS).catch(() => undefined);
  expect(await read(synced)).toEqual(await listRows(owner.api, synced.datagrid));
}

/** Returns the only table of the connection, as the API describes it. */
async function tableOf({ connection }: Synced): Promise<Json> {
  return dataOf(await owner.api.get(`${connection}/tables`), 200)[0];
}

/** Waits until the service has closed the file. */
async function closed({ connectionId }: Synced): Promise<void> {
  await eventually(async () => {
    const { rows } = await app.sql.query(
      'SELECT FROM connection_tables WHERE connection_id = $1 AND leased_until > now()',
      [connectionId],
    );
    return rows.length === 0;
  });
}

/** Returns the types of the columns of the table by name, without those of the service. */
async function typesOf(synced: Synced): Promise<Readonly<Record<string, string>>> {
  await closed(synced);
  return eventually(() =>
    inFile(synced.file, async (connection) => {
      const result = await connection.runAndReadAll(
        `SELECT column_name, data_type FROM duckdb_columns()
         WHERE table_name = ? AND NOT starts_with(column_name, '_')`,
        [synced.table],
      );
      return Object.fromEntries(result.getRowsJson() as [string, string][]);
    }).catch(() => undefined),
  );
}

describe('a connection to a DuckDB file', () => {
  it('loads all rows, and follows every change', async () => {
    const synced = await newSynced();
    const { datagrid } = synced;
    await expectInStep(synced);
    const [first = 0, second = 0] = await create(datagrid, 300);
    await owner.api.patch(`${datagrid}/rows/${String(first)}`, {
      values: { name: null, price: '12345678901234567890.000000000000000001' },
    });
    expect((await owner.api.delete(`${datagrid}/rows/${String(second)}`)).status).toBe(204);
    await expectInStep(synced);
    const total = await eventually(() =>
      inFile(synced.file, async (connection) => {
        const result = await connection.runAndReadAll(`SELECT count(*)::INT FROM ${synced.table}`);
        return result.getRowsJson()[0]?.[0] ?? undefined;
      }).catch(() => undefined),
    );
    expect(total).toBe(319);
    expect(await tableOf(synced)).toMatchObject({ status: 'synced', lastError: null });
  });

  it('gets a table for each datagrid of its workspace, also for one that is created later', async () => {
    const synced = await newSynced();
    const workspace = synced.connection.split('/connections')[0] ?? '';
    const grid = { name: 'Orders', columns: COLUMNS };
    const { id } = dataOf(await owner.api.post(`${workspace}/datagrids`, grid), 201);
    const datagrid = `/datagrids/${String(id)}`;
    await create(datagrid, 2);
    await expectInStep(synced);
    await expectInStep({ ...synced, datagrid, table: 'orders' });
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
    expect(await typesOf(synced)).toEqual({
      price: 'VARCHAR',
      details: 'JSON',
      extra: 'BOOLEAN',
      name: 'BIGINT',
      count: 'DOUBLE',
      day: 'VARCHAR',
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
    const marked = await eventually(async () => {
      const row = (await read(synced))?.find(({ id }) => id === 1);
      return row?.values._deleted_at === true && row;
    });
    expect(marked).toEqual({
      ...before?.[0],
      revision: 2,
      values: { ...before?.[0]?.values, _deleted_at: true },
    });
    expect((await read(synced))?.slice(1)).toEqual(before?.slice(1));
  });

  it('keeps the versions of rows, with deletions history, also when the table is loaded again', async () => {
    const synced = await newSynced({ deletions: 'history' });
    const { datagrid, connection, file, table } = synced;
    await expectInStep(synced);
    const versionsOf = async (id: number): Promise<readonly Json[]> => {
      const rows: readonly Json[] = (await readTable(file, table, true).catch(() => null)) ?? [];
      return rows
        .filter((row) => row._id === id)
        .sort((one, other) => one._revision - other._revision);
    };
    const [loaded] = await versionsOf(1);
    expect(loaded).toMatchObject({ _revision: 1, name: 'Name "0"', _valid_to: null });
    await owner.api.patch(`${datagrid}/rows/1`, { values: { name: 'changed' } });
    const changed = await eventually(async () => {
      const versions = await versionsOf(1);
      return versions.length === 2 && versions;
    });
    // The first version ends when the second one begins.
    expect(changed).toEqual([
      { ...loaded, _valid_to: changed[1]?._synced_at },
      { ...loaded, _revision: 2, name: 'changed', _synced_at: changed[1]?._synced_at },
    ]);
    expect((await owner.api.delete(`${datagrid}/rows/2`)).status).toBe(204);
    const deleted = await eventually(async () => {
      const versions = await versionsOf(2);
      return versions[0]?._valid_to !== null && versions;
    });
    expect(deleted).toMatchObject([{ _revision: 1, _valid_to: expect.any(String) }]);
    const before = await readTable(file, table, true);
    const path = `${connection}/tables/${datagrid.slice('/datagrids/'.length)}`;
    for (const request of ['reset', 'check']) {
      expect((await owner.api.post(`${path}/${request}`)).status).toBe(204);
      await eventually(async () => {
        const { request: left, status } = await tableOf(synced);
        return left === null && status === 'synced';
      });
    }
    expect(await tableOf(synced)).toMatchObject({ differentRows: 0 });
    const order = (rows: readonly Json[] | null): Json[] =>
      [...(rows ?? [])].sort(
        (one, other) => one._id - other._id || one._revision - other._revision,
      );
    expect(order(await readTable(file, table, true))).toEqual(order(before));
  });

  it('is never locked for readers that have it open, and they do not stop its sync', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    const before = dataOf(await owner.api.get(`${synced.connection}/runs`), 200) as Json[];
    const reader = await DuckDBInstance.create(synced.file, { access_mode: 'READ_ONLY' });
    // Each of these changes is published while the one before it is read.
    for (let n = 1; n <= 3; n += 1) {
      await create(synced.datagrid, 1);
      await expectInStep(synced);
      // Another process, as this one has the file open.
      const holder = await holdFile(synced.file, 'READ_ONLY');
      holder.kill('SIGKILL');
    }
    const connection = await reader.connect();
    const result = await connection.runAndReadAll(`SELECT count(*)::INT FROM ${synced.table}`);
    expect(result.getRowsJson()).toEqual([[20]]);
    connection.closeSync();
    reader.closeSync();
    const runs = dataOf(await owner.api.get(`${synced.connection}/runs`), 200) as Json[];
    expect(before.concat(runs).filter(({ error }) => error !== null)).toEqual([]);
  });

  it('says that the file is open in another program, and goes on once it is closed', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await closed(synced);
    const holder = await eventually(() => holdFile(workFileOf(synced.file)).catch(() => undefined));
    const message =
      'The file is open in another program. Close it there; the sync then continues by itself.';
    try {
      await create(synced.datagrid, 1);
      const failed = await eventually(async () => {
        const table = await tableOf(synced);
        return table.lastError !== null && table;
      });
      expect(failed).toMatchObject({ status: 'failing', lastError: message });
      const tested = dataOf(await owner.api.post(`${synced.connection}/test`), 200);
      expect(tested).toEqual({ ok: false, error: message });
    } finally {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
    }
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).status === 'synced');
    expect(await tableOf(synced)).toMatchObject({ lastError: null });
  });
});
