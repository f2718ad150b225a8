import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inFile } from '../../connections/duckdb-files';
import { readParquetTable } from '../../connections/parquet-files';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
];

let directory: string;
let app: TestApp;
let owner: Member;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parquet-e2e-'));
  app = await TestApp.start({ settings: { CONNECTION_FILES_DIR: directory } });
  owner = await app.newAccount();
});

afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

const BODY = {
  name: 'Lake',
  type: 'parquet',
  settings: { storage: 'directory', directory: 'lake' },
  intervalSeconds: 300,
};

/** A datagrid with ten rows and a connection. */
async function newSynced(): Promise<{ datagrid: string; connection: string; table: string }> {
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
  const rows = Array.from({ length: 10 }, (_, n) => ({
    values: { name: `n ${String(n)}`, count: n },
  }));
  dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  const connections = `/workspaces/${workspace}/connections`;
  const { id } = dataOf(await owner.api.post(connections, BODY), 201);
  const connection = `${connections}/${String(id)}`;
  const [{ name }] = dataOf(await owner.api.get(`${connection}/tables`), 200);
  return { datagrid, connection, table: join(directory, owner.accountId, 'lake', String(name)) };
}

/** Waits until the table has all changes. The interval does not count if the connection changes. */
async function sync(connection: string, intervalSeconds: number): Promise<void> {
  dataOf(await owner.api.patch(connection, { intervalSeconds }), 200);
  await eventually(async () => {
    const [table] = dataOf(await owner.api.get(`${connection}/tables`), 200) as Json[];
    if (table?.lastError != null) throw new Error(String(table.lastError));
    return table?.status === 'synced' && table.revision === table.datagridRevision;
  });
}

/** Returns a code block of the documentation for a table. */
async function documented(language: string, table: string): Promise<string> {
  const text = await readFile(join(__dirname, '../../../docs/connections/parquet.md'), 'utf8');
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text) ?? [];
  return block.replaceAll('.data/connections/<account>/lake/airports', table);
}

describe('a connection to Parquet files', () => {
  it('follows changes and columns, and is read as the documentation shows', async () => {
    const { datagrid, connection, table } = await newSynced();
    await sync(connection, 301);
    await expect(readParquetTable(table)).resolves.toHaveLength(10);

    const [first, second] = dataOf(await owner.api.get(`${datagrid}/rows?limit=2`), 200) as Json[];
    dataOf(
      await owner.api.patch(`${datagrid}/rows/${String(first?.id)}`, { values: { name: 'x' } }),
      200,
    );
    await owner.api.delete(`${datagrid}/rows/${String(second?.id)}`);
    const column = { key: 'state', type: 'text' };
    dataOf(await owner.api.post(`${datagrid}/columns`, column), 201);
    const rows = ['CA', 'CA', 'NY'].map((state) => ({ values: { name: 'new', state } }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
    await sync(connection, 302);
    const read = (await readParquetTable(table)) ?? [];
    expect(read).toHaveLength(12);
    expect(read[0]).toMatchObject({ _id: first?.id, name: 'x', count: 0, state: null });

    const states = await inFile(':memory:', async (reader) => {
      const [set = '', select = ''] = (await documented('sql', table)).split(';');
      await reader.run(set);
      return (await reader.runAndReadAll(select)).getRowObjectsJson();
    });
    expect(states).toEqual([
      { state: null, airports: '9' },
      { state: 'CA', airports: '2' },
      { state: 'NY', airports: '1' },
    ]);
  });

  it('finds rows that are different, and repairs them', async () => {
    const { connection, table } = await newSynced();
    await sync(connection, 301);
    const [name = ''] = (await readdir(table)).filter((each) => each.endsWith('.parquet'));
    await rm(join(table, name));
    await owner.api.post(`${connection}/tables/${await datagridOf(connection)}/reset`);
    await eventually(async () => (await readParquetTable(table).catch(() => null))?.length === 10);
    // A reset that has not ended yet includes a check.
    const isReset = 'SELECT FROM connection_tables WHERE connection_id = $1 AND request IS NULL';
    const id = connection.split('/').at(-1);
    await eventually(async () => (await app.sql.query(isReset, [id])).rowCount === 1);
    await owner.api.post(`${connection}/tables/${await datagridOf(connection)}/check`);
    await eventually(async () => {
      const [found] = dataOf(await owner.api.get(`${connection}/tables`), 200) as Json[];
      return found?.differentRows === 0;
    });
  });

  it('requires an interval of five minutes', async () => {
    const workspace = await newWorkspace(owner.api);
    const route = `/workspaces/${workspace}/connections`;
    for (const intervalSeconds of [60, 299]) {
      const failed = await owner.api.post(route, { ...BODY, intervalSeconds });
      expectFailure(failed, 'invalid_request', ['intervalSeconds out_of_range']);
      expect(failed.body.error.details[0].message).toBe('must be at least 300 with this type');
    }
    const required = ['intervalSeconds required'];
    for (const intervalSeconds of [null, undefined]) {
      const failed = await owner.api.post(route, { ...BODY, intervalSeconds });
      expectFailure(failed, 'invalid_request', required);
      expect(failed.body.error.details[0].message).toBe('is required with this type; at least 300');
    }
    const { id } = dataOf(await owner.api.post(route, BODY), 201);
    const path = `${route}/${String(id)}`;
    expectFailure(
      await owner.api.patch(path, { intervalSeconds: null }),
      'invalid_request',
      required,
    );
    dataOf(await owner.api.patch(path, { intervalSeconds: 600 }), 200);
  });

  it.each([
    [{ storage: 'directory' }, 'settings.directory required'],
    [{ storage: 'directory', directory: '../other' }, 'settings.directory invalid_format'],
    [{ storage: 'directory', directory: '_work-1' }, 'settings.directory invalid_format'],
    [{ storage: 'disk', directory: 'lake' }, 'settings.storage invalid_format'],
    [s3({ bucket: 'A/b' }), 'settings.bucket invalid_format'],
    [s3({ region: 'eu.central' }), 'settings.region invalid_format'],
    [s3({ endpoint: 'https://user@s3.example.com' }), 'settings.endpoint invalid_format'],
    [s3({ endpoint: 'https://s3.example.com/path' }), 'settings.endpoint invalid_format'],
    [s3({ endpoint: 'ftp://s3.example.com' }), 'settings.endpoint invalid_format'],
    [s3({ prefix: 'a/../b' }), 'settings.prefix invalid_format'],
    [s3({ prefix: '/a' }), 'settings.prefix invalid_format'],
    [s3({ prefix: 'a/' }), 'settings.prefix invalid_format'],
    [s3({ accessKeyId: 'a b' }), 'settings.accessKeyId invalid_format'],
    [s3({ secretAccessKey: 'a' }), 'settings.secretAccessKey unknown_property'],
  ])('rejects the settings %j', async (settings, detail) => {
    const workspace = await newWorkspace(owner.api);
    const body = { ...BODY, settings };
    const failed = await owner.api.post(`/workspaces/${workspace}/connections`, body);
    expectFailure(failed, 'invalid_request', [detail]);
  });
});

function s3(settings: Json): Json {
  return { storage: 's3', bucket: 'lake', region: 'eu-1', accessKeyId: 'AKIA', ...settings };
}

async function datagridOf(connection: string): Promise<string> {
  const [table] = dataOf(await owner.api.get(`${connection}/tables`), 200) as Json[];
  return String(table?.datagridId);
}
