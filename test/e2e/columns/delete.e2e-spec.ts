import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'text' },
];

async function isPlain(sheet: Sheet): Promise<boolean> {
  const sql = 'SELECT plain_values FROM datagrids WHERE id = $1';
  const found = await app.sql.query<{ plain_values: boolean }>(sql, [sheet.id]);
  return found.rows[0]?.plain_values ?? false;
}

async function columnIds(sheet: Sheet): Promise<number[]> {
  const sql = 'SELECT id FROM datagrid_columns WHERE datagrid_id = $1 ORDER BY id';
  return (await app.sql.query<{ id: number }>(sql, [sheet.id])).rows.map(({ id }) => id);
}

describe('DELETE /datagrids/{datagridId}/columns/{key}', () => {
  describe('a valid request', () => {
    it('removes the column and its values from all responses', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      await sheet.fill([{ a: 'gone', b: 'here' }, { a: 'gone' }]);
      const before = await sheet.readAged(app);
      const etag = (await owner.api.get(`${sheet.path}/rows`)).headers.get('etag');
      const { status, text } = await sheet.removeColumn('a');
      expect([status, text]).toEqual([204, '']);
      const after = await sheet.read();
      expect(after.columns).toEqual([before.columns[1]]);
      expect([after.revision, after.rowCount]).toEqual([before.revision + 1, 2]);
      expect(after.updatedAt > before.updatedAt).toBe(true);
      const page = await owner.api.get(`${sheet.path}/rows`);
      expect(page.body.data).toMatchObject([{ values: { b: 'here' } }, { values: {} }]);
      expect(await sheet.values()).toEqual([{ b: 'here' }, {}]);
      expect(page.headers.get('etag')).not.toBe(etag);
      expect((await owner.api.get(`${sheet.path}/rows/1`)).body.data.values).toEqual({ b: 'here' });
      expect((await sheet.addRow({ a: 'x' })).body.error.details).toMatchObject([
        { field: 'values.a', code: 'unknown_column' },
      ]);
    });

    it('does not show the old values in a new column with the same key', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      await sheet.fill([{ a: 'old', b: '1' }, { a: 'old' }, { a: 'old', b: '3' }]);
      await sheet.removeColumn('a');
      expect((await sheet.addColumn({ key: 'a', type: 'integer' })).status).toBe(201);
      expect(await sheet.values()).toEqual([{ b: '1' }, {}, { b: '3' }]);

      const merged = await owner.api.patch(`${sheet.path}/rows/1`, { values: { b: '2' } });
      expect(merged.body.data.values).toEqual({ b: '2' });
      const set = await owner.api.patch(`${sheet.path}/rows/1`, { values: { a: 7 } });
      expect(set.body.data.values).toEqual({ a: 7, b: '2' });
      const cleared = await owner.api.patch(`${sheet.path}/rows/1`, { values: { a: null } });
      expect(cleared.body.data.values).toEqual({ b: '2' });
      const replaced = await owner.api.put(`${sheet.path}/rows/2`, { values: { a: 8 } });
      expect(replaced.body.data.values).toEqual({ a: 8 });
      expect((await sheet.addRow({ a: 9, b: '4' })).body.data.values).toEqual({ a: 9, b: '4' });
      expect(await sheet.values()).toEqual([{ b: '2' }, { a: 8 }, { b: '3' }, { a: 9, b: '4' }]);
    });

    it('does not show old values in any later column with the same key', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      await sheet.fill([{ a: 'first' }]);
      for (const value of ['second', 'third']) {
        await sheet.removeColumn('a');
        await sheet.addColumn({ key: 'a', type: 'text' });
        expect(await sheet.values()).toEqual([{}]);
        await owner.api.patch(`${sheet.path}/rows/1`, { values: { a: value } });
        expect(await sheet.values()).toEqual([{ a: value }]);
      }
      expect(await columnIds(sheet)).toEqual([1, 2, 3, 4]);
    });

    it('ignores the old values if a new column is unique, required or of another type', async () => {
      const sheet = await Sheet.create(owner.api, [
        { key: 'a', type: 'text', unique: true },
        { key: 'b', type: 'text' },
      ]);
      await sheet.fill([{ a: 'x' }, { a: 'y' }]);
      await sheet.removeColumn('a');
      await sheet.waitForUniqueValues(app, 0);
      await sheet.addColumn({ key: 'a', type: 'text', unique: true });
      expect((await sheet.addRow({ a: 'x' })).status).toBe(201);
      expect((await sheet.addRow({ a: 'x' })).status).toBe(409);
      expect((await owner.api.delete(`${sheet.path}/rows/3`)).status).toBe(204);
      const required = await sheet.changeColumn('a', { required: true });
      expect(required.body.error.message).toBe('required: 2 rows have no value');
      expect((await sheet.changeColumn('a', { type: 'integer' })).status).toBe(200);
      expect((await sheet.addRow({ a: 1 })).status).toBe(201);
      expect((await sheet.addRow({ a: 1 })).status).toBe(409);
    });

    it('does not change the storage format of a datagrid that never had a row', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      await sheet.removeColumn('a');
      expect(await isPlain(sheet)).toBe(true);
      await sheet.addColumn({ key: 'a', type: 'integer' });
      expect(await isPlain(sheet)).toBe(true);
      expect(await columnIds(sheet)).toEqual([1, 2, 3]);
      await sheet.fill([{ a: 1, b: 'x' }]);
      expect(await sheet.values()).toEqual([{ a: 1, b: 'x' }]);
    });

    it('separates the values of a column that is added again after the first row', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      await sheet.removeColumn('a');
      await sheet.fill([{ b: 'x' }]);
      await sheet.addColumn({ key: 'a', type: 'integer' });
      await sheet.fill([{ a: 1, b: 'y' }]);
      expect(await sheet.values()).toEqual([{ b: 'x' }, { a: 1, b: 'y' }]);
    });
  });

  describe('a request without a key', () => {
    it('returns 401', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      expect((await app.api().delete(`${sheet.path}/columns/a`)).status).toBe(401);
    });
  });

  describe('a request without the permission', () => {
    it.each(['viewer', 'editor'] as const)('returns 403 to the role %s', async (role) => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      const { api } = await app.newUser(owner.accountId, role);
      const response = await api.delete(`${sheet.path}/columns/a`);
      expect([response.status, response.body.error.code]).toEqual([403, 'forbidden']);
      expect((await sheet.read()).columns).toHaveLength(2);
    });
  });

  describe('a request for a missing column', () => {
    it('returns 404 for a second deletion', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      const responses = await Promise.all([sheet.removeColumn('a'), sheet.removeColumn('a')]);
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404]);
      expect((await sheet.read()).revision).toBe(1);
    });

    it('returns 404 for a column of another account', async () => {
      const sheet = await Sheet.create(owner.api, COLUMNS);
      const { api } = await app.newAccount();
      expect((await api.delete(`${sheet.path}/columns/a`)).status).toBe(404);
      expect((await sheet.read()).columns).toHaveLength(2);
    });
  });
});
