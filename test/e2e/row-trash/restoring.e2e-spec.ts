import type { ApiResponse, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

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

const post = (path: string, body: unknown): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}${path}`, body);
const restore = (ids: unknown): Promise<ApiResponse> => post('/trash/rows/restore', { ids });
const trash = async (): Promise<Json> =>
  dataOf(await team.viewer.api.get(`${datagrid}/trash/rows?limit=200`), 200);
const trashedIds = async (): Promise<number[]> =>
  ((await trash()) as { id: number }[]).map(({ id }) => id);
const rows = async (): Promise<Json> =>
  dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200);
const deleteAll = async (): Promise<void> => {
  dataOf(await post('/rows/delete', { filter: {} }), 200);
};
const createRows = async (count: number): Promise<void> => {
  const many = Array.from({ length: count }, (_, n) => ({ values: { sku: `R-${String(n)}`, n } }));
  dataOf(await post('/rows', { rows: many }), 201);
};

describe('POST /datagrids/{datagridId}/trash/rows/restore', () => {
  it('creates deleted rows again, with their ids, times of creation, values and places', async () => {
    await createRows(5);
    const before = await rows();
    await deleteAll();
    expect(await rows()).toEqual([]);
    expect(dataOf(await restore([4, 2]), 200)).toEqual({ restored: 2, revision: 3 });
    const after = await rows();
    expect(after).toEqual(
      [before[1], before[3]].map((row: Json, index) => {
        return { ...row, revision: 3, updatedAt: after[index].updatedAt };
      }),
    );
    expect(await trashedIds()).toEqual([5, 3, 1]);
    const sorted = await team.viewer.api.get(`${datagrid}/rows?sort=-n&filter={"n":{"$gt":2}}`);
    expect(sorted.body.data).toEqual([after[1]]);
    expect((await post('/rows', { values: { sku: 'R-3' } })).status).toBe(409);
    dataOf(await post('/rows', { values: { sku: 'R-0' } }), 201);
  });

  it('moves a row to the trash again when it is deleted again', async () => {
    await createRows(1);
    for (let n = 0; n < 3; n += 1) {
      expect((await team.editor.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
      expect(await trashedIds()).toEqual([1]);
      dataOf(await restore([1]), 200);
      expect(await trashedIds()).toEqual([]);
    }
    expect(await rows()).toMatchObject([{ id: 1, values: { sku: 'R-0', n: 0 } }]);
  });

  it('returns 409 and names the rows that are not in the trash, and restores none', async () => {
    await createRows(3);
    expect((await team.editor.api.delete(`${datagrid}/rows/2`)).status).toBe(204);
    const rejected = await restore([2, 3, 77]);
    expectFailure(rejected, 'conflict', ['ids.1 conflicting_rows', 'ids.2 conflicting_rows']);
    expect(rejected.body.error).toMatchObject({
      message: '2 of these rows are not in the trash.',
      details: [
        { field: 'ids.1', code: 'conflicting_rows', message: 'row 3 is not in the trash' },
        { field: 'ids.2', code: 'conflicting_rows', message: 'row 77 is not in the trash' },
      ],
    });
    const one = await restore([2, 3]);
    expect(one.body.error.message).toBe('1 of these rows is not in the trash.');
    expect(await trashedIds()).toEqual([2]);
    expect(dataOf(await team.viewer.api.get(datagrid), 200).revision).toBe(2);
  });

  it('returns 409 and names the unique values that are taken, and restores none', async () => {
    await createRows(2);
    await deleteAll();
    dataOf(await post('/rows', { values: { sku: 'R-1' } }), 201);
    const rejected = await restore([1, 2]);
    expectFailure(rejected, 'conflict', ['rows.2.values.sku duplicate']);
    expect(rejected.body.error).toMatchObject({
      message: 'Duplicate value in a unique column.',
      details: [
        {
          field: 'rows.2.values.sku',
          code: 'duplicate',
          message: 'must be unique, but row 3 already has this value',
        },
      ],
    });
    expect(await trashedIds()).toEqual([2, 1]);
    dataOf(await restore([1]), 200);
  });

  it('returns 409 if two rows of the trash have the same unique value', async () => {
    for (const id of [1, 2]) {
      dataOf(await post('/rows', { values: { sku: 'same' } }), 201);
      expect((await team.editor.api.delete(`${datagrid}/rows/${String(id)}`)).status).toBe(204);
    }
    const rejected = await restore([1, 2]);
    expectFailure(rejected, 'conflict', ['rows.2.values.sku duplicate']);
    dataOf(await restore([2]), 200);
  });

  it('leaves out values of columns that were removed, before the deletion or after it', async () => {
    const { api } = team.owner;
    await createRows(2);
    expect((await api.delete(`${datagrid}/columns/n`)).status).toBe(204);
    await deleteAll();
    expect((await api.delete(`${datagrid}/columns/sku`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'n', type: 'text' }), 201);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'sku', type: 'boolean' }), 201);
    expect(await trash()).toMatchObject([
      { id: 2, values: {}, removedColumns: ['n', 'sku'] },
      { id: 1, values: {}, removedColumns: ['n', 'sku'] },
    ]);
    dataOf(await restore([1, 2]), 200);
    expect(await rows()).toMatchObject([
      { id: 1, values: {} },
      { id: 2, values: {} },
    ]);
  });

  it('fills columns that were added, renamed or made unique since', async () => {
    const { api } = team.owner;
    await createRows(2);
    await deleteAll();
    dataOf(await api.patch(`${datagrid}/columns/n`, { unique: true }), 200);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'added', type: 'text' }), 201);
    dataOf(await restore([1]), 200);
    expect(await rows()).toMatchObject([{ id: 1, values: { sku: 'R-0', n: 0 } }]);
    expect((await post('/rows', { values: { n: 0 } })).status).toBe(409);
  });

  it('returns 409 and names the values that do not fit the current columns', async () => {
    const { api } = team.owner;
    await createRows(2);
    await deleteAll();
    const required = { key: 'day', type: 'date', required: true };
    dataOf(await api.post(`${datagrid}/columns`, required), 201);
    const rejected = await restore([1, 2]);
    const details = ['rows.1.values.day required', 'rows.2.values.day required'];
    expectFailure(rejected, 'conflict', details);
    expect(rejected.body.error.message).toBe(
      'The values of deleted rows do not fit the columns of the datagrid.',
    );
    expect(await trashedIds()).toEqual([2, 1]);
  });

  it('runs once for requests with the same Idempotency-Key', async () => {
    await createRows(2);
    await deleteAll();
    const headers = { 'Idempotency-Key': `restore ${datagrid}` };
    const path = `${datagrid}/trash/rows/restore`;
    const first = await team.editor.api.post(path, { ids: [1, 2] }, headers);
    expect(dataOf(first, 200)).toEqual({ restored: 2, revision: 3 });
    const again = await team.editor.api.post(path, { ids: [1, 2] }, headers);
    expect(again.text).toBe(first.text);
    expect(dataOf(await team.viewer.api.get(datagrid), 200).revision).toBe(3);
  });

  it('is read by clients that follow the changes', async () => {
    await createRows(3);
    await deleteAll();
    const { nextCursor } = (await team.viewer.api.get(`${datagrid}/changes?cursor=latest`)).body
      .meta;
    dataOf(await restore([1, 3]), 200);
    const restored = await rows();
    const { data } = (await team.viewer.api.get(`${datagrid}/changes?cursor=${nextCursor}`)).body;
    expect(data).toEqual([
      { op: 'set', row: restored[0] },
      { op: 'set', row: restored[1] },
    ]);
  });

  it('restores 10,000 rows in one request, and rejects a request with more', async () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => index + 1);
    for (let n = 0; n < 11; n += 1) {
      const many = ids.slice(n * 1_000, (n + 1) * 1_000).map((id) => ({ values: { n: id } }));
      if (many.length > 0) dataOf(await post('/rows', { rows: many }), 201);
    }
    await deleteAll();
    expectFailure(await restore(ids), 'invalid_request', ['ids out_of_range']);
    expect(dataOf(await restore(ids.slice(0, -1)), 200)).toMatchObject({ restored: 10_000 });
    expect(await trashedIds()).toEqual([10_001]);
    const last = await team.viewer.api.get(`${datagrid}/rows?page=1000&limit=10`);
    expect(last.body.meta.total).toBe(10_000);
    expect(last.body.data[9]).toMatchObject({ id: 10_000, values: { n: 10_000 } });
  });

  it.each([
    [undefined, 'wrong_type', 'must be an array of integers from 1'],
    [{}, 'wrong_type', 'must be an array of integers from 1'],
    [['1'], 'wrong_type', 'must be an array of integers from 1'],
    [[1, 0], 'wrong_type', 'must be an array of integers from 1'],
    [[1.5], 'wrong_type', 'must be an array of integers from 1'],
    [[], 'out_of_range', 'must contain 1 to 10000 IDs'],
    [[3, 4, 3], 'duplicate_row', 'must contain each ID once'],
  ])('returns 400 for the ids %j', async (ids, code, message) => {
    const rejected = await restore(ids);
    expectFailure(rejected, 'invalid_request', [`ids ${code}`]);
    expect(rejected.body.error.details).toEqual([{ field: 'ids', code, message }]);
  });

  it('is allowed for editors, and unknown in other accounts and for deleted datagrids', async () => {
    await createRows(1);
    await deleteAll();
    const body = { ids: [1] };
    const path = `${datagrid}/trash/rows/restore`;
    expectFailure(await team.viewer.api.post(path, body), 'forbidden');
    const other = await app.newAccount();
    expectFailure(await other.api.post(path, body), 'not_found');
    expectFailure(await other.api.get(`${datagrid}/trash/rows`), 'not_found');
    expect((await team.owner.api.delete(datagrid)).status).toBe(204);
    expectFailure(await restore([1]), 'not_found');
    expectFailure(await team.viewer.api.get(`${datagrid}/trash/rows`), 'not_found');
    dataOf(await team.owner.api.post(`/trash/${datagrid.split('/')[2] ?? ''}/restore`), 200);
    dataOf(await restore([1]), 200);
  });

  it('restores each row once if requests run at the same time', async () => {
    await createRows(1);
    await deleteAll();
    const responses = await Promise.all(Array.from({ length: 8 }, () => restore([1])));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await rows()).toHaveLength(1);
  });

  it('works with history on as with history off, and writes the restoration to the history', async () => {
    dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
    await createRows(1);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n: 5 } }), 200);
    await deleteAll();
    dataOf(await restore([1]), 200);
    expect(await rows()).toMatchObject([{ id: 1, values: { sku: 'R-0', n: 5 }, revision: 4 }]);
    expect(dataOf(await team.viewer.api.get(`${datagrid}/rows/1/history`), 200)).toMatchObject([
      { revision: 4, operation: 'created', values: { n: 5 } },
      { revision: 3, operation: 'deleted', values: null },
      { revision: 2, operation: 'updated', values: { n: 5 } },
      { revision: 1, operation: 'created', values: { n: 0 } },
    ]);
  });
});

describe('the trash of rows', () => {
  it('loses rows that the undo of their deletion or the history has restored', async () => {
    dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
    await createRows(3);
    await deleteAll();
    dataOf(await post('/rows/3/restore', { revision: 1 }), 200);
    expect(await trashedIds()).toEqual([2, 1]);
    dataOf(await post('/rows/undo', { revision: 2, skipConflicts: true }), 200);
    expect(await trashedIds()).toEqual([]);
    expect(await rows()).toHaveLength(3);
  });

  it('does not enter the history of a row while history is off, and lets its deletion be undone', async () => {
    await createRows(2);
    await deleteAll();
    expectFailure(await team.viewer.api.get(`${datagrid}/rows/1/history`), 'not_found');
    expectFailure(await post('/rows/1/restore', { revision: 1 }), 'not_found');
    dataOf(await post('/rows/undo', { revision: 2 }), 200);
    expect(await rows()).toHaveLength(2);
    expect(await trashedIds()).toEqual([]);
  });

  it('gets rows that an undo deletes, and not those that the same write has created', async () => {
    await createRows(2);
    dataOf(await post('/rows/undo', { revision: 1 }), 200);
    const operations = [
      { op: 'create', values: { sku: 'new' } },
      { op: 'delete', id: 3 },
    ];
    dataOf(await post('/rows/batch', { mode: 'atomic', operations }), 200);
    expect(await trashedIds()).toEqual([2, 1]);
  });
});
