import { ChangeReader, copyState, datagridState } from '../../support/change-reader';
import type { Json } from '../../support/api-client';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'integer' },
];

let app: TestApp;
let team: Team;
let datagrid: string;
let reader: ChangeReader;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  const rows = [{ a: 'x', b: 1 }, { b: 2 }, { a: 'z' }, { a: 'gone' }].map((values) => ({
    values,
  }));
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
  expect((await team.editor.api.delete(`${datagrid}/rows/4`)).status).toBe(204);
  reader = new ChangeReader(team.viewer.key, datagrid);
  await reader.catchUp(app.origin);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const remove = async (): Promise<void> => {
  expect((await team.admin.api.delete(`${datagrid}/columns/a`)).status).toBe(204);
};
const restore = async (body: object = {}): Promise<void> => {
  const path = `${datagrid}/trash/columns/restore`;
  dataOf(await team.admin.api.post(path, { id: 1, ...body }), 200);
};

const expectEqual = async (limit?: number): Promise<void> => {
  await reader.catchUp(app.origin, limit);
  expect(copyState(reader)).toEqual(await datagridState(team.viewer.api, datagrid));
};

describe('a reader of changes, when a deleted column is restored', () => {
  it.each([1, 1_000])(
    'gets the values of all rows again, with %d rows on a page',
    async (limit) => {
      await remove();
      await expectEqual(limit);
      await restore();
      await expectEqual(limit);
      expect(reader.copy.list().map(({ values }) => values)).toEqual([
        { a: 'x', b: 1 },
        { b: 2 },
        { a: 'z' },
      ]);
    },
  );

  it('keeps the values if it reads nothing in between, with writes before and after', async () => {
    await remove();
    dataOf(await team.editor.api.put(`${datagrid}/rows/1`, { values: { b: 5 } }), 200);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/3`, { values: { b: 6 } }), 200);
    await restore();
    dataOf(await team.editor.api.patch(`${datagrid}/rows/2`, { values: { a: 'y' } }), 200);
    await expectEqual();
  });

  it('gets the values under another key', async () => {
    await remove();
    await expectEqual();
    dataOf(await team.admin.api.post(`${datagrid}/columns`, { key: 'a', type: 'integer' }), 201);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { a: 7 } }), 200);
    await restore({ key: 'c' });
    await expectEqual();
  });

  it('gets the column first, and then the rows that have a value, with the author', async () => {
    await remove();
    await reader.catchUp(app.origin);
    await restore();
    const path = `${datagrid}/changes?include=author&cursor=${reader.cursor ?? ''}`;
    const { body } = await team.viewer.api.get(path);
    const { userId, keyId } = team.admin;
    const author = { changedAt: expect.any(String), changedBy: { userId, keyId } };
    expect(body.data).toMatchObject([
      { op: 'schema', revision: 4, columns: [{ id: 1, key: 'a' }, { id: 2 }], ...author },
      { op: 'set', row: { id: 1, revision: 1, values: { a: 'x', b: 1 } }, ...author },
      { op: 'set', row: { id: 3, revision: 1, values: { a: 'z' } }, ...author },
    ]);
    expect(body.data).toHaveLength(3);
    expect(body.meta.upToDate).toBe(true);
  });

  it('gets rows that are too large for the fast statement', async () => {
    const text = 'x'.repeat(200_000);
    const rows = [{ values: { a: text } }, { values: { a: 'y', b: 3 } }];
    dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
    await remove();
    await expectEqual();
    await restore();
    await expectEqual();
    expect(reader.copy.list().map(({ values }: Json) => values.a?.length)).toEqual([
      1,
      undefined,
      1,
      200_000,
      1,
    ]);
  });

  it('gets nothing but the column if no row has a value', async () => {
    dataOf(await team.editor.api.put(`${datagrid}/rows/1`, { values: {} }), 200);
    dataOf(await team.editor.api.put(`${datagrid}/rows/3`, { values: {} }), 200);
    await remove();
    await reader.catchUp(app.origin);
    const { items } = reader;
    await restore();
    await reader.catchUp(app.origin);
    expect(reader.items).toBe(items + 1);
  });

  it('gets many rows in the parts in which they are logged', async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      values: { a: `${String(n)} ${'x'.repeat(200)}` },
    }));
    for (let n = 0; n < 6; n += 1) {
      const path = `${datagrid}/rows`;
      const headers = { prefer: 'return=minimal' };
      expect((await team.editor.api.post(path, { rows }, headers)).status).toBe(201);
    }
    await remove();
    await reader.catchUp(app.origin);
    await restore();
    const parts = await app.sql.query<{ count: number; rows: number }>(
      `SELECT count(*)::int AS count, sum(row_count)::int AS rows FROM datagrid_changes
      WHERE datagrid_id = $1 AND part > 0`,
      [datagrid.split('/')[2]],
    );
    expect(parts.rows[0]?.rows).toBe(6_002);
    expect(parts.rows[0]?.count).toBeGreaterThan(1);
    await reader.catchUp(app.origin, 700);
    expect(reader.copy.list().filter(({ values }: Json) => values.a !== undefined)).toHaveLength(
      6_002,
    );
  });
});
