import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { type ApiResponse, FileBody, type Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, RFC3339, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { Sheet } from './sheet';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'text' },
];

const newSheet = (columns: readonly object[] = COLUMNS): Promise<Sheet> =>
  Sheet.create(team.admin.api, columns);

const list = async (sheet: Sheet): Promise<Json[]> =>
  dataOf(await team.viewer.api.get(`${sheet.path}/trash/columns`), 200) as Json[];

const restore = (sheet: Sheet, body: object): Promise<ApiResponse> =>
  team.admin.api.post(`${sheet.path}/trash/columns/restore`, body);

/** Removes column `a`, which has the id 1. */
async function remove(sheet: Sheet, key = 'a'): Promise<void> {
  expect((await sheet.removeColumn(key)).status).toBe(204);
}

const buildIndexes = (): Promise<number> =>
  app.nest.get(IndexBuildService, { strict: false }).runOnce();

describe('GET /datagrids/{datagridId}/trash/columns', () => {
  it('is empty for a datagrid that has never lost a column', async () => {
    const sheet = await newSheet();
    const { body } = await team.viewer.api.get(`${sheet.path}/trash/columns`);
    expect(body).toEqual({ data: [], meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 } });
  });

  it('lists each deleted column as it was, and when and by whom it was deleted', async () => {
    const choices = ['small', 'large'];
    const sheet = await newSheet([
      { key: 'size', type: 'select', title: 'Size', options: { choices }, defaultValue: 'small' },
      { key: 'code', type: 'text', unique: true, required: true, indexed: true },
    ]);
    await sheet.fill([{ size: 'large', code: 'x' }]);
    const before = (await sheet.read()).columns;
    await remove(sheet, 'size');
    await remove(sheet, 'code');
    const deletion = {
      deletedAt: expect.stringMatching(RFC3339),
      expiresAt: expect.stringMatching(RFC3339),
      userId: team.admin.userId,
      keyId: team.admin.keyId,
    };
    const [code, size] = await list(sheet);
    expect(code).toEqual(Object.assign({ id: 2 }, before[1], deletion));
    expect(size).toEqual(Object.assign({ id: 1 }, before[0], deletion));
    expect(Date.parse(size?.expiresAt) - Date.parse(size?.deletedAt)).toBe(7 * 86_400_000);
  });

  it('returns pages, last deleted first', async () => {
    const sheet = await newSheet(
      Array.from({ length: 5 }, (_, n) => ({ key: `c${String(n)}`, type: 'text' })),
    );
    for (const n of [3, 0, 4, 1, 2]) await remove(sheet, `c${String(n)}`);
    const page = async (number: number): Promise<Json> =>
      (await team.viewer.api.get(`${sheet.path}/trash/columns?limit=2&page=${String(number)}`))
        .body;
    const [first, last] = [await page(1), await page(3)];
    expect((first.data as Json[]).map(({ id }) => id)).toEqual([3, 2]);
    expect(first.meta).toEqual({ total: 5, page: 1, pageSize: 2, totalPages: 3 });
    expect((last.data as Json[]).map(({ id }) => id)).toEqual([4]);
    expect((await page(4)).data).toEqual([]);
  });

  it('does not list a column that the previous release has removed', async () => {
    const sheet = await newSheet();
    await app.sql.query(
      `UPDATE datagrid_columns SET removed_at = now(), options = '{}' WHERE datagrid_id = $1 AND id = 1`,
      [sheet.id],
    );
    expect(await list(sheet)).toEqual([]);
    expectFailure(await restore(sheet, { id: 1 }), 'not_found');
  });
});

describe('POST /datagrids/{datagridId}/trash/columns/restore', () => {
  it('returns the column as it was, with the values of all rows', async () => {
    const choices = ['small', 'large'];
    const sheet = await newSheet([
      { key: 'size', type: 'select', title: 'Size', options: { choices }, defaultValue: 'small' },
      { key: 'b', type: 'text' },
    ]);
    await sheet.fill([{ size: 'large', b: 'x' }, { b: 'y' }, { size: null }]);
    const [before, values] = [await sheet.read(), await sheet.values()];
    const etag = (await team.viewer.api.get(`${sheet.path}/columns/size`)).headers.get('etag');
    const page = (await team.viewer.api.get(`${sheet.path}/rows`)).headers.get('etag');
    await remove(sheet, 'size');
    const restored = await restore(sheet, { id: 1 });
    expect(dataOf(restored, 200)).toEqual(before.columns[0]);
    const shown = await team.viewer.api.get(`${sheet.path}/columns/size`);
    expect(shown.headers.get('etag')).toBe(restored.headers.get('etag'));
    expect(shown.headers.get('etag')).not.toBe(etag);
    expect((await team.viewer.api.get(`${sheet.path}/rows`)).headers.get('etag')).not.toBe(page);
    expect(await sheet.values()).toEqual(values);
    expect((await sheet.read()).columns).toEqual(before.columns);
    expect((await sheet.addRow({})).body.data.values).toEqual({ size: 'small' });
    expect(await list(sheet)).toEqual([]);
    expectFailure(await restore(sheet, { id: 1 }), 'not_found');
  });

  it('keeps values through updates of other columns, and loses those of replaced rows', async () => {
    const sheet = await newSheet([...COLUMNS, { key: 'code', type: 'integer', unique: true }]);
    const rows = Array.from({ length: 8 }, (_, n) => ({ a: `a${String(n + 1)}`, code: n + 1 }));
    await sheet.fill(rows);
    await remove(sheet);
    const { api } = team.editor;
    const path = `${sheet.path}/rows`;
    dataOf(await api.patch(`${path}/1`, { values: { b: 'patched' } }), 200);
    dataOf(await api.put(`${path}/2`, { values: { b: 'put', code: 2 } }), 200);
    const operations = [
      { op: 'update', id: 3, values: { b: 'batch' } },
      { op: 'replace', id: 4, values: { b: 'batch', code: 4 } },
    ];
    dataOf(await api.post(`${path}/batch`, { mode: 'atomic', operations }), 200);
    const upserted = { matchOn: ['code'], rows: [{ values: { code: 5, b: 'upsert' } }] };
    dataOf(await api.put(path, upserted), 200);
    const lines = new FileBody('text/csv', 'code,b\n8,import\n');
    dataOf(await api.post(`${path}/import?mode=upsert&matchOn=code`, lines), 201);
    expect((await api.delete(`${path}/6`)).status).toBe(204);
    dataOf(await api.post(`${sheet.path}/trash/rows/restore`, { ids: [6] }), 200);
    dataOf(await sheet.addRow({ b: 'new', code: 9 }), 201);
    dataOf(await restore(sheet, { id: 1 }), 200);
    expect((await sheet.values()).map(({ a, b }) => [a, b])).toEqual([
      ['a1', 'patched'],
      [undefined, 'put'],
      ['a3', 'batch'],
      [undefined, 'batch'],
      ['a5', 'upsert'],
      // Restored without the values of columns that were removed then.
      [undefined, undefined],
      ['a7', undefined],
      ['a8', 'import'],
      [undefined, 'new'],
    ]);
  });

  it('gives rows their value back that are restored after the column', async () => {
    const sheet = await newSheet();
    await sheet.fill([{ a: 'kept', b: 'x' }]);
    await remove(sheet);
    expect((await team.editor.api.delete(`${sheet.path}/rows/1`)).status).toBe(204);
    dataOf(await restore(sheet, { id: 1 }), 200);
    dataOf(await team.editor.api.post(`${sheet.path}/trash/rows/restore`, { ids: [1] }), 200);
    expect(await sheet.values()).toEqual([{ a: 'kept', b: 'x' }]);
  });

  it('returns 409 if another column has the key, and restores the column under another one', async () => {
    const sheet = await newSheet();
    await sheet.fill([{ a: 'old', b: 'x' }]);
    await remove(sheet);
    dataOf(await sheet.addColumn({ key: 'a', type: 'integer' }), 201);
    dataOf(await team.editor.api.patch(`${sheet.path}/rows/1`, { values: { a: 5 } }), 200);
    const taken = await restore(sheet, { id: 1 });
    expectFailure(taken, 'conflict', ['key duplicate']);
    expect(taken.body.error.message).toBe(
      'key: is used by another column by now; send another key to restore the column under it',
    );
    expectFailure(await restore(sheet, { id: 1, key: 'b' }), 'conflict', ['key duplicate']);
    const restored = dataOf(await restore(sheet, { id: 1, key: 'old' }), 200);
    expect(restored).toMatchObject({ key: 'old', title: 'a' });
    expect(await sheet.values()).toEqual([{ old: 'old', a: 5, b: 'x' }]);
    dataOf(await sheet.addRow({ old: 'new', a: 6 }), 201);
    dataOf(await team.editor.api.patch(`${sheet.path}/rows/1`, { values: { old: null } }), 200);
    expect(await sheet.values()).toEqual([
      { a: 5, b: 'x' },
      { old: 'new', a: 6 },
    ]);
    // Both can be removed, and each comes back with its own values.
    await remove(sheet, 'a');
    await remove(sheet, 'old');
    dataOf(await restore(sheet, { id: 1, key: 'a' }), 200);
    dataOf(await restore(sheet, { id: 3, key: 'third' }), 200);
    expect(await sheet.values()).toEqual([
      { third: 5, b: 'x' },
      { a: 'new', third: 6 },
    ]);
  });

  it('separates columns that had the same key before the first row', async () => {
    const sheet = await newSheet();
    await remove(sheet);
    dataOf(await sheet.addColumn({ key: 'a', type: 'integer' }), 201);
    await sheet.fill([{ a: 5 }]);
    dataOf(await restore(sheet, { id: 1, key: 'first' }), 200);
    expect(await sheet.values()).toEqual([{ a: 5 }]);
    dataOf(await sheet.addRow({ first: 'x', a: 6 }), 201);
    await remove(sheet, 'a');
    await remove(sheet, 'first');
    dataOf(await restore(sheet, { id: 1, key: 'a' }), 200);
    dataOf(await restore(sheet, { id: 3, key: 'third' }), 200);
    expect(await sheet.values()).toEqual([{ third: 5 }, { a: 'x', third: 6 }]);
  });

  it.each(['a', 'c'])(
    'separates columns that were restored as %s before the first row',
    async (key) => {
      const sheet = await newSheet();
      await remove(sheet);
      dataOf(await sheet.addColumn({ key: 'a', type: 'integer' }), 201);
      await remove(sheet);
      dataOf(await restore(sheet, { id: 1, key }), 200);
      dataOf(await restore(sheet, { id: 3, key: 'd' }), 200);
      if (key !== 'a') dataOf(await sheet.addColumn({ key: 'a', type: 'text' }), 201);
      await sheet.fill([{ a: 'text', d: 5 }]);
      expect(await sheet.values()).toEqual([{ a: 'text', d: 5 }]);
    },
  );

  it('keeps the storage format of a datagrid that had no row at the removal', async () => {
    const sheet = await newSheet();
    await remove(sheet);
    await sheet.fill([{ b: 'x' }]);
    dataOf(await restore(sheet, { id: 1 }), 200);
    await sheet.fill([{ a: 'y' }]);
    expect(await sheet.values()).toEqual([{ b: 'x' }, { a: 'y' }]);
    const sql = 'SELECT plain_values AS plain FROM datagrids WHERE id = $1';
    expect((await app.sql.query(sql, [sheet.id])).rows).toEqual([{ plain: true }]);
  });

  describe('a required column', () => {
    it('returns 409 with the number of rows without a value, and is restored without the rule', async () => {
      const sheet = await newSheet([
        { key: 'a', type: 'text', required: true },
        ...COLUMNS.slice(1),
      ]);
      await sheet.fill([{ a: 'x' }]);
      await remove(sheet);
      await sheet.fill([{ b: 'y' }, {}]);
      const rejected = await restore(sheet, { id: 1 });
      expectFailure(rejected, 'conflict', ['required conflicting_rows']);
      expect(rejected.body.error.message).toBe('required: 2 rows have no value');
      expect((await sheet.read()).columns).toHaveLength(1);
      expect(dataOf(await restore(sheet, { id: 1, required: false }), 200)).toMatchObject({
        required: false,
      });
      expect(await sheet.values()).toEqual([{ a: 'x' }, { b: 'y' }, {}]);
    });

    it('requires values again if all rows have one', async () => {
      const sheet = await newSheet([{ key: 'a', type: 'text', required: true }]);
      await sheet.fill([{ a: 'x' }]);
      await remove(sheet);
      expect(dataOf(await restore(sheet, { id: 1 }), 200)).toMatchObject({ required: true });
      expect((await sheet.addRow({})).status).toBe(400);
    });
  });

  describe('a unique column', () => {
    const unique = [{ key: 'a', type: 'text', unique: true }, ...COLUMNS.slice(1)];

    it.each(['before', 'after'])(
      'makes values unique again %s its claims and index entries are deleted',
      async (when) => {
        const sheet = await newSheet(unique);
        await sheet.fill([{ a: 'x' }, { a: 'y' }]);
        await remove(sheet);
        if (when === 'after') await buildIndexes();
        expect(dataOf(await restore(sheet, { id: 1 }), 200)).toMatchObject({ unique: true });
        expectFailure(await sheet.addRow({ a: 'x' }), 'conflict', ['values.a duplicate']);
        dataOf(await sheet.addRow({ a: 'z' }), 201);
        await buildIndexes();
        expect((await sheet.read()).columns[0]).not.toHaveProperty('indexing');
        await sheet.waitForUniqueValues(app, 3);
        const found = await team.viewer.api.get(`${sheet.path}/rows?filter={"a":"z"}`);
        expect((dataOf(found, 200) as Json[]).map(({ id }) => id)).toEqual([3]);
        expectFailure(await sheet.addRow({ a: 'x' }), 'conflict', ['values.a duplicate']);
      },
    );

    it('takes its claims from the values that rows still have', async () => {
      const sheet = await newSheet(unique);
      await sheet.fill([{ a: 'x' }, { a: 'y' }]);
      await remove(sheet);
      dataOf(await team.editor.api.put(`${sheet.path}/rows/1`, { values: { b: 'replaced' } }), 200);
      dataOf(await restore(sheet, { id: 1 }), 200);
      dataOf(await sheet.addRow({ a: 'x' }), 201);
      expectFailure(await sheet.addRow({ a: 'y' }), 'conflict', ['values.a duplicate']);
      await buildIndexes();
      await sheet.waitForUniqueValues(app, 2);
    });

    it('can be restored without the rule, keeping the index if it is indexed', async () => {
      const sheet = await newSheet([{ ...unique[0], indexed: true }]);
      await sheet.fill([{ a: 'x' }]);
      await remove(sheet);
      const restored = dataOf(await restore(sheet, { id: 1, unique: false }), 200);
      expect(restored).toMatchObject({ unique: false, indexed: true });
      dataOf(await sheet.addRow({ a: 'x' }), 201);
      await buildIndexes();
      await sheet.waitForUniqueValues(app, 0);
      expect((await sheet.read()).columns[0]).not.toHaveProperty('indexing');
      const found = await team.viewer.api.get(`${sheet.path}/rows?filter={"a":"x"}`);
      expect(dataOf(found, 200)).toHaveLength(2);
    });

    it('can become unique, which returns 409 if rows have equal values', async () => {
      const sheet = await newSheet();
      await sheet.fill([{ a: 'x' }, { a: 'x' }]);
      await remove(sheet);
      const rejected = await restore(sheet, { id: 1, unique: true });
      expectFailure(rejected, 'conflict', ['unique conflicting_rows']);
      expect(rejected.body.error.message).toBe(
        'unique: 1 row has the same value as an earlier row',
      );
      expect(await list(sheet)).toHaveLength(1);
    });
  });

  it('repairs views that name the column', async () => {
    const sheet = await newSheet();
    await sheet.fill([
      { a: 'x', b: '1' },
      { a: 'y', b: '2' },
    ]);
    const view = { name: 'V', filter: { a: 'x' }, sort: '-a', columns: [{ key: 'a', width: 80 }] };
    const { id } = dataOf(await team.editor.api.post(`${sheet.path}/views`, view), 201);
    const rows = (): Promise<ApiResponse> =>
      team.viewer.api.get(`${sheet.path}/rows?view=${String(id)}`);
    await remove(sheet);
    expectFailure(await rows(), 'conflict', ['view unknown_column']);
    dataOf(await restore(sheet, { id: 1, key: 'c' }), 200);
    expect((dataOf(await rows(), 200) as Json[]).map(({ values }) => values)).toEqual([
      { c: 'x', b: '1' },
    ]);
    expect(
      dataOf(await team.viewer.api.get(`${sheet.path}/views/${String(id)}`), 200),
    ).toMatchObject({ filter: { c: 'x' }, sort: '-c', columns: [{ key: 'c', width: 80 }] });
  });

  it('is filtered, sorted and aggregated like before', async () => {
    const sheet = await newSheet([{ key: 'n', type: 'integer' }, ...COLUMNS]);
    await sheet.fill([{ n: 3 }, { n: 1 }, {}, { n: 2 }]);
    await remove(sheet, 'n');
    dataOf(await restore(sheet, { id: 1 }), 200);
    const path = `${sheet.path}/rows?sort=-n&filter={"n":{"$gte":2}}`;
    const found = dataOf(await team.viewer.api.get(path), 200) as Json[];
    expect(found.map(({ id }) => id)).toEqual([1, 4]);
    const body = { aggregates: [{ function: 'sum', column: 'n', as: 'total' }] };
    const sum = await team.viewer.api.post(`${sheet.path}/rows/aggregate`, body);
    expect(dataOf(sum, 200)).toMatchObject([{ values: { total: '6' } }]);
  });

  it('shows values of the column in the history of rows again', async () => {
    const sheet = await newSheet();
    dataOf(await team.admin.api.patch(sheet.path, { history: true }), 200);
    await sheet.fill([{ a: 'x' }]);
    dataOf(await team.editor.api.patch(`${sheet.path}/rows/1`, { values: { a: 'y' } }), 200);
    await remove(sheet);
    dataOf(await restore(sheet, { id: 1 }), 200);
    const { revision } = await sheet.read();
    const entries = dataOf(await team.viewer.api.get(`${sheet.path}/rows/1/history`), 200);
    expect(entries).toMatchObject([
      { revision: 2, values: { a: 'y' }, removedColumns: [] },
      { revision: 1, values: { a: 'x' }, removedColumns: [] },
    ]);
    const undone = await team.editor.api.post(`${sheet.path}/rows/undo`, { revision });
    expectFailure(undone, 'conflict');
    expect(undone.body.error.message).toBe(`Revision ${String(revision)} changed no rows.`);
  });

  describe('a request that is not valid', () => {
    it.each([
      [{}, ['id wrong_type']],
      [{ id: 0 }, ['id wrong_type']],
      [{ id: '1' }, ['id wrong_type']],
      [{ id: 1e300 }, ['id wrong_type']],
      [{ id: 1, key: 'A' }, ['key invalid_format']],
      [{ id: 1, required: 'no', unique: null }, ['required wrong_type', 'unique wrong_type']],
      [{ id: 1, title: 'x' }, ['title unknown_property']],
    ])('returns 400 for %j', async (body, details) => {
      const sheet = await newSheet();
      await remove(sheet);
      expectFailure(await restore(sheet, body), 'invalid_request', details);
    });

    it.each([2, 9, 2_147_483_648, Number.MAX_SAFE_INTEGER])(
      'returns 404 for the id %d, which is not in the trash',
      async (id) => {
        const sheet = await newSheet();
        await remove(sheet);
        expectFailure(await restore(sheet, { id }), 'not_found');
      },
    );
  });

  it('requires the role of a removal, and the account of the datagrid', async () => {
    const sheet = await newSheet();
    await remove(sheet);
    const path = `${sheet.path}/trash/columns`;
    for (const { api } of [team.viewer, team.editor]) {
      expectFailure(await api.post(`${path}/restore`, { id: 1 }), 'forbidden');
    }
    const other = await app.newAccount();
    expectFailure(await other.api.get(path), 'not_found');
    expectFailure(await other.api.post(`${path}/restore`, { id: 1 }), 'not_found');
    expect((await app.api().get(path)).status).toBe(401);
    dataOf(await restore(sheet, { id: 1 }), 200);
  });

  it('restores a column once for a repeated Idempotency-Key', async () => {
    const sheet = await newSheet();
    await remove(sheet);
    const path = `${sheet.path}/trash/columns/restore`;
    const headers = { 'idempotency-key': sheet.id };
    const first = await team.admin.api.post(path, { id: 1 }, headers);
    const second = await team.admin.api.post(path, { id: 1 }, headers);
    expect(dataOf(second, 200)).toEqual(dataOf(first, 200));
  });

  it('rejects a deletion with an ETag from before', async () => {
    const sheet = await newSheet();
    const before = await team.viewer.api.get(`${sheet.path}/columns/a`);
    await remove(sheet);
    dataOf(await restore(sheet, { id: 1 }), 200);
    const headers = { 'if-match': before.headers.get('etag') ?? '' };
    const rejected = await team.admin.api.delete(`${sheet.path}/columns/a`, headers);
    expectFailure(rejected, 'precondition_failed');
  });

  it('lets one of two requests restore the column, and one of two take the key', async () => {
    const sheet = await newSheet();
    await sheet.fill([{ a: 'x' }]);
    await remove(sheet);
    const both = await sheet.race(
      app,
      () => restore(sheet, { id: 1 }),
      () => restore(sheet, { id: 1, key: 'c' }),
      () => sheet.addColumn({ key: 'a', type: 'text' }),
    );
    expect(both.map(({ status }) => status)).toEqual([200, 404, 409]);
    expect(await sheet.values()).toEqual([{ a: 'x' }]);
  });

  it('checks rows again that were written while it waited', async () => {
    const sheet = await newSheet([{ key: 'a', type: 'text', required: true }, ...COLUMNS.slice(1)]);
    await remove(sheet);
    const [restored, written] = await sheet.race(
      app,
      () => restore(sheet, { id: 1 }),
      () => sheet.addRow({ b: 'x' }),
    );
    expect([restored?.status, written?.status]).toEqual([200, 400]);
  });
});
