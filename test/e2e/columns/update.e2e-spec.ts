import { IndexBuildRepository } from '../../../src/rows/index/index-build.repository';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

const choices = (...names: string[]): object => ({ options: { choices: names } });

describe('PATCH /datagrids/{datagridId}/columns/{key}', () => {
  describe('a valid request', () => {
    it('changes the attributes that are sent and no others', async () => {
      const sheet = await sheetOf({ type: 'text', title: 'Old', indexed: true }, ['x']);
      const before = await sheet.readAged(app);
      const { status, body } = await sheet.changeColumn('a', { title: ' New ', required: true });
      expect(status).toBe(200);
      const column = {
        key: 'a',
        title: 'New',
        type: 'text',
        required: true,
        unique: false,
        indexed: true,
        options: {},
      };
      expect(body).toEqual({ data: column });
      const after = await sheet.read();
      expect(after.columns).toEqual([column]);
      expect(after.revision).toBe(before.revision + 1);
      expect(after.updatedAt > before.updatedAt).toBe(true);
      expect((await sheet.addRow({})).status).toBe(400);
    });

    it.each([{}, { title: 'T' }, { type: 'select', required: true, ...choices('x', 'y') }])(
      'leaves the datagrid, its revision and its time unchanged if %j changes nothing',
      async (change) => {
        const column = { type: 'select', title: 'T', required: true, ...choices('x', 'y') };
        const sheet = await sheetOf(column, ['x']);
        const before = await sheet.readAged(app);
        const versions = await sheet.versions(app);
        const { status, body } = await sheet.changeColumn('a', change);
        expect([status, body.data]).toEqual([200, before.columns[0]]);
        expect(await sheet.read()).toEqual(before);
        expect(await sheet.versions(app)).toEqual(versions);
      },
    );

    it.each([{ title: 'T' }, { indexed: true }])(
      'raises the revision and not the schema version for %j',
      async (change) => {
        const sheet = await sheetOf({ type: 'text', unique: true }, ['x']);
        const row = await owner.api.get(`${sheet.path}/rows/1`);
        const { columns, revision } = await sheet.versions(app);
        const datagrid = await owner.api.get(sheet.path);
        expect((await sheet.changeColumn('a', change)).body.data).toMatchObject(change);
        expect(await sheet.versions(app)).toEqual({ columns, revision: revision + 1 });
        const [row2, datagrid2] = [
          await owner.api.get(`${sheet.path}/rows/1`),
          await owner.api.get(sheet.path),
        ];
        expect(row2.headers.get('etag')).toBe(row.headers.get('etag'));
        expect(datagrid2.headers.get('etag')).not.toBe(datagrid.headers.get('etag'));
      },
    );

    it.each([{ required: true }, { type: 'json' }, { indexed: true }, choices('x')])(
      'raises the schema version for %j',
      async (change) => {
        const sheet = await sheetOf({ type: 'select', ...choices('x', 'y') }, ['x']);
        const { columns, revision } = await sheet.versions(app);
        expect((await sheet.changeColumn('a', change)).status).toBe(200);
        const after = await sheet.versions(app);
        expect(after.revision).toBe(revision + 1);
        // It rises again when an index is completed in the background.
        expect(after.columns).toBeGreaterThan(columns);
      },
    );

    it('changes the ETag of a page of rows', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      const before = await owner.api.get(`${sheet.path}/rows`);
      await sheet.changeColumn('a', { title: 'T' });
      const after = await owner.api.get(`${sheet.path}/rows`);
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    });

    it('returns the same index progress as a read and accepts the ETag of that read', async () => {
      // Stops the index build, so that its progress does not change.
      jest.spyOn(app.nest.get(IndexBuildRepository), 'listPending').mockResolvedValue([]);
      const sheet = await sheetOf({ type: 'text' }, ['x', 'y', 'z', 'x']);
      await sheet.changeColumn('a', { indexed: true });
      await app.sql.query('UPDATE datagrid_columns SET indexed_to = 1 WHERE datagrid_id = $1', [
        sheet.id,
      ]);
      const path = `${sheet.path}/columns/a`;
      const read = await owner.api.get(path);
      const known = { 'if-match': read.headers.get('etag') ?? '' };
      const changed = await owner.api.patch(path, { title: 'T' }, known);
      expect(changed.body).toEqual({ data: { ...read.body.data, title: 'T' } });
      expect(changed.body.data.indexing).toEqual({ progress: 0.25 });
      jest.restoreAllMocks();
    });

    it('rejects duplicates while the column is unique and accepts them afterwards', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x', 'y', undefined, undefined]);
      expect((await sheet.changeColumn('a', { unique: true })).body.data.unique).toBe(true);
      await sheet.waitForUniqueValues(app, 2);
      expect((await sheet.addRow({ a: 'y' })).status).toBe(409);
      const merged = await owner.api.patch(`${sheet.path}/rows/1`, { values: { a: 'z' } });
      expect(merged.status).toBe(200);
      expect((await sheet.addRow({ a: 'x' })).status).toBe(201);
      expect((await sheet.changeColumn('a', { unique: false })).body.data.unique).toBe(false);
      await sheet.waitForUniqueValues(app, 0);
      expect((await sheet.addRow({ a: 'x' })).status).toBe(201);
    });

    const fitting: [object, object, unknown[], unknown][] = [
      [{ type: 'text' }, { type: 'email' }, ['ada@example.com', undefined], 'email'],
      [{ type: 'text' }, { type: 'decimal' }, ['1.50', '-0'], 'decimal'],
      [{ type: 'text' }, { type: 'datetime' }, ['2024-02-29T13:45:00.000Z'], 'datetime'],
      [{ type: 'number' }, { type: 'integer' }, [1, -5, 1e15], 'integer'],
      [{ type: 'integer' }, { type: 'number' }, [1], 'number'],
      [{ type: 'json' }, { type: 'multiSelect', ...choices('x', 'y') }, [['y', 'x'], []], 'y'],
      [{ type: 'boolean' }, { type: 'json' }, [true, false], 'json'],
      [{ type: 'select', ...choices('x') }, { type: 'text' }, ['x'], 'text'],
    ];

    it.each(fitting)('converts %j to %j if every value fits', async (from, to, values) => {
      const sheet = await sheetOf(from, values);
      const before = await sheet.values();
      const { status, body } = await sheet.changeColumn('a', to);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ options: {}, ...to });
      expect(await sheet.values()).toEqual(before);
    });

    it('keeps the choices for another type with choices and drops them for any other', async () => {
      const sheet = await sheetOf({ type: 'select', ...choices('x', 'y') }, []);
      const many = await sheet.changeColumn('a', { type: 'multiSelect' });
      expect(many.body.data.options).toEqual({ choices: ['x', 'y'] });
      const text = await sheet.changeColumn('a', { type: 'text' });
      expect(text.body.data.options).toEqual({});
    });

    it('adds choices and removes those that no row uses', async () => {
      const sheet = await sheetOf({ type: 'select', ...choices('x', 'y') }, ['x']);
      expect((await sheet.changeColumn('a', choices('z', 'x', 'y'))).status).toBe(200);
      const { status, body } = await sheet.changeColumn('a', choices('z', 'x'));
      expect([status, body.data.options]).toEqual([200, { choices: ['z', 'x'] }]);
      expect((await sheet.addRow({ a: 'y' })).status).toBe(400);
      expect((await sheet.addRow({ a: 'z' })).status).toBe(201);
    });

    it('compares unique decimals as numbers, and as text after a conversion to text', async () => {
      const sheet = await sheetOf({ type: 'decimal', unique: true }, ['1.5', '2']);
      expect((await sheet.addRow({ a: '1.50' })).status).toBe(409);
      expect((await sheet.changeColumn('a', { type: 'text' })).status).toBe(200);
      expect((await sheet.addRow({ a: '1.5' })).status).toBe(409);
      expect((await sheet.addRow({ a: '2.0' })).status).toBe(201);
    });
  });

  describe('an invalid request', () => {
    const wrong: [object, string, string][] = [
      [{ key: 'B' }, 'key', 'invalid_format'],
      [{ type: null }, 'type', 'not_a_choice'],
      [{ title: ' ' }, 'title', 'out_of_range'],
      [{ required: 1 }, 'required', 'wrong_type'],
      [{ options: [] }, 'options', 'wrong_type'],
      [{ options: { colour: 'red' } }, 'options.colour', 'unknown_property'],
      [choices('x'), 'options.choices', 'unknown_property'],
      [{ type: 'select' }, 'options.choices', 'required'],
      [{ type: 'select', ...choices('x', 'x') }, 'options.choices.1', 'duplicate_choice'],
      [{ type: 'json' }, 'unique', 'incompatible_parameters'],
      [{ type: 'multiSelect', ...choices('x') }, 'unique', 'incompatible_parameters'],
    ];

    it.each(wrong)('returns 400 for %j and names %s', async (change, field, code) => {
      const sheet = await sheetOf({ type: 'text', unique: true }, ['x']);
      const before = await sheet.read();
      const { status, body } = await sheet.changeColumn('a', change);
      expect(status).toBe(400);
      expect(body.error.details).toEqual([{ field, code, message: expect.any(String) }]);
      expect(await sheet.read()).toEqual(before);
    });
  });

  describe('a request without a key', () => {
    it('returns 401', async () => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { status } = await app.api().patch(`${sheet.path}/columns/a`, { title: 'T' });
      expect(status).toBe(401);
    });
  });

  describe('a request without the permission', () => {
    it.each(['viewer', 'editor'] as const)('returns 403 to the role %s', async (role) => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { api } = await app.newUser(owner.accountId, role);
      const response = await api.patch(`${sheet.path}/columns/a`, { title: 'T' });
      expect([response.status, response.body.error.code]).toEqual([403, 'forbidden']);
      const read = await api.get(`${sheet.path}/columns/a`);
      expect([read.status, read.body.data.title]).toEqual([200, 'a']);
    });
  });

  describe('a request for a missing column', () => {
    it.each(['b', 'A', 'a~1', '%00', 'a%20', '%C3%A4', '__proto__', 'a'.repeat(64)])(
      'returns 404 for the key %s',
      async (key) => {
        const sheet = await sheetOf({ type: 'text' }, []);
        expect((await sheet.changeColumn(key, { title: 'T' })).status).toBe(404);
        expect((await owner.api.get(`${sheet.path}/columns/${key}`)).status).toBe(404);
        expect((await sheet.removeColumn(key)).status).toBe(404);
        expect(await sheet.read()).toMatchObject({ revision: 0, columns: [{ key: 'a' }] });
      },
    );

    it('returns 404 for a column of another account', async () => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { api } = await app.newAccount();
      expect((await api.get(`${sheet.path}/columns/a`)).status).toBe(404);
      expect((await api.patch(`${sheet.path}/columns/a`, { title: 'T' })).status).toBe(404);
      expect((await sheet.read()).columns[0]?.title).toBe('a');
    });

    it('returns 404 for a removed column', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      await sheet.removeColumn('a');
      expect((await sheet.changeColumn('a', { title: 'T' })).status).toBe(404);
    });
  });
});
