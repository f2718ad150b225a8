import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readParquetTable } from '../../connections/parquet-files';
import { fail, StrictS3Server } from '../../connections/strict-s3-server';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { ALLOW_LOCAL } from './warehouse';

/** Rows of a first load that is several parts. */
const ROWS = 15_000;
const ROWS_PER_CALL = 1_000;
const PATIENCE_MS = 50_000;

jest.setTimeout(120_000);

let server: StrictS3Server;
let directory: string;
let app: TestApp;

beforeAll(async () => {
  server = await StrictS3Server.start();
  directory = await mkdtemp(join(tmpdir(), 'parquet-rights-'));
  app = await TestApp.start({ settings: { ...ALLOW_LOCAL, CONNECTION_FILES_DIR: directory } });
});

afterAll(async () => {
  await app.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

interface Synced {
  readonly owner: Member;
  readonly datagrid: string;
  readonly connection: string;
  readonly name: string;
}

async function newSynced(target: Json, rows: number): Promise<Synced> {
  const owner = await app.newAccount();
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, [{ key: 'name', type: 'text' }], workspace);
  for (let n = 0; n < rows; n += ROWS_PER_CALL) {
    const part = Array.from({ length: Math.min(ROWS_PER_CALL, rows - n) }, (_, index) => ({
      values: { name: `n ${String(n + index)}` },
    }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows: part }), 201);
  }
  const connections = `/workspaces/${workspace}/connections`;
  const body = { name: 'Lake', type: 'parquet', intervalSeconds: 300, ...target };
  const { id } = dataOf(await owner.api.post(connections, body), 201);
  const connection = `${connections}/${String(id)}`;
  const [{ name }] = dataOf(await owner.api.get(`${connection}/tables`), 200);
  return { owner, datagrid, connection, name: String(name) };
}

const tableOf = async ({ owner, connection }: Synced): Promise<Json> =>
  dataOf(await owner.api.get(`${connection}/tables`), 200)[0];

const isSynced = async (synced: Synced): Promise<boolean> => {
  const { status, revision, datagridRevision } = await tableOf(synced);
  return status === 'synced' && revision === datagridRevision;
};

/** Returns the number of rows of the only table of the bucket, as its document says. */
const storedRows = (): unknown =>
  JSON.parse(server.objects.get(server.keyOf('_manifest.json'))?.toString() ?? '{}').rows;

describe('an access key of a bucket that loses its rights in the middle of a sync', () => {
  it('is named in the error, and the sync continues once it has them again', async () => {
    // The second file is denied: the load has begun.
    let files = 0;
    server.intercept = ({ method, key }, response) => {
      if (method !== 'PUT' || !key.endsWith('.parquet')) return false;
      files += 1;
      if (files < 2) return false;
      fail(response, 403, 'AccessDenied');
      return true;
    };
    const target = { settings: server.settings, secret: server.secretAccessKey };
    const synced = await newSynced(target, ROWS);
    const failed = await eventually(async () => {
      const table = await tableOf(synced);
      return table.lastError !== null && table;
    }, PATIENCE_MS);
    expect(failed).toMatchObject({
      status: 'failing',
      lastError: expect.stringMatching(/^The access key lacks a right\. Allow s3:GetObject/),
    });

    // Another account notices nothing.
    const settings = { storage: 'directory', directory: 'lake' };
    const other = await newSynced({ settings }, 10);
    await eventually(() => isSynced(other), PATIENCE_MS);
    const path = join(directory, other.owner.accountId, 'lake', other.name);
    await expect(readParquetTable(path)).resolves.toHaveLength(10);
    expect((await tableOf(synced)).status).toBe('failing');

    server.intercept = () => false;
    // It would be repeated after half a minute.
    await app.sql.query(
      'UPDATE connection_tables SET next_run_at = now() - make_interval(secs => 1) WHERE failures > 0',
    );
    await eventually(() => isSynced(synced), PATIENCE_MS);
    expect(storedRows()).toBe(ROWS);
    expect((await tableOf(synced)).lastError).toBeNull();

    // Rights to read are lost while rows change.
    server.intercept = ({ method, key }, response) => {
      if (method !== 'GET' || !key.endsWith('.parquet')) return false;
      fail(response, 403, 'AccessDenied');
      return true;
    };
    const change = { rows: [{ values: { name: 'new' } }] };
    dataOf(await synced.owner.api.post(`${synced.datagrid}/rows`, change), 201);
    dataOf(await synced.owner.api.patch(synced.connection, { intervalSeconds: 301 }), 200);
    await eventually(async () => (await tableOf(synced)).status === 'failing', PATIENCE_MS);
    expect(storedRows()).toBe(ROWS);
    server.intercept = () => false;
    await app.sql.query(
      'UPDATE connection_tables SET next_run_at = now() - make_interval(secs => 1) WHERE failures > 0',
    );
    await eventually(() => isSynced(synced), PATIENCE_MS);
    expect(storedRows()).toBe(ROWS + 1);
  });
});
