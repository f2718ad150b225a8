import { ChangeLogTrimService } from '../../../src/datagrids/change-log/change-log-trim.service';
import { FileBody, type ApiResponse } from '../../support/api-client';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

interface Entry {
  readonly revision: number;
  readonly part: number;
  readonly revisions: number;
  readonly kind: string;
  readonly firstId: number | null;
  readonly rowCount: number;
  readonly rowIds: readonly number[] | null;
  readonly keyId: string | null;
}

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const idOf = (path: string): string => path.split('/')[2] ?? '';

async function entries(path = datagrid): Promise<Entry[]> {
  const { rows } = await app.sql.query<Entry>(
    `SELECT revision::int, part, revisions, kind, first_id::int AS "firstId",
      row_count AS "rowCount", row_ids::int[] AS "rowIds", key_id AS "keyId"
    FROM datagrid_changes WHERE datagrid_id = $1 ORDER BY revision, part`,
    [idOf(path)],
  );
  return rows;
}

const NOTHING = { part: 0, revisions: 1, firstId: null, rowCount: 0, rowIds: null };
const by = (member: keyof Team): { keyId: string } => ({ keyId: team[member].keyId });

const post = (path: string, body: unknown, member: keyof Team = 'editor'): Promise<ApiResponse> =>
  team[member].api.post(`${datagrid}${path}`, body);

const createRows = async (count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, n) => ({ values: { sku: `R-${String(n)}`, n } }));
  dataOf(await post('/rows', { rows }), 201);
};

describe('the change log', () => {
  it('has one entry for a row that is created, updated, replaced or deleted, with its author', async () => {
    dataOf(await post('/rows', { values: { n: 1 } }), 201);
    dataOf(await team.admin.api.patch(`${datagrid}/rows/1`, { values: { n: 2 } }), 200);
    dataOf(await team.editor.api.put(`${datagrid}/rows/1`, { values: { n: 3 } }), 200);
    expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    const one = { ...NOTHING, rowCount: 1, rowIds: [1] };
    expect(await entries()).toEqual([
      { ...one, revision: 1, kind: 'create', firstId: 1, rowIds: null, ...by('editor') },
      { ...one, revision: 2, kind: 'update', ...by('admin') },
      { ...one, revision: 3, kind: 'update', ...by('editor') },
      { ...one, revision: 4, kind: 'delete', ...by('owner') },
    ]);
  });

  it('has the time of the rows that a write changed', async () => {
    const { updatedAt } = dataOf(await post('/rows', { values: { n: 1 } }), 201);
    const { rows } = await app.sql.query<{ at: Date }>(
      'SELECT at FROM datagrid_changes WHERE datagrid_id = $1',
      [idOf(datagrid)],
    );
    expect(rows.map(({ at }) => at.toISOString())).toEqual([updatedAt]);
  });

  it('has one entry for rows that are created together', async () => {
    await createRows(50);
    expect(await entries()).toEqual([
      { ...NOTHING, revision: 1, kind: 'create', firstId: 1, rowCount: 50, ...by('editor') },
    ]);
  });

  it('covers the revision of every row that separate requests of several users create', async () => {
    const members = ['editor', 'admin', 'owner'] as const;
    const created = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const member = members[n % 3] ?? 'owner';
        const row = dataOf(await post('/rows', { values: { n } }, member), 201);
        return { id: row.id as number, revision: row.revision as number, ...by(member) };
      }),
    );
    const logged = await entries();
    const named = logged.flatMap(({ revision, revisions, firstId, rowCount, keyId, kind }) => {
      expect([kind, rowCount]).toEqual(['create', revisions]);
      return Array.from({ length: rowCount }, (_, n) => ({
        id: (firstId ?? 0) + n,
        revision: revision - revisions + 1 + n,
        keyId,
      }));
    });
    expect(named).toEqual(created.sort((a, b) => a.id - b.id));
  });

  it('has no entry for a write that fails or changes nothing', async () => {
    await createRows(1);
    const before = await entries();
    expect((await post('/rows', { values: { sku: 'R-0' } })).status).toBe(409);
    expect((await team.editor.api.patch(`${datagrid}/rows/9`, { values: {} })).status).toBe(404);
    expect((await team.editor.api.delete(`${datagrid}/rows/9`)).status).toBe(404);
    const operation = { op: 'update', id: 1, values: { n: 0 } };
    dataOf(await post('/rows/batch', { mode: 'atomic', operations: [operation] }), 200);
    dataOf(await post('/rows/delete', { filter: { n: 77 } }), 200);
    expect(await entries()).toEqual(before);
  });

  it('has an entry for each kind of change of a batch, in the order of the net change', async () => {
    await createRows(3);
    const operations = [
      { op: 'create', values: { n: 10 } },
      { op: 'create', values: { n: 11 } },
      { op: 'update', id: 2, values: { n: 12 } },
      { op: 'delete', id: 3 },
      { op: 'delete', id: 4 },
      { op: 'delete', id: 1 },
    ];
    dataOf(await post('/rows/batch', { mode: 'atomic', operations }), 200);
    const entry = { ...NOTHING, revision: 2, ...by('editor') };
    expect((await entries()).slice(1)).toEqual([
      { ...entry, kind: 'delete', rowCount: 2, rowIds: expect.arrayContaining([1, 3]) },
      { ...entry, part: 1, kind: 'update', rowCount: 1, rowIds: [2] },
      { ...entry, part: 2, kind: 'create', firstId: 4, rowCount: 2 },
      { ...entry, part: 3, kind: 'delete', rowCount: 1, rowIds: [4] },
    ]);
  });

  it('has entries for the rows that an upsert creates and updates', async () => {
    await createRows(2);
    const rows = [{ values: { sku: 'R-1', n: 5 } }, { values: { sku: 'new' } }];
    dataOf(await team.editor.api.put(`${datagrid}/rows`, { matchOn: ['sku'], rows }), 200);
    const entry = { ...NOTHING, revision: 2, rowCount: 1, ...by('editor') };
    expect((await entries()).slice(1)).toEqual([
      { ...entry, kind: 'update', rowIds: [2] },
      { ...entry, part: 1, kind: 'create', firstId: 3 },
    ]);
  });

  it('has one entry for each chunk of rows that match a filter and are deleted', async () => {
    await createRows(5);
    dataOf(await post('/rows/delete', { filter: { n: { $gt: 1 } } }), 200);
    expect((await entries()).slice(1)).toEqual([
      { ...NOTHING, revision: 2, kind: 'delete', rowCount: 3, rowIds: [3, 4, 5], ...by('editor') },
    ]);
  });

  it('has an entry for each batch of an import and each column that it creates', async () => {
    const csv = new FileBody('text/csv', 'sku,n,extra,more\na,1,x,p\nb,2,y,q\n');
    dataOf(await post('/rows/import?createColumns=true', csv, 'owner'), 201);
    expect(await entries()).toEqual([
      { ...NOTHING, revision: 1, kind: 'schema', ...by('owner') },
      { ...NOTHING, revision: 2, kind: 'schema', ...by('owner') },
      { ...NOTHING, revision: 3, kind: 'create', firstId: 1, rowCount: 2, ...by('owner') },
    ]);
  });

  it('has entries for changes of columns, of the trash, and of the workspace', async () => {
    const workspaceId = await newWorkspace(team.owner.api);
    const path = await newDatagrid(team.owner.api, COLUMNS, workspaceId);
    const { api } = team.owner;
    dataOf(await api.post(`${path}/columns`, { key: 'note', type: 'text' }), 201);
    dataOf(await api.patch(`${path}/columns/note`, { title: 'Note' }), 200);
    expect((await api.delete(`${path}/columns/note`)).status).toBe(204);
    expect((await api.delete(path)).status).toBe(204);
    dataOf(await api.post(`/trash/${idOf(path)}/restore`), 200);
    expect((await api.delete(`/workspaces/${workspaceId}?cascade=true`)).status).toBe(204);
    dataOf(await api.post(`/trash/${workspaceId}/restore`), 200);
    const kinds = ['schema', 'schema', 'schema', 'trashed', 'restored', 'trashed', 'restored'];
    expect(await entries(path)).toEqual(
      kinds.map((kind, index) => ({ ...NOTHING, revision: index + 1, kind, ...by('owner') })),
    );
  });
});

describe('the retention of the change log', () => {
  const age = (revision: number, days: number): Promise<unknown> =>
    app.sql.query(
      `UPDATE datagrid_changes SET at = now() - make_interval(days => $3)
      WHERE datagrid_id = $1 AND revision <= $2`,
      [idOf(datagrid), revision, days],
    );
  const revisions = async (): Promise<number[]> =>
    (await entries()).map(({ revision }) => revision);
  const trim = (): Promise<number> =>
    app.nest.get(ChangeLogTrimService, { strict: false }).runOnce();

  it('keeps entries of the last days and the one before them', async () => {
    for (let n = 0; n < 6; n += 1) dataOf(await post('/rows', { values: { n } }), 201);
    await age(4, 8);
    await trim();
    expect(await revisions()).toEqual([4, 5, 6]);
    await trim();
    expect(await revisions()).toEqual([4, 5, 6]);
    await age(6, 6);
    await trim();
    expect(await revisions()).toEqual([4, 5, 6]);
  });

  it('keeps the last entry of a datagrid however old it is', async () => {
    for (let n = 0; n < 3; n += 1) dataOf(await post('/rows', { values: { n } }), 201);
    await age(3, 400);
    await trim();
    expect(await revisions()).toEqual([3]);
  });

  it('deletes thousands of entries, and a revision with more entries than a step', async () => {
    await createRows(1);
    await app.sql.query(
      `INSERT INTO datagrid_changes (datagrid_id, revision, part, revisions, kind, row_count, at)
      SELECT $1, revision, part, 1, 'update', 0, now() - interval '9 days'
      FROM generate_series(2, 3) AS revision, generate_series(0, 1999) AS part`,
      [idOf(datagrid)],
    );
    await app.sql.query('UPDATE datagrid_counters SET revision = 3 WHERE datagrid_id = $1', [
      idOf(datagrid),
    ]);
    dataOf(await post('/rows', { values: { n: 7 } }), 201);
    await age(2, 9);
    await trim();
    expect([...new Set(await revisions())]).toEqual([3, 4]);
  });
});
