import { FileBody, type ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];
const NOTHING = { deleted: 0, updated: 0, restored: 0, skipped: 0 };

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const post = (path: string, body: unknown): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}${path}`, body);
const undo = (revision: unknown, options: object = {}): Promise<ApiResponse> =>
  post('/rows/undo', { revision, ...options });
const createRows = async (count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, n) => ({ values: { sku: `R-${String(n)}`, n } }));
  dataOf(await post('/rows', { rows }), 201);
};
const update = async (id: number, values: object): Promise<void> => {
  dataOf(await team.editor.api.patch(`${datagrid}/rows/${String(id)}`, { values }), 200);
};

/** Returns the values of all rows by id. */
async function rows(): Promise<[number, object][]> {
  const data = dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200);
  return (data as { id: number; values: object }[]).map(({ id, values }) => [id, values]);
}

describe('POST /datagrids/{datagridId}/rows/undo', () => {
  it('undoes a batch: deletes what it created, and restores what it updated and deleted', async () => {
    await createRows(4);
    const before = await rows();
    const operations = [
      { op: 'update', id: 1, values: { sku: 'R-9', n: 10 } },
      { op: 'update', id: 2, values: { sku: 'R-0' } },
      { op: 'delete', id: 3 },
      { op: 'create', values: { sku: 'new' } },
      { op: 'create', values: { sku: 'gone' } },
      { op: 'delete', id: 6 },
    ];
    dataOf(await post('/rows/batch', { mode: 'atomic', operations }), 200);
    const after = await rows();
    const result = { deleted: 1, updated: 2, restored: 1, skipped: 0 };
    expect(dataOf(await undo(2, { dryRun: true }), 200)).toEqual({ ...result, revision: 2 });
    expect(await rows()).toEqual(after);
    expect(dataOf(await undo(2), 200)).toEqual({ ...result, revision: 3 });
    expect(await rows()).toEqual(before);
    expect(dataOf(await undo(3), 200)).toMatchObject({ deleted: 1, updated: 2, restored: 1 });
    expect(await rows()).toEqual(after);
  });

  it('undoes a deletion by filter of thousands of rows, and its undo', async () => {
    for (let n = 0; n < 6; n += 1) {
      const many = Array.from({ length: 1_000 }, (_, m) => ({ values: { n: n * 1_000 + m } }));
      dataOf(await post('/rows', { rows: many }), 201);
    }
    dataOf(await post('/rows/delete', { filter: { n: { $gte: 100 } } }), 200);
    expect(dataOf(await undo(7), 200)).toMatchObject({ ...NOTHING, restored: 5_900, revision: 8 });
    const last = await team.viewer.api.get(`${datagrid}/rows?page=600&limit=10`);
    expect(last.body.meta.total).toBe(6_000);
    expect(last.body.data[9]).toMatchObject({ id: 6_000, values: { n: 5_999 }, revision: 8 });
    expect(dataOf(await undo(8), 200)).toMatchObject({ ...NOTHING, deleted: 5_900 });
    expect(await rows()).toHaveLength(100);
  });

  it('undoes an import that created rows, and one that updated rows', async () => {
    await createRows(1);
    const before = await rows();
    const csv = new FileBody('text/csv', 'sku,n\nR-0,7\nnewest,8\n');
    dataOf(await post('/rows/import?mode=upsert&matchOn=sku', csv), 201);
    expect(dataOf(await undo(2), 200)).toMatchObject({ deleted: 1, updated: 1 });
    expect(await rows()).toEqual(before);
    dataOf(await post('/rows/import', new FileBody('text/csv', 'sku,n\na,1\nb,2\n')), 201);
    expect(dataOf(await undo(4), 200)).toMatchObject({ ...NOTHING, deleted: 2 });
    expect(await rows()).toEqual(before);
  });

  it('undoes a write of one row, also if rows of other requests were inserted with it', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        dataOf(await post('/rows', { values: { n } }), 201),
      ),
    );
    const all = dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200) as {
      id: number;
      revision: number;
    }[];
    for (const { id, revision } of all.slice(5, 8)) {
      expect(dataOf(await undo(revision), 200)).toMatchObject({ ...NOTHING, deleted: 1 });
      expectFailure(await team.viewer.api.get(`${datagrid}/rows/${String(id)}`), 'not_found');
    }
    expect(await rows()).toHaveLength(17);
  });

  it('returns 409 with the first rows if some were written since, or skips them', async () => {
    await createRows(5);
    dataOf(await post('/rows/delete', { filter: { n: { $lt: 3 } } }), 200);
    dataOf(await team.editor.api.post(`${datagrid}/rows/2/restore`, { revision: 1 }), 200);
    const before = await rows();
    const rejected = await undo(2);
    expectFailure(rejected, 'conflict', ['rows.2 conflicting_rows']);
    expect(rejected.body.error.message).toBe('1 row of this write was written since.');
    expect(await rows()).toEqual(before);
    const result = { ...NOTHING, restored: 2, skipped: 1 };
    expect(dataOf(await undo(2, { skipConflicts: true, dryRun: true }), 200)).toMatchObject(result);
    expect(dataOf(await undo(2, { skipConflicts: true }), 200)).toMatchObject(result);
    expect(await rows()).toHaveLength(5);
    expectFailure(
      await undo(1),
      'conflict',
      [1, 2, 3].map((id) => `rows.${String(id)} conflicting_rows`),
    );
    expect(dataOf(await undo(1, { skipConflicts: true }), 200)).toMatchObject({
      deleted: 2,
      skipped: 3,
    });
  });

  it('changes nothing the second time', async () => {
    await createRows(2);
    expect(dataOf(await undo(1), 200)).toMatchObject({ deleted: 2, revision: 2 });
    expect(dataOf(await undo(1), 200)).toEqual({ ...NOTHING, revision: 2 });
  });

  it('runs once for requests with one Idempotency-Key', async () => {
    await createRows(1);
    await update(1, { n: 7 });
    const send = (): Promise<ApiResponse> =>
      team.editor.api.post(`${datagrid}/rows/undo`, { revision: 2 }, { 'Idempotency-Key': 'u-1' });
    const first = dataOf(await send(), 200);
    expect(dataOf(await send(), 200)).toEqual(first);
  });

  it('returns 409 if a value is used by another row now, naming it', async () => {
    await createRows(2);
    await update(1, { sku: 'other' });
    dataOf(await post('/rows', { values: { sku: 'R-0' } }), 201);
    expectFailure(await undo(2), 'conflict', ['rows.1.values.sku duplicate']);
    dataOf(await post('/rows/delete', { filter: { sku: 'R-1' } }), 200);
    await update(3, { sku: 'R-1' });
    expectFailure(await undo(4, { skipConflicts: true }), 'conflict', [
      'rows.2.values.sku duplicate',
    ]);
  });

  it('returns 409 if values do not fit the columns now, or skips their rows', async () => {
    const { api } = team.owner;
    dataOf(await post('/rows', { rows: [{ values: { sku: 'a' } }, { values: { n: 1 } }] }), 201);
    dataOf(await post('/rows/delete', { filter: {} }), 200);
    dataOf(await api.patch(`${datagrid}/columns/n`, { required: true }), 200);
    expectFailure(await undo(2), 'conflict', ['rows.1.values.n required']);
    const result = { ...NOTHING, restored: 1, skipped: 1 };
    expect(dataOf(await undo(2, { skipConflicts: true }), 200)).toMatchObject(result);
    expect(await rows()).toEqual([[2, { n: 1 }]]);
  });

  it('changes nothing and returns 200 if it skips all rows because their values do not fit', async () => {
    dataOf(await post('/rows', { values: { sku: 'a' } }), 201);
    dataOf(await post('/rows/delete', { filter: {} }), 200);
    dataOf(await team.owner.api.patch(`${datagrid}/columns/n`, { required: true }), 200);
    const { revision } = dataOf(await team.viewer.api.get(datagrid), 200);
    expect(dataOf(await undo(2, { skipConflicts: true }), 200)).toEqual({
      ...NOTHING,
      skipped: 1,
      revision,
    });
    expect(dataOf(await team.viewer.api.get(datagrid), 200).revision).toBe(revision);
  });

  it('returns 409 for a write that updated rows while history was off, but undoes its creations', async () => {
    const { api } = team.owner;
    dataOf(await api.patch(datagrid, { history: false }), 200);
    await createRows(2);
    await update(1, { n: 7 });
    dataOf(await api.patch(datagrid, { history: true }), 200);
    expectFailure(await undo(2), 'conflict');
    expectFailure(await undo(1), 'conflict', ['rows.1 conflicting_rows']);
    expect(dataOf(await undo(1, { skipConflicts: true }), 200)).toMatchObject({ deleted: 1 });
  });

  it('returns 404 for an unknown write and 409 for one that changed no rows', async () => {
    await createRows(1);
    dataOf(await team.owner.api.post(`${datagrid}/columns`, { key: 'x', type: 'text' }), 201);
    expectFailure(await undo(2), 'conflict');
    const missing = await undo(3);
    expectFailure(missing, 'not_found');
    expect(missing.body.error.message).toBe('Write not found.');
  });

  it('returns 409 for a write of more than 100,000 rows', async () => {
    await createRows(1);
    const setCount = (count: number): Promise<unknown> =>
      app.sql.query('UPDATE datagrid_changes SET row_count = $2 WHERE datagrid_id = $1', [
        datagrid.slice('/datagrids/'.length),
        count,
      ]);
    await setCount(100_001);
    const rejected = await undo(1);
    await setCount(1);
    expectFailure(rejected, 'conflict');
    expect(rejected.body.error.message).toBe(
      'This write has 100001 rows. At most 100000 can be undone.',
    );
    expect(await rows()).toHaveLength(1);
  });

  it('records an audit event', async () => {
    await createRows(3);
    dataOf(await undo(1), 200);
    const { rows: events } = await app.sql.query(
      `SELECT details FROM audit_events WHERE action = 'rows_undone' AND target_id = $1`,
      [datagrid.slice('/datagrids/'.length)],
    );
    expect(events).toEqual([{ details: { revision: 1, rows: 3 } }]);
  });

  it.each([
    [{ revision: 0 }, 'revision wrong_type'],
    [{ revision: 1, skipConflicts: 1 }, 'skipConflicts wrong_type'],
    [{ revision: 1, dryRun: 'yes' }, 'dryRun wrong_type'],
    [{ revision: 1, other: true }, 'other unknown_property'],
  ])('returns 400 for %j', async (body, detail) => {
    expectFailure(await post('/rows/undo', body), 'invalid_request', [detail]);
  });
});
