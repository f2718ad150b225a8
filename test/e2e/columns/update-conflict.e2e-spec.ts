import { randomBytes } from 'node:crypto';
import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  // Allows rows that are larger than one batch.
  app = await TestApp.shared({ MAX_ROW_BYTES: '2000000' });
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

const choices = (...names: string[]): object => ({ options: { choices: names } });

describe('PATCH /datagrids/{datagridId}/columns/{key}', () => {
  describe('a conflicting request', () => {
    const conflictError = (field: string, message: string): object => ({
      code: 'conflict',
      message: `${field}: ${message}`,
      details: [{ field, code: 'conflicting_rows', message }],
      requestId: expect.any(String),
    });

    it('returns 409 with the number of rows without a value over many batches', async () => {
      const values = Array.from({ length: 10_400 }, (_, n) =>
        n % 1_000 === 999 ? {} : { a: 'x' },
      );
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill(values);
      const { status, body } = await sheet.changeColumn('a', { required: true });
      expect(status).toBe(409);
      expect(body.error).toEqual(conflictError('required', '10 rows have no value'));
      expect((await sheet.addRow({})).status).toBe(201);
    });

    it('returns 409 with the number of rows with a duplicate value over many batches', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill(Array.from({ length: 10_400 }, (_, n) => ({ a: `v${String(n % 9_000)}` })));
      const { status, body } = await sheet.changeColumn('a', { unique: true });
      expect(status).toBe(409);
      expect(body.error).toEqual(
        conflictError('unique', '1,400 rows have the same value as an earlier row'),
      );
      await sheet.waitForUniqueValues(app, 0);
      expect((await sheet.read()).columns[0]?.unique).toBe(false);
    });

    it('returns 409 with the number of rows whose value does not fit the type over many batches', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'number' }]);
      await sheet.fill(
        Array.from({ length: 10_400 }, (_, n) => ({ a: n % 1_000 === 7 ? 0.5 : n })),
      );
      const { status, body } = await sheet.changeColumn('a', { type: 'integer' });
      expect(status).toBe(409);
      const message = '11 rows have a value that is not valid for type integer';
      expect(body.error).toEqual(conflictError('type', message));
    });

    it('checks rows that are larger than one batch', async () => {
      const sheet = await Sheet.create(owner.api, [
        { key: 'a', type: 'text' },
        { key: 'b', type: 'text' },
      ]);
      for (let n = 0; n < 3; n += 1) {
        const b = randomBytes(1_000_000).toString('base64');
        expect((await sheet.addRow({ a: n === 2 ? 'x' : '1', b })).status).toBe(201);
      }
      const { body } = await sheet.changeColumn('a', { type: 'decimal' });
      const message = '1 row has a value that is not valid for type decimal';
      expect(body.error).toEqual(conflictError('type', message));
    });

    const unfit: [object, object, unknown[], string][] = [
      [{ type: 'text' }, { type: 'integer' }, ['1', '2'], 'integer'],
      [{ type: 'text' }, { type: 'boolean' }, ['true', 'false'], 'boolean'],
      [{ type: 'text' }, { type: 'select', ...choices('x') }, ['x', 'y', 'X'], 'select'],
      // The first two are valid datetimes, but not in the stored form.
      [
        { type: 'text' },
        { type: 'datetime' },
        ['2024-02-29T13:45:00Z', '2024-02-29T13:45:00.000+01:00', '2024-02-29T13:45:00.000Z'],
        'datetime',
      ],
    ];

    it.each(unfit)('returns 409 and does not convert %j to %j', async (from, to, values, type) => {
      const sheet = await sheetOf(from, values);
      const { status, body } = await sheet.changeColumn('a', to);
      expect(status).toBe(409);
      const message = `2 rows have a value that is not valid for type ${type}`;
      expect(body.error).toEqual(conflictError('type', message));
      expect(await sheet.values()).toEqual(values.map((a) => ({ a })));
      expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text', options: {} });
    });

    it('returns 409 for the removal of a choice that rows use', async () => {
      const sheet = await sheetOf({ type: 'multiSelect', ...choices('x', 'y') }, [['x', 'y'], []]);
      const { status, body } = await sheet.changeColumn('a', choices('x', 'z'));
      expect(status).toBe(409);
      expect(body.error).toEqual(
        conflictError('options', '1 row has a choice that would be removed'),
      );
    });

    it('lists all conflicts in one response', async () => {
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

    it('returns 409 if unique texts are equal as decimals', async () => {
      const sheet = await sheetOf({ type: 'text', unique: true }, ['1.5', '1.50', '2']);
      const { status, body } = await sheet.changeColumn('a', { type: 'decimal' });
      expect(status).toBe(409);
      expect(body.error).toEqual(
        conflictError('unique', '1 row has the same value as an earlier row'),
      );
      expect((await sheet.addRow({ a: '1.5' })).status).toBe(409);
      expect((await sheet.addRow({ a: '1.500' })).status).toBe(201);
    });
  });
});
