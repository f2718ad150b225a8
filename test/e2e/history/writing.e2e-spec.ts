import { FileBody, type ApiResponse } from '../../support/api-client';
import {
  dataOf,
  freshName,
  newDatagrid,
  newTeam,
  newWorkspace,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

/** A version in the table: row, its revision, the one that replaced it, whether deleted, values. */
type Version = [number, number, number, boolean, object];

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

const idOf = (path: string): string => path.split('/')[2] ?? '';

async function versions(): Promise<Version[]> {
  const { rows } = await app.sql.query<Record<string, never>>(
    `SELECT row_id::int, revision::int, replaced_revision::int, is_deletion, "values"
    FROM row_versions WHERE datagrid_id = $1 ORDER BY replaced_revision, row_id`,
    [idOf(datagrid)],
  );
  return rows.map((row) => Object.values(row) as unknown as Version);
}

const post = (path: string, body: unknown): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}${path}`, body);

const createRows = async (count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, n) => ({ values: { sku: `R-${String(n)}`, n } }));
  dataOf(await post('/rows', { rows }), 201);
};

describe('the versions of rows', () => {
  it('are stored by an update, a replacement and a deletion, with the author and the times', async () => {
    dataOf(await post('/rows', { values: { n: 1 } }), 201);
    const row = dataOf(await team.admin.api.patch(`${datagrid}/rows/1`, { values: { n: 2 } }), 200);
    dataOf(await team.editor.api.put(`${datagrid}/rows/1`, { values: { sku: 'a' } }), 200);
    expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    expect(await versions()).toEqual([
      [1, 1, 2, false, { n: 1 }],
      [1, 2, 3, false, { n: 2 }],
      [1, 3, 4, true, { sku: 'a' }],
    ]);
    const { rows } = await app.sql.query(
      `SELECT key_id, created_at, updated_at, replaced_at FROM row_versions
      WHERE datagrid_id = $1 ORDER BY replaced_revision`,
      [idOf(datagrid)],
    );
    const createdAt = new Date(row.createdAt);
    const updatedAt = new Date(row.updatedAt);
    expect(rows).toMatchObject([
      { key_id: team.admin.keyId, created_at: createdAt, updated_at: createdAt },
      { key_id: team.editor.keyId, created_at: createdAt, updated_at: updatedAt },
      { key_id: team.owner.keyId, created_at: createdAt },
    ]);
    expect(rows[0]?.replaced_at).toEqual(updatedAt);
  });

  it('are not stored by creations: single, many, in a batch and by an import', async () => {
    dataOf(await post('/rows', { values: { n: 1 } }), 201);
    await createRows(3);
    const operations = [{ op: 'create', values: { sku: 'new' } }];
    dataOf(await post('/rows/batch', { mode: 'atomic', operations }), 200);
    dataOf(await post('/rows/import', new FileBody('text/csv', 'sku,n\na,1\nb,2\n')), 201);
    expect(await versions()).toEqual([]);
  });

  it('are stored by a batch, for rows that it changes or deletes but not for those it creates', async () => {
    await createRows(4);
    const operations = [
      { op: 'update', id: 1, values: { n: 10 } },
      { op: 'update', id: 1, values: { n: 11 } },
      { op: 'create', values: { sku: 'new' } },
      { op: 'update', id: 5, values: { n: 12 } },
      { op: 'create', values: { sku: 'gone' } },
      { op: 'delete', id: 6 },
      { op: 'replace', id: 3, values: { sku: 'R-2', n: 2 } },
      { op: 'delete', id: 4 },
    ];
    dataOf(await post('/rows/batch', { mode: 'atomic', operations }), 200);
    expect(await versions()).toEqual([
      [1, 1, 2, false, { sku: 'R-0', n: 0 }],
      [4, 1, 2, true, { sku: 'R-3', n: 3 }],
    ]);
  });

  it('are stored by an upsert and by an import that updates rows', async () => {
    await createRows(2);
    const rows = [{ values: { sku: 'R-1', n: 5 } }, { values: { sku: 'new' } }];
    dataOf(await post('/rows?', { rows: [{ values: { n: 9 } }] }), 201);
    dataOf(await team.editor.api.put(`${datagrid}/rows`, { matchOn: ['sku'], rows }), 200);
    const csv = new FileBody('text/csv', 'sku,n\nR-0,7\nR-1,5\nnewest,8\n');
    dataOf(await post('/rows/import?mode=upsert&matchOn=sku', csv), 201);
    expect(await versions()).toEqual([
      [2, 1, 3, false, { sku: 'R-1', n: 1 }],
      [1, 1, 4, false, { sku: 'R-0', n: 0 }],
    ]);
  });

  it('are stored for all rows that match a filter and are deleted', async () => {
    await createRows(3);
    dataOf(await post('/rows/delete', { filter: { n: { $gt: 0 } } }), 200);
    expect(await versions()).toEqual([
      [2, 1, 2, true, { sku: 'R-1', n: 1 }],
      [3, 1, 2, true, { sku: 'R-2', n: 2 }],
    ]);
  });

  it('are not stored by changes of columns or by the trash, which do not change rows', async () => {
    const { api } = team.owner;
    await createRows(2);
    dataOf(await api.patch(`${datagrid}/columns/n`, { type: 'number' }), 200);
    expect((await api.delete(`${datagrid}/columns/n`)).status).toBe(204);
    expect((await api.delete(datagrid)).status).toBe(204);
    dataOf(await api.post(`/trash/${idOf(datagrid)}/restore`), 200);
    expect(await versions()).toEqual([]);
    expect(dataOf(await api.get(datagrid), 200).history).toBe(true);
  });

  it('are stored for datagrids without unique and indexed columns too', async () => {
    datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
    dataOf(await post('/rows', { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] }), 201);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n: 5 } }), 200);
    dataOf(await post('/rows/delete', { filter: {} }), 200);
    expect(await versions()).toEqual([
      [1, 1, 2, false, { n: 1 }],
      [1, 2, 3, true, { n: 5 }],
      [2, 1, 3, true, { n: 2 }],
    ]);
  });
});

describe('the property history of a datagrid', () => {
  it('is off unless a request switches it on, and can be switched off', async () => {
    const { api } = team.admin;
    datagrid = await newDatagrid(team.owner.api, COLUMNS);
    expect(dataOf(await api.get(datagrid), 200).history).toBe(false);
    await createRows(1);
    const change = (n: number): Promise<ApiResponse> =>
      team.editor.api.patch(`${datagrid}/rows/1`, { values: { n } });
    dataOf(await change(1), 200);
    expect(dataOf(await api.patch(datagrid, { history: true }), 200).history).toBe(true);
    dataOf(await change(2), 200);
    expect(dataOf(await api.patch(datagrid, { history: false }), 200).history).toBe(false);
    dataOf(await change(3), 200);
    expect(await versions()).toEqual([[1, 2, 3, false, { sku: 'R-0', n: 1 }]]);
  });

  it('can be switched on when the datagrid is created', async () => {
    const workspaceId = await newWorkspace(team.admin.api);
    const body = { name: freshName(), columns: COLUMNS, history: true };
    const path = `/workspaces/${workspaceId}/datagrids`;
    const created = dataOf(await team.admin.api.post(path, body), 201);
    expect(created.history).toBe(true);
    const [listed] = dataOf(await team.viewer.api.get(path), 200);
    expect(listed.history).toBe(true);
  });

  it('must be true or false, and only an admin or owner can change it', async () => {
    const rejected = await team.admin.api.patch(datagrid, { history: 'on' });
    expect(rejected.status).toBe(400);
    expect(rejected.body.error.details).toEqual([
      { field: 'history', code: 'wrong_type', message: 'must be true or false' },
    ]);
    expect((await team.editor.api.patch(datagrid, { history: false })).status).toBe(403);
  });

  it('has no hole if it is switched on during writes of two replicas', async () => {
    const replica = await TestApp.start({ database: app.database });
    try {
      datagrid = await newDatagrid(team.owner.api, COLUMNS);
      await createRows(4);
      const apis = [team.editor.api, replica.api(team.editor.key)];
      let isOn = false;
      const begunAfter = await Promise.all(
        [1, 2, 3, 4].map(async (id) => {
          let count = 0;
          // At least some writes after the switch, on each replica.
          for (let n = 0; count < 6; n += 1) {
            if (isOn) count += 1;
            const api = apis[n % 2] ?? team.editor.api;
            dataOf(await api.patch(`${datagrid}/rows/${String(id)}`, { values: { n } }), 200);
            if (n === 5 && id === 1) {
              dataOf(await team.admin.api.patch(datagrid, { history: true }), 200);
              isOn = true;
            }
          }
          return count;
        }),
      );
      const stored = await versions();
      for (const [index, least] of begunAfter.entries()) {
        const own = stored.filter(([id]) => id === index + 1);
        const row = dataOf(await team.viewer.api.get(`${datagrid}/rows/${String(index + 1)}`), 200);
        const revisions = [...own.map(([, revision]) => revision), row.revision];
        expect(own.map(([, , replaced]) => replaced)).toEqual(revisions.slice(1));
        expect(own.length).toBeGreaterThanOrEqual(least);
      }
    } finally {
      await replica.close();
    }
  });
});
