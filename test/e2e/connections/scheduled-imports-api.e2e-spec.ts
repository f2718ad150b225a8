import { expectFailure } from '../../support/failure';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import type { Json } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace, NO_ID, RFC3339, UUID_V7 } from '../../support/fixture';
import { ImportScheduleService } from '../../../src/scheduled-imports/import-schedule.service';
import type { Source } from '../../../src/destinations/source';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';

const COLUMNS = [
  { key: 'code', type: 'text', unique: true },
  { key: 'city', type: 'text' },
];

/** A kind whose source fails as one that has a fault. */
class FaultyKind extends FakeKind {
  createSource(): Source {
    return { read: () => Promise.reject(new TypeError('A fault of the service.')) };
  }
}

let app: TestApp;
let owner: Member;
let workspace: string;
let datagridId: string;
/** Path of the scheduled imports of a paused connection. */
let imports: string;

beforeAll(async () => {
  const settings = {
    MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: '8',
    scheduledImportRequestLimit: 2,
    connectionTestLimit: 2,
  };
  app = await TestApp.start({ settings, kinds: { postgresql: new FaultyKind(true) } });
});

beforeEach(async () => {
  owner = await app.newAccount();
  workspace = await newWorkspace(owner.api);
  datagridId = (await newDatagrid(owner.api, COLUMNS, workspace)).slice('/datagrids/'.length);
  imports = `${await newConnection()}/imports`;
});

afterAll(() => app.close());

async function newConnection(body: Json = {}): Promise<string> {
  const connections = `/workspaces/${workspace}/connections`;
  const whole = {
    name: 'Warehouse',
    type: 'postgresql',
    settings: FAKE_SETTINGS,
    enabled: false,
    datagridIds: [],
    ...body,
  };
  return `${connections}/${String(dataOf(await owner.api.post(connections, whole), 201).id)}`;
}

const newBody = (body: Json = {}): Json => ({
  name: 'Traffic',
  datagridId,
  query: 'SELECT 1 AS code',
  keyColumns: ['code'],
  ...body,
});

async function create(body: Json = {}): Promise<string> {
  return `${imports}/${String(dataOf(await owner.api.post(imports, newBody(body)), 201).id)}`;
}

describe('scheduled imports', () => {
  it('are created with defaults, read, listed and deleted', async () => {
    const { api } = owner;
    const created = dataOf(await api.post(imports, newBody()), 201);
    expect(created).toEqual({
      id: expect.stringMatching(UUID_V7),
      connectionId: imports.split('/').at(-2),
      name: 'Traffic',
      datagridId,
      query: 'SELECT 1 AS code',
      table: null,
      keyColumns: ['code'],
      columns: null,
      missingRows: 'keep',
      allowEmptyResult: false,
      intervalSeconds: null,
      enabled: true,
      status: 'paused',
      lastError: null,
      lastErrorAt: null,
      lastRunAt: null,
      nextRunAt: null,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: expect.stringMatching(RFC3339),
    });
    const path = `${imports}/${String(created.id)}`;
    expect(dataOf(await api.get(path), 200)).toEqual(created);
    expect(dataOf(await api.get(imports), 200)).toEqual([created]);
    expect(dataOf(await api.get(`${path}/runs`), 200)).toEqual([]);
    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
    expect(dataOf(await api.get(imports), 200)).toEqual([]);
  });

  it.each<[Json, string, string]>([
    [{ name: '' }, 'name', 'out_of_range'],
    [{ datagridId: 'x' }, 'datagridId', 'invalid_format'],
    [{ datagridId: NO_ID }, 'datagridId', 'unknown_datagrid'],
    [{ query: null }, 'query', 'required'],
    [{ query: '  ' }, 'query', 'invalid_format'],
    [{ query: 'x'.repeat(20_001) }, 'query', 'invalid_format'],
    [{ table: 'airports' }, 'table', 'incompatible_parameters'],
    [{ query: null, table: 'a.b.c' }, 'table', 'invalid_format'],
    [{ query: null, table: 'a"; DROP TABLE b' }, 'table', 'invalid_format'],
    [{ keyColumns: [] }, 'keyColumns', 'invalid_format'],
    [{ keyColumns: ['code', 'code'] }, 'keyColumns', 'invalid_format'],
    [{ keyColumns: ['none'] }, 'keyColumns.0', 'unknown_column'],
    [{ keyColumns: ['city'] }, 'keyColumns.0', 'not_unique'],
    [{ columns: { a: 1 } }, 'columns', 'invalid_format'],
    [{ columns: { a: 'none' } }, 'columns.a', 'unknown_column'],
    [{ missingRows: 'mark' }, 'missingRows', 'not_a_choice'],
    [{ allowEmptyResult: 1 }, 'allowEmptyResult', 'wrong_type'],
    [{ intervalSeconds: 59 }, 'intervalSeconds', 'out_of_range'],
    [{ intervalSeconds: 604_801 }, 'intervalSeconds', 'out_of_range'],
    [{ enabled: 'no' }, 'enabled', 'wrong_type'],
    [{ nonsense: 1 }, 'nonsense', 'unknown_property'],
  ])('reject %j and name the field', async (body, field, code) => {
    const details = [`${field} ${code}`];
    expectFailure(await owner.api.post(imports, newBody(body)), 'invalid_request', details);
    const path = await create();
    const keepsQuery = 'query' in body || 'table' in body;
    const change = keepsQuery ? newBody(body) : body;
    expectFailure(await owner.api.patch(path, change), 'invalid_request', details);
  });

  it('reject key columns that name one column by its key and its previous key', async () => {
    const { api } = owner;
    const column = `/datagrids/${datagridId}/columns/code`;
    dataOf(await api.patch(column, { key: 'iata' }), 200);
    const body = newBody({ keyColumns: ['iata', 'code'] });
    const details = ['keyColumns.1 duplicate_column'];
    expectFailure(await api.post(imports, body), 'invalid_request', details);
  });

  it('reject datagrids of other workspaces and accounts alike', async () => {
    const { api } = owner;
    const elsewhere = await newDatagrid(api, COLUMNS);
    const foreign = await newDatagrid((await app.newAccount()).api, COLUMNS);
    const details = ['datagridId unknown_datagrid'];
    for (const path of [elsewhere, foreign]) {
      const body = { datagridId: path.slice('/datagrids/'.length) };
      expectFailure(await api.post(imports, newBody(body)), 'invalid_request', details);
      const preview = { query: 'SELECT 1 AS code', ...body };
      expectFailure(await api.post(`${imports}/preview`, preview), 'invalid_request', details);
    }
  });

  it('change only what was sent, and replace a query by a table', async () => {
    const { api } = owner;
    const path = await create({ columns: { a: 'city' }, intervalSeconds: 60 });
    const { headers } = await api.get(path);
    const etag = headers.get('etag') ?? '';
    const changed = dataOf(await api.patch(path, { table: 'public.airports' }), 200);
    expect(changed).toMatchObject({
      name: 'Traffic',
      query: null,
      table: 'public.airports',
      columns: { a: 'city' },
      intervalSeconds: 60,
      nextRunAt: expect.stringMatching(RFC3339),
    });
    const stale = await api.send('PATCH', path, { name: 'Other' }, { 'if-match': etag });
    expectFailure(stale, 'precondition_failed');
    expect(dataOf(await api.patch(path, { query: 'SELECT 2' }), 200)).toMatchObject({
      query: 'SELECT 2',
      table: null,
    });
    const cleared = { columns: null, intervalSeconds: null, missingRows: 'delete' };
    expect(dataOf(await api.patch(path, cleared), 200)).toMatchObject(cleared);
    expect(dataOf(await api.patch(path, {}), 200)).toMatchObject(cleared);
  });

  it('are limited for each account', async () => {
    for (let n = 0; n < 8; n += 1) await create();
    expectFailure(await owner.api.post(imports, newBody()), 'quota_exceeded');
    const other = `${await newConnection()}/imports`;
    expectFailure(await owner.api.post(other, newBody()), 'quota_exceeded');
  });

  it('are rejected for a type of connection that cannot be read', async () => {
    const settings = { host: 'warehouse.example', database: 'analytics', user: 'reader' };
    const connection = await newConnection({ type: 'mysql', settings });
    const response = await owner.api.post(`${connection}/imports`, newBody());
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toBe(
      'Connections of type mysql cannot be read. Import from another database.',
    );
    const preview = await owner.api.post(`${connection}/imports/preview`, { table: 'airports' });
    expect(dataOf(preview, 200)).toEqual({
      ok: false,
      error: 'Connections of type mysql cannot be read.',
      columns: [],
      rows: [],
    });
  });

  it('are deleted with their connection', async () => {
    await create();
    expect((await owner.api.delete(imports.replace('/imports', ''))).status).toBe(204);
    const { rows } = await app.sql.query('SELECT FROM scheduled_imports WHERE datagrid_id = $1', [
      datagridId,
    ]);
    expect(rows).toHaveLength(0);
  });

  it('are not found through another connection of the account', async () => {
    const path = await create();
    const other = path.replace(imports, `${await newConnection()}/imports`);
    for (const response of [
      await owner.api.get(other),
      await owner.api.patch(other, { name: 'Other' }),
      await owner.api.post(`${other}/run`),
      await owner.api.get(`${other}/runs`),
      await owner.api.delete(other),
    ]) {
      expectFailure(response, 'not_found');
    }
    expect(dataOf(await owner.api.get(path), 200)).toMatchObject({ name: 'Traffic' });
  });
});

describe('requested runs', () => {
  it('are limited for each scheduled import', async () => {
    const target = { type: 'postgresql', settings: FAKE_SETTINGS, enabled: false };
    const importing = await Importing.start(app, owner, target, COLUMNS);
    const [path, other] = [
      await importing.create({ query: 'SELECT 1 AS code' }),
      await importing.create({ query: 'SELECT 2 AS code' }),
    ];
    for (let n = 0; n < 2; n += 1) expect((await owner.api.post(`${path}/run`)).status).toBe(204);
    const response = await owner.api.post(`${path}/run`);
    expectFailure(response, 'rate_limited');
    expect(response.body.error.message).toBe(
      'Too many runs of this import were requested. Retry later.',
    );
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await owner.api.post(`${other}/run`)).status).toBe(204);
  });
});

describe('a fault of the service itself', () => {
  it('ends a run with an error, and it is repeated after longer and longer pauses', async () => {
    const target = { type: 'postgresql', settings: FAKE_SETTINGS };
    const importing = await Importing.start(app, owner, target, COLUMNS);
    const path = await importing.create({ query: 'SELECT 1 AS code', intervalSeconds: 3_600 });
    let before: string | null = null;
    for (const pauseSeconds of [5, 15, 60]) {
      await app.nest.get(ImportScheduleService, { strict: false }).runOnce();
      const run: Json = await importing.nextRun(path, before);
      expect(run).toMatchObject({
        error:
          'The service failed. The run is repeated. If this happens again, tell the operator of the service.',
      });
      const { nextRunAt, status } = await importing.get(path);
      expect(status).toBe('failing');
      const pauseMs = Date.parse(nextRunAt) - Date.parse(run.endedAt);
      expect(Math.round(pauseMs / 1_000)).toBe(pauseSeconds);
      before = run.id;
      await app.sql.query(
        'UPDATE scheduled_imports SET next_run_at = now() - make_interval(secs => 1) WHERE datagrid_id = $1',
        [importing.datagridId],
      );
    }
    expect(app.logs.join('')).toContain('A fault of the service.');
  });
});

describe('previews', () => {
  it('are limited by their rate and their number', async () => {
    const connection = await newConnection({ type: 'mysql' });
    const path = `${connection}/imports/preview`;
    for (let n = 0; n < 2; n += 1) dataOf(await owner.api.post(path, { table: 'a' }), 200);
    const response = await owner.api.post(path, { table: 'a' });
    expectFailure(response, 'rate_limited');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
