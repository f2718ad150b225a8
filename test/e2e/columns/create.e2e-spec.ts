import { TestApp, type Member } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_COLUMNS: '3' });
  owner = await app.newAccount();
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/columns', () => {
  describe('a valid request', () => {
    it('adds a column with default attributes as the last one', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      const before = await sheet.readAged(app);
      const { status, body } = await sheet.addColumn({ key: 'amount', type: 'decimal' });
      const column = {
        key: 'amount',
        title: 'amount',
        type: 'decimal',
        required: false,
        unique: false,
        indexed: false,
        options: {},
      };
      expect(status).toBe(201);
      expect(body).toEqual({ data: column });
      const after = await sheet.read();
      expect(after.columns).toEqual([before.columns[0], column]);
      expect(after.revision).toBe(before.revision + 1);
      expect(after.updatedAt > before.updatedAt).toBe(true);
    });

    it('adds a column with all attributes', async () => {
      const sheet = await Sheet.create(owner.api);
      const column = {
        key: 'state',
        title: 'State of it',
        type: 'select',
        required: true,
        unique: true,
        indexed: true,
        options: { choices: ['open', 'closed'] },
      };
      const { status, body } = await sheet.addColumn(column);
      expect(status).toBe(201);
      expect(body.data).toEqual(column);
      expect((await sheet.addRow({})).status).toBe(400);
      expect((await sheet.addRow({ state: 'open' })).status).toBe(201);
      expect((await sheet.addRow({ state: 'open' })).status).toBe(409);
    });

    it('allows values of the new column in existing rows', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill([{ a: 'x' }]);
      await sheet.addColumn({ key: 'n', type: 'integer', unique: true });
      expect(await sheet.values()).toEqual([{ a: 'x' }]);
      const merged = await owner.api.patch(`${sheet.path}/rows/1`, { values: { n: 7 } });
      expect(merged.body.data.values).toEqual({ a: 'x', n: 7 });
      expect((await sheet.addRow({ n: 7 })).status).toBe(409);
    });

    it('does not count removed columns toward the limit', async () => {
      const sheet = await Sheet.create(owner.api);
      for (const key of ['a', 'b', 'c']) {
        expect((await sheet.addColumn({ key, type: 'text' })).status).toBe(201);
      }
      await sheet.removeColumn('b');
      expect((await sheet.addColumn({ key: 'd', type: 'text' })).status).toBe(201);
    });

    it('adds columns that are sent concurrently, up to the limit', async () => {
      const sheet = await Sheet.create(owner.api);
      const keys = ['a', 'b', 'c', 'd', 'e'];
      const responses = await Promise.all(
        keys.map((key) => sheet.addColumn({ key, type: 'text' })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400]);
      expect((await sheet.read()).columns).toHaveLength(3);
    });
  });

  describe('an invalid request', () => {
    const wrong: [object, string, string][] = [
      [{ type: 'text' }, 'key', 'invalid_format'],
      [{ key: 'Upper', type: 'text' }, 'key', 'invalid_format'],
      [{ key: 'a~2', type: 'text' }, 'key', 'invalid_format'],
      [{ key: 'a', type: 'money' }, 'type', 'not_a_choice'],
      [{ key: 'a', type: 'text', required: 'yes' }, 'required', 'wrong_type'],
      [{ key: 'a', type: 'text', id: 7 }, 'id', 'unknown_property'],
      [{ key: 'a', type: 'select' }, 'options.choices', 'required'],
      [
        { key: 'a', type: 'text', options: { choices: ['x'] } },
        'options.choices',
        'unknown_property',
      ],
      [{ key: 'a', type: 'json', unique: true }, 'unique', 'incompatible_parameters'],
    ];

    it.each(wrong)('returns 400 for %j and names %s', async (column, field, code) => {
      const sheet = await Sheet.create(owner.api);
      const { status, body } = await sheet.addColumn(column);
      expect(status).toBe(400);
      expect(body.error.code).toBe('invalid_request');
      expect(body.error.details).toEqual([{ field, code, message: expect.any(String) }]);
      expect(await sheet.read()).toMatchObject({ columns: [], revision: 0 });
    });

    it('returns 400 for one column more than the limit', async () => {
      const columns = ['a', 'b', 'c'].map((key) => ({ key, type: 'text' }));
      const sheet = await Sheet.create(owner.api, columns);
      const { status, body } = await sheet.addColumn({ key: 'd', type: 'text' });
      expect(status).toBe(400);
      expect(body.error.details).toEqual([
        { field: 'columns', code: 'out_of_range', message: 'must not contain more than 3 columns' },
      ]);
    });
  });

  describe('a request without a key', () => {
    it('returns 401', async () => {
      const sheet = await Sheet.create(owner.api);
      const { status } = await app.api().post(`${sheet.path}/columns`, { key: 'a', type: 'text' });
      expect(status).toBe(401);
    });
  });

  describe('a request without the permission', () => {
    it.each(['viewer', 'editor'] as const)('returns 403 to the role %s', async (role) => {
      const sheet = await Sheet.create(owner.api);
      const { api } = await app.newUser(owner.accountId, role);
      const response = await api.post(`${sheet.path}/columns`, { key: 'a', type: 'text' });
      expect([response.status, response.body.error.code]).toEqual([403, 'forbidden']);
      expect((await sheet.read()).columns).toEqual([]);
    });
  });

  describe('a request for a missing datagrid', () => {
    it('returns the same 404 for an unknown datagrid and one of another account', async () => {
      const sheet = await Sheet.create(owner.api);
      const otherAccount = await app.newAccount();
      const column = { key: 'a', type: 'text' };
      const foreign = await otherAccount.api.post(`${sheet.path}/columns`, column);
      const random = '/datagrids/019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12/columns';
      const missing = await otherAccount.api.post(random, column);
      expect([foreign.status, missing.status]).toEqual([404, 404]);
      const { requestId } = foreign.body.error;
      expect({ ...missing.body.error, requestId }).toEqual(foreign.body.error);
      expect(await sheet.read()).toMatchObject({ columns: [], revision: 0 });
    });
  });

  describe('a conflicting request', () => {
    it('returns 409 if the key is already used', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      const { status, body } = await sheet.addColumn({ key: 'a', type: 'integer' });
      expect(status).toBe(409);
      expect(body.error.code).toBe('conflict');
      expect(body.error.details).toEqual([
        {
          field: 'key',
          code: 'duplicate',
          message: 'is already used by another column in this datagrid',
        },
      ]);
      expect((await sheet.read()).columns).toMatchObject([{ key: 'a', type: 'text' }]);
    });

    it('adds one of two columns that are sent concurrently with the same key', async () => {
      const sheet = await Sheet.create(owner.api);
      const column = { key: 'a', type: 'text' };
      const responses = await Promise.all([sheet.addColumn(column), sheet.addColumn(column)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    });

    it('returns 409 with the number of rows that conflict with a required column', async () => {
      const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
      await sheet.fill(Array.from({ length: 1_204 }, () => ({})));
      const { status, body } = await sheet.addColumn({ key: 'b', type: 'text', required: true });
      expect(status).toBe(409);
      expect(body.error.message).toBe('required: 1,204 rows have no value');
      expect(body.error.details).toEqual([
        { field: 'required', code: 'conflicting_rows', message: '1,204 rows have no value' },
      ]);
      expect((await sheet.read()).columns).toHaveLength(1);
    });
  });
});
