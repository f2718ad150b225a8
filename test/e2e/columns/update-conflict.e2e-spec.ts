import { randomBytes } from 'node:crypto';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  // Rows of more than is read at once.
  app = await TestApp.start({ settings: { MAX_ROW_BYTES: '2000000' } });
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

const choices = (...names: string[]): object => ({ options: { choices: names } });

describe('PATCH /datagrids/{datagridId}/columns/{key}', () => {
  describe('409', () => {
    const against = (field: string, message: string): object => ({
      code: 'conflict',
      message: `${field}: ${message}`,
      details: [{ field, code: 'conflicting_rows', message }],
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
      expect(body.error).toEqual(
        against('unique', '1,400 rows have the same value as an earlier row'),
      );
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
      const message = '11 rows have a value that is not valid for type integer';
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
      const message = '1 row has a value that is not valid for type decimal';
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
      const message = `2 rows have a value that is not valid for type ${type}`;
      expect(body.error).toEqual(against('type', message));
      expect(await sheet.values()).toEqual(values.map((a) => ({ a })));
      expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text', options: {} });
    });

    it('keeps a choice that rows hold', async () => {
      const sheet = await sheetOf({ type: 'multiSelect', ...choices('x', 'y') }, [['x', 'y'], []]);
      const { status, body } = await sheet.changeColumn('a', choices('x', 'z'));
      expect(status).toBe(409);
      expect(body.error).toEqual(against('options', '1 row has a choice that would be removed'));
    });

    it('names all that conflicts with it at once', async () => {
      const sheet = await sheetOf({ type: 'text' }, ['x', undefined]);
      const { body } = await sheet.changeColumn('a', {
        type: 'date',
        required: true,
        unique: true,
      });
      expect(body.error.details).toMatchObject([
        { field: 'required', message: '1 row has no value' },
        { field: 'type', code: 'conflicting_rows' },
      ]);
    });

    it('keeps unique text text where as numbers some are equal', async () => {
      const sheet = await sheetOf({ type: 'text', unique: true }, ['1.5', '1.50', '2']);
      const { status, body } = await sheet.changeColumn('a', { type: 'decimal' });
      expect(status).toBe(409);
      expect(body.error).toEqual(against('unique', '1 row has the same value as an earlier row'));
      expect((await sheet.addRow({ a: '1.5' })).status).toBe(409);
      expect((await sheet.addRow({ a: '1.500' })).status).toBe(201);
    });
  });
});
