import { RetentionService } from '../../../src/retention/retention.service';
import { SyncService } from '../../../src/connections/sync/sync.service';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'integer' },
];

let app: TestApp;
let team: Team;
let workspaceId: string;
let datagrid: string;
let id: string;
/** Path of a connection for the datagrid. */
let connection: string;
/** Path of its table. */
let table: string;

beforeAll(async () => {
  app = await TestApp.start({ kinds: { postgresql: new FakeKind(true) } });
  // They would change what a test stores of their tables.
  await app.stop(SyncService);
  team = await newTeam(app);
});

beforeEach(async () => {
  const { api } = team.owner;
  workspaceId = await newWorkspace(api);
  datagrid = await newDatagrid(api, COLUMNS, workspaceId);
  id = datagrid.slice('/datagrids/'.length);
  const route = `/workspaces/${workspaceId}/connections`;
  const body = { name: 'Warehouse', type: 'postgresql', settings: FAKE_SETTINGS };
  connection = `${route}/${String(dataOf(await api.post(route, body), 201).id)}`;
  table = `${connection}/tables/${id}`;
});

afterAll(() => app.close());

const connectionId = (): string => connection.slice(connection.lastIndexOf('/') + 1);

/** Changes what the worker stores of the table. */
async function store(state: string): Promise<void> {
  const sql = `UPDATE connection_tables SET ${state} WHERE connection_id = $1`;
  await app.sql.query(sql, [connectionId()]);
}

async function shown(): Promise<Record<string, unknown>> {
  const [first] = dataOf(await team.owner.api.get(`${connection}/tables`), 200);
  return first as Record<string, unknown>;
}

interface Stored {
  readonly request: string | null;
  readonly columnIds: number[] | null;
  readonly token: number;
  readonly failures: number;
  readonly isDue: boolean;
}

async function stored(): Promise<Stored | undefined> {
  const { rows } = await app.sql.query<Stored>(
    `SELECT request, column_ids AS "columnIds", token::int, failures,
       next_run_at <= now() AS "isDue" FROM connection_tables WHERE connection_id = $1`,
    [connectionId()],
  );
  return rows[0];
}

describe('the tables of a connection', () => {
  it('are listed with their progress', async () => {
    const { api } = team.admin;
    expect((await api.get(`${connection}/tables`)).body).toEqual({
      data: [
        {
          datagridId: id,
          name: expect.stringMatching(/^fixture_\d+$/),
          columns: null,
          destinationColumns: [],
          status: 'waiting',
          loadedRows: null,
          totalRows: null,
          revision: null,
          datagridRevision: 0,
          syncedAt: null,
          lagSeconds: null,
          lastError: null,
          lastErrorAt: null,
          checkedAt: null,
          differentRows: null,
          request: null,
        },
      ],
      meta: { total: 1, page: 1, pageSize: 1, totalPages: 1 },
    });
    const next = (await api.get(`${connection}/tables?page=2&limit=1`)).body;
    expect(next).toEqual({ data: [], meta: { total: 1, page: 2, pageSize: 0, totalPages: 1 } });
  });

  it('show the names, types and state of their columns in the destination, also after a rename', async () => {
    const columns = [
      { id: 1, name: 'a', type: 'text', state: 'complete' },
      { id: 2, name: 'b', type: 'integer', state: 'filling' },
      { id: 9, name: 'gone', type: 'date', state: 'complete' },
      { id: null, name: '_datagrid_unused_1_b', type: 'text', state: 'unused' },
    ];
    await store(`destination_columns = '${JSON.stringify(columns)}'`);
    dataOf(await team.owner.api.patch(`${datagrid}/columns/b`, { key: 'size' }), 200);
    expect((await shown())['destinationColumns']).toEqual([
      { key: 'a', name: 'a', type: 'text', state: 'complete' },
      { key: 'size', name: 'b', type: 'integer', state: 'filling' },
      { key: null, name: 'gone', type: 'date', state: 'complete' },
      { key: null, name: '_datagrid_unused_1_b', type: 'text', state: 'unused' },
    ]);
  });

  it('show how many rows are loaded, of how many', async () => {
    const rows = [{ values: {} }, { values: {} }, { values: {} }];
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { rows }), 201);
    await store('loaded_rows = 2');
    expect(await shown()).toMatchObject({ status: 'loading', loadedRows: 2, totalRows: 3 });
  });

  it('show for how long the destination has lacked changes', async () => {
    await store("revision = 0, synced_at = now() - interval '1 hour'");
    expect(await shown()).toMatchObject({ status: 'synced', revision: 0, lagSeconds: 0 });
    const { api } = team.owner;
    for (let n = 0; n < 2; n += 1) {
      dataOf(await api.post(`${datagrid}/rows`, { values: {} }), 201);
    }
    const behind = await shown();
    expect(behind).toMatchObject({ status: 'synced', revision: 0, datagridRevision: 2 });
    expect(behind['lagSeconds']).toBeLessThan(60);
    const older = `UPDATE datagrid_changes SET at = now() - interval '90 seconds'
      WHERE datagrid_id = $1 AND revision = 1`;
    await app.sql.query(older, [id]);
    const lag = (await shown())['lagSeconds'];
    expect(lag).toBeGreaterThanOrEqual(90);
    expect(lag).toBeLessThan(600);
    // The log has expired.
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [id]);
    expect((await shown())['lagSeconds']).toBeGreaterThanOrEqual(3_600);
  });

  it('return lagSeconds null until the first load is complete', async () => {
    await store('revision = 0, loaded_rows = 0');
    const first = { status: 'loading', revision: 0, datagridRevision: 0, lagSeconds: null };
    expect(await shown()).toMatchObject(first);
    await store("loaded_rows = NULL, synced_at = now() - interval '1 hour'");
    expect(await shown()).toMatchObject({ status: 'synced', lagSeconds: 0 });
  });

  it('count the lag of a later load from the time at which the destination had all changes', async () => {
    await store("revision = 0, loaded_rows = 0, synced_at = now() - interval '1 hour'");
    expect((await shown())['lagSeconds']).toBeGreaterThanOrEqual(3_600);
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { values: {} }), 201);
    expect((await shown())['lagSeconds']).toBeGreaterThanOrEqual(3_600);
  });

  it('show the last error, and the last check', async () => {
    await store(
      `revision = 0, failures = 1, last_error = 'a', last_error_at = '2026-01-01T00:00:00Z',
       checked_at = '2026-01-01T00:00:01Z', different_rows = 5`,
    );
    expect(await shown()).toMatchObject({
      status: 'failing',
      lastError: 'a',
      lastErrorAt: '2026-01-01T00:00:00.000Z',
      checkedAt: '2026-01-01T00:00:01.000Z',
      differentRows: 5,
    });
    dataOf(await team.owner.api.patch(connection, { enabled: false }), 200);
    expect((await shown())['status']).toBe('paused');
  });

  it('are not found while their datagrid is in the trash, and come back with it', async () => {
    const { api } = team.owner;
    await store('revision = 0');
    await api.delete(datagrid);
    expect((await api.get(`${connection}/tables`)).body.data).toEqual([]);
    const failed = await api.post(`${table}/reset`);
    expectFailure(failed, 'not_found');
    expect(failed.body.error.message).toBe('Table not found.');
    expectFailure(await api.patch(table, { columns: null }), 'not_found');
    dataOf(await api.post(`/trash/${id}/restore`), 200);
    expect(await shown()).toMatchObject({ datagridId: id, revision: 0 });
  });

  it('return 404 for another datagrid, and for another connection', async () => {
    const { api } = team.owner;
    const other = await newDatagrid(api, [], workspaceId);
    for (const path of [
      `${connection}/tables/${other.slice('/datagrids/'.length)}`,
      table.replace(connectionId(), NO_ID),
      table.replace(workspaceId, await newWorkspace(api)),
    ]) {
      expectFailure(await api.patch(path, { columns: null }), 'not_found');
      for (const request of ['reset', 'check', 'repair']) {
        expectFailure(await api.post(`${path}/${request}`), 'not_found');
      }
    }
  });
});

describe('a change of a table', () => {
  it('names it before its first load', async () => {
    const { api } = team.owner;
    expect(dataOf(await api.patch(table, { name: 'peaks_2026' }), 200).name).toBe('peaks_2026');
    expect(await shown()).toMatchObject({ name: 'peaks_2026', request: null });
    await store('revision = 0');
    dataOf(await api.patch(table, { name: 'peaks_2026' }), 200);
    const failed = await api.patch(table, { name: 'other' });
    expectFailure(failed, 'conflict');
    expect(failed.body.error.message).toBe(
      'The table can no longer be renamed, because its first load has begun.',
    );
    expect((await shown())['name']).toBe('peaks_2026');
  });

  it('returns 409 for the name of another table', async () => {
    const { api } = team.owner;
    await newDatagrid(api, [], workspaceId);
    dataOf(await api.patch(connection, { datagridIds: null }), 200);
    const tables = dataOf(await api.get(`${connection}/tables`), 200) as { name: string }[];
    const name = tables[1]?.name;
    expectFailure(await api.patch(table, { name }), 'conflict', ['name duplicate']);
  });

  it.each([
    [{ name: 'Peaks' }, 'name invalid_format'],
    [{ name: '_datagrid_sync' }, 'name invalid_format'],
    [{ name: 'a"b' }, 'name invalid_format'],
    [{ name: 'a'.repeat(51) }, 'name invalid_format'],
    [{ name: null }, 'name invalid_format'],
    [{ columns: [] }, 'columns invalid_format'],
    [{ columns: ['a', 'a'] }, 'columns invalid_format'],
    [{ columns: [1] }, 'columns invalid_format'],
    [{ columns: ['a', 'c'] }, 'columns.1 unknown_column'],
    [{ status: 'synced' }, 'status unknown_property'],
  ])('rejects %j', async (body, detail) => {
    expectFailure(await team.owner.api.patch(table, body), 'invalid_request', [detail]);
  });

  it('chooses columns by key, and is due now without a reset', async () => {
    const { api } = team.owner;
    await store("revision = 0, next_run_at = now() + interval '1 hour', failures = 3");
    const changed = dataOf(await api.patch(table, { columns: ['b', 'a'] }), 200);
    expect(changed).toMatchObject({ columns: ['a', 'b'], status: 'synced', request: null });
    expect(await stored()).toMatchObject({ columnIds: [1, 2], failures: 0, isDue: true, token: 1 });
    await store("next_run_at = now() + interval '1 hour'");
    // The same columns in another order.
    dataOf(await api.patch(table, { columns: ['a', 'b'] }), 200);
    expect(await stored()).toMatchObject({ isDue: false, token: 1 });
    expect((await api.delete(`${datagrid}/columns/a`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'a', type: 'text' }), 201);
    expect((await shown())['columns']).toEqual(['b']);
    const all = dataOf(await api.patch(table, { columns: null }), 200);
    expect(all).toMatchObject({ columns: null, request: null });
    expect(await stored()).toMatchObject({ columnIds: null, isDue: true, token: 2 });
  });
});

describe('a request for a table', () => {
  it.each(['reset', 'check', 'repair'])('to %s it is due now', async (request) => {
    const { api } = team.owner;
    await store(
      `revision = 0, token = 4, next_run_at = now() + interval '1 hour', failures = 3,
       leased_until = now() + interval '1 hour'`,
    );
    expect((await api.post(`${table}/${request}`)).status).toBe(204);
    expect(await stored()).toMatchObject({ request, failures: 0, isDue: true, token: 5 });
    expect(await shown()).toMatchObject({ request, status: 'synced' });
  });

  it.each([
    ['reset', 'check', 'reset'],
    ['reset', 'repair', 'reset'],
    ['repair', 'check', 'repair'],
    ['check', 'repair', 'repair'],
    ['check', 'reset', 'reset'],
    ['repair', 'reset', 'reset'],
  ])('to %s it and then to %s it remains one to %s it', async (first, second, remaining) => {
    const { api } = team.owner;
    await api.post(`${table}/${first}`);
    await api.post(`${table}/${second}`);
    expect((await stored())?.request).toBe(remaining);
  });

  it('leaves an event in the audit log if it changes the destination', async () => {
    const { api } = team.owner;
    await api.post(`${table}/reset`);
    await api.post(`${table}/repair`);
    await api.post(`${table}/check`);
    await api.patch(table, { columns: ['a'] });
    const { rows } = await app.sql.query(
      `SELECT action, target_name AS name, details FROM audit_events
       WHERE target_id = $1 ORDER BY id OFFSET 1`,
      [connectionId()],
    );
    expect(rows).toEqual([
      { action: 'connection_table_reset', name: 'Warehouse', details: { datagridId: id } },
      { action: 'connection_table_repaired', name: 'Warehouse', details: { datagridId: id } },
      {
        action: 'connection_table_updated',
        name: 'Warehouse',
        details: { datagridId: id, properties: 'columns' },
      },
    ]);
  });
});

describe('the runs of a connection', () => {
  it('are listed newest first, of all datagrids or of one', async () => {
    const { api } = team.owner;
    const runIds = [1, 2, 3].map((n) => `019aa2f4-0000-7000-8000-00000000000${String(n)}`);
    const datagridIds = [id, NO_ID, id];
    for (const [index, runId] of runIds.entries()) {
      await app.sql.query(
        `INSERT INTO connection_runs (connection_id, id, datagrid_id, started_at, ended_at, rows,
           bytes, revision, error)
         VALUES ($1, $2, $3, '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', 9, 100, $4, $5)`,
        [connectionId(), runId, datagridIds[index], index || null, index === 1 ? 'failed' : null],
      );
    }
    const run = (index: number): object => ({
      id: runIds[index],
      datagridId: datagridIds[index],
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:01.000Z',
      rows: 9,
      bytes: 100,
      revision: index === 0 ? null : index,
      error: index === 1 ? 'failed' : null,
    });
    expect((await api.get(`${connection}/runs?limit=2`)).body).toEqual({
      data: [run(2), run(1)],
      meta: { total: 3, page: 1, pageSize: 2, totalPages: 2 },
    });
    const ofOne = await api.get(`${connection}/runs?datagridId=${id.toUpperCase()}`);
    expect(ofOne.body.data).toEqual([run(2), run(0)]);
    expect((await api.get(`${connection}/runs?datagridId=${workspaceId}`)).body.data).toEqual([]);
  });

  it('are deleted after CONNECTION_RUN_RETENTION_DAYS', async () => {
    for (const [n, age] of ['29 days', '31 days'].entries()) {
      await app.sql.query(
        `INSERT INTO connection_runs (connection_id, id, datagrid_id, started_at, ended_at, rows, bytes)
         VALUES ($1, $2, $3, now() - $4::interval, now() - $4::interval, 1, 1)`,
        [connectionId(), `019aa2f4-0000-7000-8000-00000000000${String(n)}`, id, age],
      );
    }
    await app.nest.get(RetentionService).runOnce();
    const { data } = (await team.owner.api.get(`${connection}/runs`)).body;
    expect(data).toMatchObject([{ id: '019aa2f4-0000-7000-8000-000000000000' }]);
  });

  it('return 400 for a malformed datagrid', async () => {
    const { api } = team.owner;
    for (const query of ['datagridId=x', 'datagridId=']) {
      const failed = await api.get(`${connection}/runs?${query}`);
      expectFailure(failed, 'invalid_request', ['datagridId invalid_format']);
    }
  });

  it('return 404 for another connection', async () => {
    const { api } = team.owner;
    expectFailure(await api.get(`${connection.replace(connectionId(), NO_ID)}/runs`), 'not_found');
  });
});
