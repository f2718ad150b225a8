import { SyncService } from '../../../src/connections/sync/sync.service';
import type { ApiResponse } from '../../support/api-client';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  freshName,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  RFC3339,
  type Team,
  UUID_V7,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const NEW = { name: 'Warehouse', type: 'postgresql', settings: FAKE_SETTINGS };

let app: TestApp;
let team: Team;
let workspaceId: string;
let route: string;

beforeAll(async () => {
  app = await TestApp.start({
    kinds: { postgresql: new FakeKind(true), mysql: new FakeKind(true, ['delete', 'mark']) },
    settings: { MAX_CONNECTIONS_PER_ACCOUNT: '3', MAX_CONNECTION_TABLES_PER_ACCOUNT: '4' },
  });
  // They would change what a test stores of their tables.
  await app.stop(SyncService);
  team = await newTeam(app);
});

beforeEach(async () => {
  workspaceId = await newWorkspace(team.owner.api);
  route = `/workspaces/${workspaceId}/connections`;
});

// The account may have few connections.
afterEach(() => app.sql.query('DELETE FROM connections'));

afterAll(() => app.close());

const idOf = (datagrid: string): string => datagrid.slice('/datagrids/'.length);

/** Creates a connection and returns its path. */
async function newPath(body: object = {}): Promise<string> {
  const { id } = dataOf(await team.owner.api.post(route, { ...NEW, ...body }), 201);
  return `${route}/${String(id)}`;
}

async function audited(id: string): Promise<object[]> {
  const sql =
    'SELECT action, target_name AS name, details FROM audit_events WHERE target_id = $1 ORDER BY id';
  return (await app.sql.query<object>(sql, [id])).rows;
}

interface StoredTable {
  readonly name: string;
  readonly token: number;
  readonly failures: number;
  readonly isDue: boolean;
}

/** Returns what is stored of the tables of a connection, by the ids of their datagrids. */
async function storedTables(path: string): Promise<StoredTable[]> {
  const { rows } = await app.sql.query<StoredTable>(
    `SELECT name, token::int, failures, next_run_at <= now() AS "isDue" FROM connection_tables
     WHERE connection_id = $1 ORDER BY datagrid_id`,
    [path.slice(route.length + 1)],
  );
  return rows;
}

describe('connections', () => {
  it('are created for all datagrids, with a table for each', async () => {
    const { api } = team.admin;
    await newDatagrid(api, [], workspaceId);
    const created = dataOf(await api.post(route, { ...NEW, secret: 'swordfish' }), 201);
    expect(created).toEqual({
      id: expect.stringMatching(UUID_V7),
      workspaceId,
      name: 'Warehouse',
      type: 'postgresql',
      settings: { ...FAKE_SETTINGS, schema: 'public' },
      hasSecret: true,
      datagridIds: null,
      deletions: 'delete',
      intervalSeconds: null,
      enabled: true,
      status: 'active',
      tables: 1,
      failingTables: 0,
      lastError: null,
      lastErrorAt: null,
      syncedAt: null,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: expect.stringMatching(RFC3339),
    });
    expect(dataOf(await api.get(`${route}/${String(created.id)}`), 200)).toEqual(created);
    const page = { total: 1, page: 1, pageSize: 1, totalPages: 1 };
    expect((await api.get(route)).body).toEqual({ data: [created], meta: page });
    expect((await api.get(`${route}?page=2`)).body.data).toEqual([]);
  });

  it('are changed under If-Match, which ignores their health, and leave events in the audit log', async () => {
    const { api } = team.owner;
    await newDatagrid(api, [], workspaceId);
    const created = await api.post(route, { ...NEW, secret: 'swordfish' });
    const id = String(created.body.data.id);
    const path = `${route}/${id}`;
    const etag = created.headers.get('etag') ?? '';
    await app.sql.query('UPDATE connection_tables SET failures = 1 WHERE connection_id = $1', [id]);
    const read = await api.get(path);
    expect(read.headers.get('etag')).not.toBe(etag);
    const change = { name: 'Other', deletions: 'mark', intervalSeconds: 60, enabled: false };
    const changed = dataOf(await api.patch(path, change, { 'if-match': etag }), 200);
    expect(changed).toMatchObject({ ...change, status: 'paused', hasSecret: true });
    for (const sent of [etag, read.headers.get('etag') ?? '', '"none"']) {
      const stale = await api.patch(path, { name: 'b' }, { 'if-match': sent });
      expectFailure(stale, 'precondition_failed');
      expectFailure(await api.delete(path, { 'if-match': sent }), 'precondition_failed');
    }
    const resumed = dataOf(await api.patch(path, { enabled: true, secret: null }), 200);
    expect(resumed).toMatchObject({ status: 'active', hasSecret: false });
    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
    expect(await storedTables(path)).toEqual([]);
    expect(await audited(id)).toEqual([
      { action: 'connection_created', name: 'Warehouse', details: {} },
      {
        action: 'connection_updated',
        name: 'Other',
        details: { properties: 'name, deletions, intervalSeconds, enabled' },
      },
      { action: 'connection_updated', name: 'Other', details: { properties: 'secret, enabled' } },
      { action: 'connection_deleted', name: 'Other', details: {} },
    ]);
  });

  it.each([
    [{ name: '' }, 'name', 'out_of_range', 'must be a string of 1 to 200 characters'],
    [{ settings: [] }, 'settings', 'wrong_type', 'must be a JSON object'],
    [{ settings: null }, 'settings', 'wrong_type', 'must be a JSON object'],
    [
      { settings: { hots: 'a' }, secret: null },
      'settings.hots',
      'unknown_property',
      'is not a known property',
    ],
    [{ secret: '' }, 'secret', 'invalid_format', /^must be null or a string of 1 to 10000 char/],
    [{ secret: 5 }, 'secret', 'invalid_format', /^must be null or a string of 1 to 10000 char/],
    [{ secret: 'a\0' }, 'secret', 'invalid_text', /^must not contain the NUL/],
    [
      { datagridIds: 'all' },
      'datagridIds',
      'invalid_format',
      /^must be null or a list of up to 1000/,
    ],
    [
      { datagridIds: [NO_ID, NO_ID.toUpperCase()] },
      'datagridIds',
      'invalid_format',
      /^must be null or a list of up to 1000/,
    ],
    [
      { datagridIds: [NO_ID] },
      'datagridIds.0',
      'unknown_datagrid',
      'is not a datagrid of this workspace',
    ],
    [{ deletions: 'keep' }, 'deletions', 'not_a_choice', 'must be one of: delete, mark, history'],
    [
      { intervalSeconds: 59 },
      'intervalSeconds',
      'out_of_range',
      'must be null or an integer from 60 to 604800',
    ],
    [
      { intervalSeconds: 60.5 },
      'intervalSeconds',
      'out_of_range',
      'must be null or an integer from 60 to 604800',
    ],
    [
      { intervalSeconds: 604_801 },
      'intervalSeconds',
      'out_of_range',
      'must be null or an integer from 60 to 604800',
    ],
    [{ enabled: 'yes' }, 'enabled', 'wrong_type', 'must be true or false'],
    [{ password: 'a' }, 'password', 'unknown_property', /^is not a known property; expected one/],
  ])('reject %j and name the field', async (body, field, code, message) => {
    const { api } = team.owner;
    const failed = await api.post(route, { ...NEW, ...body });
    expectFailure(failed, 'invalid_request', [`${field} ${code}`]);
    expect(failed.body.error.details[0].message).toMatch(message);
    expectFailure(await api.patch(await newPath(), body), 'invalid_request', [`${field} ${code}`]);
  });

  it('reject a type that does not exist, and a change of the type', async () => {
    const { api } = team.owner;
    for (const path of [route, `${route}/test`]) {
      const { name, ...test } = { ...NEW, type: 'oracle' };
      const failed = await api.post(path, path === route ? { name, ...test } : test);
      expectFailure(failed, 'invalid_request', ['type not_a_choice']);
      expect(failed.body.error.details[0].message).toBe(
        'must be one of: postgresql, duckdb, clickhouse, mysql, parquet, iceberg, snowflake',
      );
    }
    expectFailure(await api.patch(await newPath(), { type: 'duckdb' }), 'invalid_request', [
      'type unknown_property',
    ]);
  });

  it('reject deletions that their type does not support, and name those that it does', async () => {
    const { api } = team.owner;
    const other = { ...NEW, type: 'mysql' };
    const { id } = dataOf(await api.post(route, { ...other, deletions: 'mark' }), 201);
    const path = `${route}/${String(id)}`;
    for (const failed of [
      await api.post(route, { ...other, deletions: 'history' }),
      await api.patch(path, { deletions: 'history' }),
    ]) {
      expectFailure(failed, 'invalid_request', ['deletions not_a_choice']);
      expect(failed.body.error.details[0].message).toBe(
        'is not available with this type; expected one of: delete, mark',
      );
    }
    expect(dataOf(await api.get(path), 200).deletions).toBe('mark');
    const supported = await api.patch(await newPath(), { deletions: 'history' });
    expect(dataOf(supported, 200).deletions).toBe('history');
  });

  it('have the settings of DuckDB, which has no secret', async () => {
    const { api } = team.owner;
    const file = { name: 'File', type: 'duckdb', settings: { file: 'analytics' } };
    const created = dataOf(await api.post(route, file), 201);
    expect(created).toMatchObject({ settings: { file: 'analytics' }, hasSecret: false });
    const path = `${route}/${String(created.id)}`;
    for (const [body, ...details] of [
      [{ settings: {} }, 'settings.file required'],
      [{ settings: { file: '../other' } }, 'settings.file invalid_format'],
      [
        { settings: FAKE_SETTINGS },
        'settings.host unknown_property',
        'settings.database unknown_property',
        'settings.user unknown_property',
        'settings.file required',
      ],
      [{ secret: 'swordfish' }, 'secret incompatible_parameters'],
    ] as const) {
      expectFailure(await api.post(route, { ...file, ...body }), 'invalid_request', [...details]);
      expectFailure(await api.patch(path, body), 'invalid_request', [...details]);
    }
  });

  it('reject datagrids of other workspaces and accounts, and those in the trash', async () => {
    const { api } = team.owner;
    const [own, foreign, other, trashed] = await Promise.all([
      newDatagrid(api, [], workspaceId),
      newDatagrid((await newTeam(app)).owner.api, []),
      newDatagrid(api, []),
      newDatagrid(api, [], workspaceId),
    ]);
    await api.delete(trashed);
    const ids = [own, foreign, other, trashed].map(idOf);
    const names = [1, 2, 3].map((n) => `datagridIds.${String(n)} unknown_datagrid`);
    expectFailure(await api.post(route, { ...NEW, datagridIds: ids }), 'invalid_request', names);
    const empty = await newPath({ datagridIds: [] });
    expect(dataOf(await api.get(empty), 200)).toMatchObject({ datagridIds: [], tables: 0 });
    const path = await newPath({ datagridIds: [idOf(own).toUpperCase()] });
    expect(dataOf(await api.get(path), 200)).toMatchObject({ datagridIds: [idOf(own)], tables: 1 });
    expectFailure(await api.patch(path, { datagridIds: ids }), 'invalid_request', names);
  });

  it('name their tables after the datagrids, each name once', async () => {
    const { api } = team.owner;
    for (const name of ['Größe', 'gro e', '東京', 'Gro E 2']) {
      dataOf(await api.post(`/workspaces/${workspaceId}/datagrids`, { name }), 201);
    }
    const tables = await storedTables(await newPath());
    expect(tables.map(({ name }) => name)).toEqual(['gro_e', 'gro_e_2', 'datagrid', 'gro_e_2_2']);
  });

  it('add and remove tables with their datagrids, which keep the id of their table', async () => {
    const { api } = team.owner;
    const ids = [
      idOf(await newDatagrid(api, [], workspaceId)),
      idOf(await newDatagrid(api, [], workspaceId)),
    ];
    const path = await newPath({ datagridIds: ids });
    const tableIds = async (): Promise<string[]> => {
      const { rows } = await app.sql.query<{ id: string }>(
        'SELECT id FROM connection_tables WHERE connection_id = $1 ORDER BY datagrid_id',
        [path.slice(route.length + 1)],
      );
      return rows.map(({ id }) => id);
    };
    const before = await tableIds();
    expect(before).toHaveLength(2);
    dataOf(await api.patch(path, { datagridIds: ids.slice(1) }), 200);
    expect(await tableIds()).toEqual(before.slice(1));
    dataOf(await api.patch(path, { datagridIds: null }), 200);
    expect(await tableIds()).toEqual(before);
  });

  it('require the secret again with other settings, so that it is sent nowhere else', async () => {
    const { api } = team.owner;
    const path = await newPath({ secret: 'swordfish' });
    const moved = { ...FAKE_SETTINGS, host: 'attacker.example' };
    const failed = await api.patch(path, { settings: moved });
    expectFailure(failed, 'invalid_request', ['secret required']);
    expect(failed.body.error.details[0].message).toBe(
      'must be sent again, because the settings change',
    );
    // The same settings in another order, without the default.
    const { user, ...others } = FAKE_SETTINGS;
    const same = { user, ...others };
    dataOf(await api.patch(path, { settings: same }), 200);
    const changed = dataOf(await api.patch(path, { settings: moved, secret: 'other' }), 200);
    expect(changed).toMatchObject({ settings: { ...moved, schema: 'public' }, hasSecret: true });
    const open = dataOf(await api.patch(path, { settings: same, secret: null }), 200);
    expect(open).toMatchObject({ settings: { ...same, schema: 'public' }, hasSecret: false });
    dataOf(await api.patch(path, { settings: moved }), 200);
  });

  it.each([
    ['is loaded', 'revision = 1'],
    ['is being loaded', 'loaded_rows = 0'],
    ['has a worker', "leased_until = now() + interval '1 minute'"],
  ])('return 409 for other deletions once a table %s', async (_, state) => {
    const { api } = team.owner;
    await newDatagrid(api, [], workspaceId);
    const path = await newPath();
    expect(dataOf(await api.patch(path, { deletions: 'mark' }), 200).deletions).toBe('mark');
    const id = path.slice(route.length + 1);
    await app.sql.query(`UPDATE connection_tables SET ${state} WHERE connection_id = $1`, [id]);
    const failed = await api.patch(path, { deletions: 'delete', name: 'Other' });
    expectFailure(failed, 'conflict');
    expect(failed.body.error.message).toBe(
      'The deletions of this connection can no longer change, because its destination has rows. Create another connection.',
    );
    expect(dataOf(await api.patch(path, { deletions: 'mark' }), 200).name).toBe('Warehouse');
  });

  it.each([
    [{ name: 'Other' }, false],
    [{ datagridIds: null }, false],
    [{ enabled: false }, true],
    [{ secret: 'other' }, true],
    [{ settings: { host: 'b' } }, true],
    [{ intervalSeconds: 60 }, true],
  ])('changed by %j stop runs in progress: %s', async (change, stops) => {
    const { api } = team.owner;
    await newDatagrid(api, [], workspaceId);
    const path = await newPath();
    await app.sql.query(
      `UPDATE connection_tables SET token = 7, failures = 2, last_error = 'a',
         next_run_at = now() + interval '1 hour' WHERE connection_id = $1`,
      [path.slice(route.length + 1)],
    );
    dataOf(await api.patch(path, change), 200);
    expect(await storedTables(path)).toMatchObject([
      stops ? { token: 8, failures: 0, isDue: true } : { token: 7, failures: 2, isDue: false },
    ]);
  });

  it('summarize the health of their tables, without those of datagrids in the trash', async () => {
    const { api } = team.owner;
    const grids: string[] = [];
    for (let n = 0; n < 4; n += 1) grids.push(await newDatagrid(api, [], workspaceId));
    const path = await newPath();
    const set = (index: number, state: string): Promise<unknown> =>
      app.sql.query(`UPDATE connection_tables SET ${state} WHERE datagrid_id = $1`, [
        idOf(grids[index] ?? ''),
      ]);
    await set(0, "synced_at = '2026-01-01T00:00:02Z'");
    const failed = "failures = 2, synced_at = '2026-01-01T00:00:03Z'";
    await set(1, `${failed}, last_error = 'first', last_error_at = '2026-01-01T00:00:00Z'`);
    await set(2, `${failed}, last_error = 'second', last_error_at = '2026-01-01T00:00:01Z'`);
    expect(dataOf(await api.get(path), 200)).toMatchObject({ tables: 4, syncedAt: null });
    await api.delete(grids[3] ?? '');
    expect(dataOf(await api.get(path), 200)).toMatchObject({
      status: 'failing',
      tables: 3,
      failingTables: 2,
      lastError: 'second',
      lastErrorAt: '2026-01-01T00:00:01.000Z',
      syncedAt: '2026-01-01T00:00:02.000Z',
    });
  });

  it('return 403 quota_exceeded beyond MAX_CONNECTIONS_PER_ACCOUNT, also at the same time', async () => {
    const { api } = team.owner;
    const other = `/workspaces/${await newWorkspace(api)}/connections`;
    const responses = await Promise.all(
      [route, other, route, other, route].map((path) => api.post(path, NEW)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403]);
    const rejected = responses.find(({ status }) => status === 403);
    expect(rejected?.body.error).toMatchObject({
      code: 'quota_exceeded',
      message: 'Quota exceeded: this account may have at most 3 connections.',
    });
  });

  it('return 403 quota_exceeded beyond MAX_CONNECTION_TABLES_PER_ACCOUNT, and change nothing', async () => {
    const { api } = team.owner;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(idOf(await newDatagrid(api, [], workspaceId)));
    await newPath();
    const full = await api.post(route, NEW);
    expectFailure(full, 'quota_exceeded');
    expect(full.body.error.message).toBe(
      'Quota exceeded: this account may have at most 4 tables of connections.',
    );
    expect((await api.get(route)).body.meta.total).toBe(1);
    const path = await newPath({ datagridIds: ids.slice(0, 1) });
    expectFailure(await api.patch(path, { datagridIds: ids.slice(0, 2) }), 'quota_exceeded');
    expect(dataOf(await api.get(path), 200)).toMatchObject({
      datagridIds: ids.slice(0, 1),
      tables: 1,
    });
    dataOf(await api.patch(path, { datagridIds: ids.slice(1, 2) }), 200);
  });

  it('return 403 to viewers and editors', async () => {
    const path = await newPath();
    for (const role of ['viewer', 'editor'] as const) {
      const { api } = team[role];
      for (const url of [route, path, `${path}/tables`, `${path}/runs`]) {
        expectFailure(await api.get(url), 'forbidden');
      }
      expectFailure(await api.post(route, NEW), 'forbidden');
      expectFailure(await api.post(`${path}/test`), 'forbidden');
      expectFailure(await api.delete(path), 'forbidden');
    }
  });

  it('return the same 404 to another account as missing ones', async () => {
    const path = await newPath();
    const stranger = (await newTeam(app)).owner.api;
    const own = `/workspaces/${await newWorkspace(stranger)}/connections`;
    const missing = await stranger.get(`${own}/${NO_ID}`);
    const foreign = await stranger.get(`${own}/${path.slice(route.length + 1)}`);
    expectFailure(missing, 'not_found');
    expect(missing.body.error.message).toBe('Connection not found.');
    const withoutId = ({ body }: ApiResponse): object => ({ ...body.error, requestId: null });
    expect(withoutId(foreign)).toEqual(withoutId(missing));
  });

  it('are created once with an Idempotency-Key', async () => {
    const { api } = team.owner;
    const key = { 'idempotency-key': freshName() };
    const body = { ...NEW, secret: 'swordfish' };
    const [first, second] = [await api.post(route, body, key), await api.post(route, body, key)];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await api.get(route)).body.meta.total).toBe(1);
  });

  it('disappear with their workspace, and are deleted with it', async () => {
    const { api } = team.owner;
    const path = await newPath();
    await api.delete(`/workspaces/${workspaceId}`);
    expectFailure(await api.get(path), 'not_found');
    await api.post(`/trash/${workspaceId}/restore`);
    dataOf(await api.get(path), 200);
    await api.delete(`/workspaces/${workspaceId}`);
    expect((await api.delete(`/trash/${workspaceId}`)).status).toBe(204);
    const id = path.slice(route.length + 1);
    const { rows } = await app.sql.query('SELECT FROM connections WHERE id = $1', [id]);
    expect(rows).toEqual([]);
  });
});
