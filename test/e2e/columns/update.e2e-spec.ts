import { randomBytes } from 'node:crypto';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  // Rows of more than is read at once.
  app = await TestApp.start({ settings: { ROW_LIMIT_BYTES: '2000000' } });
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = async (column: object, values: readonly unknown[]): Promise<Sheet> => {
  const sheet = await Sheet.create(owner.api, [{ key: 'a', ...column }]);
  await sheet.fill(values.map((a) => (a === undefined ? {} : { a })));
  return sheet;
};

const choices = (...names: string[]): object => ({ options: { choices: names } });

describe('PATCH /datagrids/{datagridId}/columns/{key}', () => {
  describe('200', () => {
    it('changes what is sent and keeps the rest', async () => {
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

    it('gives the column back where nothing is sent', async () => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { status, body } = await sheet.changeColumn('a', {});
      expect([status, body.data]).toEqual([200, (await sheet.read()).columns[0]]);
    });

    it('gives a page whose validator was taken before anew', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      const before = await owner.api.get(`${sheet.path}/rows`);
      await sheet.changeColumn('a', { title: 'T' });
      const after = await owner.api.get(`${sheet.path}/rows`);
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    });

    it('makes values unique, and lets them repeat again', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x', 'y', undefined, undefined]);
      expect((await sheet.changeColumn('a', { unique: true })).body.data.unique).toBe(true);
      expect(await sheet.uniqueValues(app)).toBe(2);
      expect((await sheet.addRow({ a: 'y' })).status).toBe(409);
      const merged = await owner.api.patch(`${sheet.path}/rows/1`, { values: { a: 'z' } });
      expect(merged.status).toBe(200);
      expect((await sheet.addRow({ a: 'x' })).status).toBe(201);
      expect((await sheet.changeColumn('a', { unique: false })).body.data.unique).toBe(false);
      expect(await sheet.uniqueValues(app)).toBe(0);
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

    it.each(fitting)('turns %j into %j where every value fits', async (from, to, values) => {
      const sheet = await sheetOf(from, values);
      const before = await sheet.values();
      const { status, body } = await sheet.changeColumn('a', to);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ options: {}, ...to });
      expect(await sheet.values()).toEqual(before);
    });

    it('drops the choices with the type that had them, and keeps them for one that has', async () => {
      const sheet = await sheetOf({ type: 'select', ...choices('x', 'y') }, []);
      const many = await sheet.changeColumn('a', { type: 'multiSelect' });
      expect(many.body.data.options).toEqual({ choices: ['x', 'y'] });
      const text = await sheet.changeColumn('a', { type: 'text' });
      expect(text.body.data.options).toEqual({});
    });

    it('adds choices, and takes away those that no row holds', async () => {
      const sheet = await sheetOf({ type: 'select', ...choices('x', 'y') }, ['x']);
      expect((await sheet.changeColumn('a', choices('z', 'x', 'y'))).status).toBe(200);
      const { status, body } = await sheet.changeColumn('a', choices('z', 'x'));
      expect([status, body.data.options]).toEqual([200, { choices: ['z', 'x'] }]);
      expect((await sheet.addRow({ a: 'y' })).status).toBe(400);
      expect((await sheet.addRow({ a: 'z' })).status).toBe(201);
    });

    it('compares unique decimals as numbers, and as text once they are text', async () => {
      const sheet = await sheetOf({ type: 'decimal', unique: true }, ['1.5', '2']);
      expect((await sheet.addRow({ a: '1.50' })).status).toBe(409);
      expect((await sheet.changeColumn('a', { type: 'text' })).status).toBe(200);
      expect((await sheet.addRow({ a: '1.5' })).status).toBe(409);
      expect((await sheet.addRow({ a: '2.0' })).status).toBe(201);
    });
  });

  describe('400', () => {
    const wrong: [object, string, string][] = [
      [{ key: 'b' }, 'key', 'unknown_member'],
      [{ type: null }, 'type', 'not_a_choice'],
      [{ title: ' ' }, 'title', 'invalid_text'],
      [{ required: 1 }, 'required', 'wrong_type'],
      [{ options: [] }, 'options', 'wrong_type'],
      [{ options: { colour: 'red' } }, 'options.colour', 'unknown_member'],
      [choices('x'), 'options.choices', 'unknown_member'],
      [{ type: 'select' }, 'options.choices', 'required'],
      [{ type: 'select', ...choices('x', 'x') }, 'options.choices.1', 'duplicate_choice'],
      [{ type: 'json' }, 'unique', 'not_possible'],
      [{ type: 'multiSelect', ...choices('x') }, 'unique', 'not_possible'],
    ];

    it.each(wrong)('refuses %j, naming %s', async (change, field, code) => {
      const sheet = await sheetOf({ type: 'text', unique: true }, ['x']);
      const before = await sheet.read();
      const { status, body } = await sheet.changeColumn('a', change);
      expect(status).toBe(400);
      expect(body.error.details).toEqual([{ field, code, message: expect.any(String) }]);
      expect(await sheet.read()).toEqual(before);
    });
  });

  describe('401', () => {
    it('is the answer without a key', async () => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { status } = await app.api().patch(`${sheet.path}/columns/a`, { title: 'T' });
      expect(status).toBe(401);
    });
  });

  describe('403', () => {
    it.each(['viewer', 'editor'] as const)('is the answer to a %s', async (role) => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { api } = await app.newUser(owner.accountId, role);
      const answer = await api.patch(`${sheet.path}/columns/a`, { title: 'T' });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
      const read = await api.get(`${sheet.path}/columns/a`);
      expect([read.status, read.body.data.title]).toEqual([200, 'a']);
    });
  });

  describe('404', () => {
    it.each(['b', 'A', 'a~1', '%00', 'a%20', '%C3%A4', '__proto__', 'a'.repeat(64)])(
      'is the answer for the key %s',
      async (key) => {
        const sheet = await sheetOf({ type: 'text' }, []);
        expect((await sheet.changeColumn(key, { title: 'T' })).status).toBe(404);
        expect((await owner.api.get(`${sheet.path}/columns/${key}`)).status).toBe(404);
        expect((await sheet.removeColumn(key)).status).toBe(404);
        expect(await sheet.read()).toMatchObject({ revision: 0, columns: [{ key: 'a' }] });
      },
    );

    it("is the answer for another account's column", async () => {
      const sheet = await sheetOf({ type: 'text' }, []);
      const { api } = await app.newAccount();
      expect((await api.get(`${sheet.path}/columns/a`)).status).toBe(404);
      expect((await api.patch(`${sheet.path}/columns/a`, { title: 'T' })).status).toBe(404);
      expect((await sheet.read()).columns[0]?.title).toBe('a');
    });

    it('is the answer for a removed column', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      await sheet.removeColumn('a');
      expect((await sheet.changeColumn('a', { title: 'T' })).status).toBe(404);
    });
  });

  describe('409', () => {
    const against = (field: string, message: string): object => ({
      code: 'conflict',
      message: `${field}: ${message}`,
      details: [{ field, code: 'rows_against', message }],
      requestId: expect.any(String),
    });

    it('counts the rows without a value, also over many batches', async () => {
      const values = Array.from({ length: 10_400 }, (_, n) =>
        n % 1_000 === 999 ? {} : { a: 'x' },
      );
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill(values);
      const { status, body } = await sheet.changeColumn('a', { required: true });
      expect(status).toBe(409);
      expect(body.error).toEqual(against('required', '10 rows have no value'));
      expect((await sheet.addRow({})).status).toBe(201);
    });

    it('counts the rows that repeat a value, also over many batches', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill(Array.from({ length: 10_400 }, (_, n) => ({ a: `v${String(n % 9_000)}` })));
      const { status, body } = await sheet.changeColumn('a', { unique: true });
      expect(status).toBe(409);
      expect(body.error).toEqual(against('unique', "1,400 rows repeat an earlier row's value"));
      expect(await sheet.uniqueValues(app)).toBe(0);
      expect((await sheet.read()).columns[0]?.unique).toBe(false);
    });

    it('counts the rows whose value is not of the type, also over many batches', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'number' }]);
      await sheet.fill(
        Array.from({ length: 10_400 }, (_, n) => ({ a: n % 1_000 === 7 ? 0.5 : n })),
      );
      const { status, body } = await sheet.changeColumn('a', { type: 'integer' });
      expect(status).toBe(409);
      const message = '11 rows hold a value that is not, as it stands, one of type integer';
      expect(body.error).toEqual(against('type', message));
    });

    it('reads rows that are larger than what is read at once', async () => {
      const sheet = await Sheet.create(owner.api, [
        { key: 'a', type: 'text' },
        { key: 'b', type: 'text' },
      ]);
      for (let n = 0; n < 5; n += 1) {
        const b = randomBytes(1_000_000).toString('base64');
        expect((await sheet.addRow({ a: n === 4 ? 'x' : '1', b })).status).toBe(201);
      }
      const { body } = await sheet.changeColumn('a', { type: 'decimal' });
      const message = '1 row holds a value that is not, as it stands, one of type decimal';
      expect(body.error).toEqual(against('type', message));
    });

    const unfit: [object, object, unknown[], string][] = [
      [{ type: 'text' }, { type: 'integer' }, ['1', '2'], 'integer'],
      [{ type: 'text' }, { type: 'boolean' }, ['true', 'false'], 'boolean'],
      [{ type: 'text' }, { type: 'select', ...choices('x') }, ['x', 'y', 'X'], 'select'],
      // A value of the type, but not as it would be stored.
      [
        { type: 'text' },
        { type: 'datetime' },
        ['2024-02-29T13:45:00Z', '2024-02-29T13:45:00.000+01:00', '2024-02-29T13:45:00.000Z'],
        'datetime',
      ],
    ];

    it.each(unfit)('does not convert %j to %j', async (from, to, values, type) => {
      const sheet = await sheetOf(from, values);
      const { status, body } = await sheet.changeColumn('a', to);
      expect(status).toBe(409);
      const message = `2 rows hold a value that is not, as it stands, one of type ${type}`;
      expect(body.error).toEqual(against('type', message));
      expect(await sheet.values()).toEqual(values.map((a) => ({ a })));
      expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text', options: {} });
    });

    it('keeps a choice that rows hold', async () => {
      const sheet = await sheetOf({ type: 'multiSelect', ...choices('x', 'y') }, [['x', 'y'], []]);
      const { status, body } = await sheet.changeColumn('a', choices('x', 'z'));
      expect(status).toBe(409);
      expect(body.error).toEqual(against('options', '1 row holds a choice that would go'));
    });

    it('names all that stands against it at once', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x', undefined]);
      const { body } = await sheet.changeColumn('a', {
        type: 'date',
        required: true,
        unique: true,
      });
      expect(body.error.details).toMatchObject([
        { field: 'required', message: '1 row has no value' },
        { field: 'type', code: 'rows_against' },
      ]);
    });

    it('keeps unique text text where as numbers some are equal', async () => {
      const sheet = await sheetOf({ type: 'text', unique: true }, ['1.5', '1.50', '2']);
      const { status, body } = await sheet.changeColumn('a', { type: 'decimal' });
      expect(status).toBe(409);
      expect(body.error).toEqual(against('unique', "1 row repeats an earlier row's value"));
      expect((await sheet.addRow({ a: '1.5' })).status).toBe(409);
      expect((await sheet.addRow({ a: '1.500' })).status).toBe(201);
    });
  });

  describe('while rows are written', () => {
    it('leaves no row without a value that became required', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      const [changed, ...created] = await sheet.race(
        app,
        () => sheet.changeColumn('a', { required: true }),
        () => sheet.addRow({}),
        () => owner.api.put(`${sheet.path}/rows/1`, { values: {} }),
        () => owner.api.patch(`${sheet.path}/rows/1`, { values: { a: null } }),
        () => sheet.addRow({ a: 'y' }),
      );
      expect(changed?.status).toBe(200);
      expect(created.map(({ status }) => status)).toEqual([400, 400, 400, 201]);
      expect(await sheet.values()).toEqual([{ a: 'x' }, { a: 'y' }]);
    });

    it('sees a row that was written while it waited', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      const [created, changed] = await sheet.race(
        app,
        () => sheet.addRow({}),
        () => sheet.changeColumn('a', { required: true }),
      );
      expect([created?.status, changed?.status]).toEqual([201, 409]);
      expect(changed?.body.error.message).toBe('required: 1 row has no value');
    });

    it('lets no value in twice that became unique', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x']);
      const [changed, ...created] = await sheet.race(
        app,
        () => sheet.changeColumn('a', { unique: true }),
        () => sheet.addRow({ a: 'x' }),
        () => sheet.addRow({ a: 'y' }),
      );
      expect(changed?.status).toBe(200);
      expect(created.map(({ status }) => status)).toEqual([409, 201]);
      expect(await sheet.uniqueValues(app)).toBe(2);
    });
  });
});
