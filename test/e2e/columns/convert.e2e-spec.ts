import { randomUUID } from 'node:crypto';
import { ConvertibleValueRepository } from '../../../src/rows/column-contents/convertible-value.repository';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { Sheet } from './sheet';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_ROW_BYTES: '100000' });
  owner = await app.newAccount();
});

afterAll(() => app.close());

const sheetOf = (column: object, values: readonly unknown[]): Promise<Sheet> =>
  Sheet.of(owner.api, column, values);

/** Returns the values of column `a`, `undefined` for rows without one. */
const valuesOf = async (sheet: Sheet): Promise<unknown[]> =>
  (await sheet.values()).map(({ a }: { a?: unknown }) => a);

const choices = (...names: string[]): object => ({ options: { choices: names } });

describe('PATCH /datagrids/{datagridId}/columns/{key} with convert', () => {
  const cases: [from: object, to: object, values: unknown[], converted: unknown[]][] = [
    [
      { type: 'text' },
      { type: 'integer' },
      ['1', ' -20 ', '3.0', '2.5', '1,000', '007', '9007199254740993', '', 'abc', undefined],
      [1, -20, 3, ...Array.from({ length: 7 })],
    ],
    [
      { type: 'text' },
      { type: 'number' },
      ['1.10', '1e3', '0.1', '0.1000000000000000055511151231257827', '1e400', '.5', '0x10'],
      [1.1, 1000, 0.1, ...Array.from({ length: 4 })],
    ],
    [
      { type: 'text' },
      { type: 'decimal' },
      [' 1204.50', '12345678901234567890123456789012345678', '1e3', '+1'],
      ['1204.50', '12345678901234567890123456789012345678', undefined, undefined],
    ],
    [
      { type: 'text' },
      { type: 'boolean' },
      ['true', 'No', ' YES ', '1', '0', 'false', 'on', '2'],
      [true, false, true, true, false, false, undefined, undefined],
    ],
    [
      { type: 'text' },
      { type: 'date' },
      [' 2024-02-29', '2024-02-29T00:00:00Z', '2024-02-29T01:00:00Z', '2023-02-29', '29.2.2024'],
      ['2024-02-29', '2024-02-29', undefined, undefined, undefined],
    ],
    [
      { type: 'text' },
      { type: 'datetime' },
      [
        '2024-02-29',
        '2024-02-29T13:45:00+01:00',
        '2024-02-29T13:45:00',
        '2024-02-29T13:45:00.1234Z',
      ],
      ['2024-02-29T00:00:00.000Z', '2024-02-29T12:45:00.000Z', undefined, undefined],
    ],
    [
      { type: 'number' },
      { type: 'text' },
      [1.5, 1e21, -0.001],
      ['1.5', '1000000000000000000000', '-0.001'],
    ],
    [
      { type: 'number' },
      { type: 'decimal' },
      [1.5, 1e21, 1e300],
      ['1.5', '1000000000000000000000', undefined],
    ],
    [{ type: 'number' }, { type: 'integer' }, [1, 1.5, 1e300], [1, undefined, undefined]],
    [{ type: 'boolean' }, { type: 'text' }, [true, false], ['true', 'false']],
    [{ type: 'boolean' }, { type: 'integer' }, [true, false], [1, 0]],
    [{ type: 'integer' }, { type: 'boolean' }, [1, 0, 2], [true, false, undefined]],
    [
      { type: 'datetime' },
      { type: 'date' },
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:01Z'],
      ['2024-02-29', undefined],
    ],
    [{ type: 'date' }, { type: 'datetime' }, ['2024-02-29'], ['2024-02-29T00:00:00.000Z']],
    [
      { type: 'text' },
      { type: 'email' },
      [' ada@example.com ', 'ada'],
      ['ada@example.com', undefined],
    ],
    [
      { type: 'json' },
      { type: 'text' },
      ['x', 1.5, { b: [1, '"'] }],
      ['x', '1.5', '{"b": [1, "\\""]}'],
    ],
    [{ type: 'json' }, { type: 'integer' }, ['7', 7, [7], { n: 7 }], [7, 7, undefined, undefined]],
    [
      { type: 'text' },
      { type: 'select', ...choices('x', 'y') },
      ['x', ' y', 'X'],
      ['x', 'y', undefined],
    ],
    [{ type: 'select', ...choices('x', 'y') }, { ...choices('y') }, ['x', 'y'], [undefined, 'y']],
    [
      { type: 'select', ...choices('x', 'a,b') },
      { type: 'multiSelect' },
      ['x', 'a,b'],
      [['x'], ['a,b']],
    ],
    [
      { type: 'text' },
      { type: 'multiSelect', ...choices('x', 'y') },
      ['x, y', '["y","x"]', 'x,x', 'z', ''],
      [['x', 'y'], ['y', 'x'], undefined, undefined, undefined],
    ],
    [
      { type: 'multiSelect', ...choices('x', 'y') },
      { type: 'select', ...choices('x', 'y') },
      [['x'], ['x', 'y'], []],
      ['x', undefined, undefined],
    ],
  ];

  it.each(cases)(
    'converts %j to %j exactly, and clears what does not convert',
    async (from, to, values, converted) => {
      const sheet = await sheetOf(from, values);
      const changed = await sheet.changeColumn('a', { ...to, convert: true });
      expect(dataOf(changed, 200)).toMatchObject({ ...from, ...to });
      expect(await valuesOf(sheet)).toEqual(converted);
    },
  );

  it('previews what converts and what becomes empty, with examples', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['1', ' 2', 'abc', undefined, '2.5']);
    const body = { type: 'integer', convert: true };
    const preview = await owner.api.post(`${sheet.path}/columns/a/preview`, body);
    expect(dataOf(preview, 200)).toEqual({
      rows: 5,
      checked: 5,
      conflicting: 0,
      examples: [],
      conversion: {
        converted: 2,
        emptied: 2,
        convertedExamples: [
          { rowId: 1, value: '1', converted: 1 },
          { rowId: 2, value: ' 2', converted: 2 },
        ],
        emptiedExamples: [
          { rowId: 3, value: 'abc', converted: null },
          { rowId: 5, value: '2.5', converted: null },
        ],
      },
    });
    expect(await valuesOf(sheet)).toEqual(['1', ' 2', 'abc', undefined, '2.5']);
  });

  it('takes the choices of a select from the values, and previews them', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['b', 'a ', 'b', '', 'x'.repeat(201)]);
    const body = { type: 'select', convert: true };
    const preview = await owner.api.post(`${sheet.path}/columns/a/preview`, body);
    expect(dataOf(preview, 200)).toMatchObject({ choices: ['b', 'a'], conversion: { emptied: 2 } });
    const changed = await sheet.changeColumn('a', body);
    expect(dataOf(changed, 200).options).toEqual({ choices: ['b', 'a'] });
    expect(await valuesOf(sheet)).toEqual(['b', 'a', 'b', undefined, undefined]);
  });

  it('returns 409 if a select would have more than 1,000 choices', async () => {
    const sheet = await sheetOf(
      { type: 'text' },
      Array.from({ length: 1_001 }, (_, n) => `v${n}`),
    );
    const { status, body } = await sheet.changeColumn('a', { type: 'select', convert: true });
    expect([status, body.error.message]).toEqual([
      409,
      'options.choices: has more than 1,000 different values',
    ]);
  });

  it('returns 409 and changes nothing if a required column would lose a value', async () => {
    const sheet = await sheetOf({ type: 'text', required: true }, ['1', 'abc']);
    const body = { type: 'integer', convert: true };
    const failed = await sheet.changeColumn('a', body);
    expectFailure(failed, 'conflict', ['type conflicting_rows']);
    expect(failed.body.error.message).toBe(
      'type: 1 row has a value that does not convert to type integer',
    );
    const preview = await owner.api.post(`${sheet.path}/columns/a/preview`, body);
    expect(dataOf(preview, 200)).toMatchObject({
      conflicting: 1,
      field: 'type',
      examples: [{ rowId: 2, value: 'abc' }],
    });
    expect(await valuesOf(sheet)).toEqual(['1', 'abc']);
    expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text' });
  });

  it('returns 409 and changes nothing if converted values of a unique column are equal', async () => {
    const sheet = await sheetOf({ type: 'text', unique: true }, ['1', ' 1', '2']);
    const before = await sheet.versions(app);
    const failed = await sheet.changeColumn('a', { type: 'integer', convert: true });
    expectFailure(failed, 'conflict', ['unique conflicting_rows']);
    expect(await valuesOf(sheet)).toEqual(['1', ' 1', '2']);
    expect(await sheet.versions(app)).toEqual(before);
    expect((await sheet.addRow({ a: '1' })).status).toBe(409);
  });

  it('keeps converted values of a unique column unique', async () => {
    const sheet = await sheetOf({ type: 'text', unique: true }, [' 1', '2', 'x', 'y']);
    dataOf(await sheet.changeColumn('a', { type: 'integer', convert: true }), 200);
    expect((await sheet.addRow({ a: 1 })).status).toBe(409);
    expect((await sheet.addRow({ a: 3 })).status).toBe(201);
    await sheet.waitForUniqueValues(app, 3);
  });

  it('builds the index of the column again from the converted values', async () => {
    const sheet = await sheetOf({ type: 'text', indexed: true }, [
      ' 2024-02-29',
      'x',
      '2023-01-01',
    ]);
    dataOf(await sheet.changeColumn('a', { type: 'date', convert: true }), 200);
    for (let round = 0; round < 3; round += 1) {
      await app.nest.get(IndexBuildService, { strict: false }).runOnce();
    }
    expect((await sheet.read()).columns[0]).not.toHaveProperty('indexing');
    const query = `filter=${encodeURIComponent('{"a":{"$gte":"2023-06-01"}}')}`;
    const { body } = await owner.api.get(`${sheet.path}/rows?${query}&sort=a`);
    expect(body.data).toMatchObject([{ id: 1, values: { a: '2024-02-29' } }]);
    const sorted = await owner.api.get(`${sheet.path}/rows?sort=a`);
    expect((sorted.body.data as { id: number }[]).map(({ id }) => id)).toEqual([3, 1, 2]);
  });

  it('writes the changed rows as one update to the change feed', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['1', 'x', undefined]);
    const { body: page } = await owner.api.get(`${sheet.path}/changes?limit=200`);
    dataOf(await sheet.changeColumn('a', { type: 'integer', convert: true }), 200);
    const { body } = await owner.api.get(`${sheet.path}/changes?cursor=${page.meta.nextCursor}`);
    expect(body.data).toMatchObject([
      { op: 'schema', revision: 3, columns: [{ key: 'a', type: 'integer' }] },
      { op: 'set', row: { id: 1, values: { a: 1 } } },
      { op: 'set', row: { id: 2, values: {} } },
    ]);
  });

  it('keeps the values before the conversion in the history, if it is on', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['1', 'x']);
    dataOf(await owner.api.patch(sheet.path, { history: true }), 200);
    dataOf(await sheet.changeColumn('a', { type: 'integer', convert: true }), 200);
    const { body } = await owner.api.get(`${sheet.path}/rows/2/history`);
    expect(body.data[1]).toMatchObject({ values: { a: 'x' } });
  });

  it('converts rows over many batches, and rejects a write that was checked before', async () => {
    const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'text' }]);
    await sheet.fill(
      Array.from({ length: 10_400 }, (_, n) => ({ a: n % 1_000 === 7 ? 'x' : `${n}` })),
    );
    const [changed, added] = await sheet.race(
      app,
      () => sheet.changeColumn('a', { type: 'integer', convert: true }),
      () => sheet.addRow({ a: '12' }),
    );
    expect([changed?.status, added?.status]).toEqual([200, 400]);
    const { rows } = await app.sql.query<{ kind: string; count: number }>(
      `SELECT jsonb_typeof("values" -> 'a') AS kind, count(*)::int AS count FROM rows
       WHERE datagrid_id = $1 GROUP BY 1 ORDER BY 2`,
      [sheet.id],
    );
    expect(rows).toEqual([
      { kind: null, count: 11 },
      { kind: 'number', count: 10_389 },
    ]);
  });

  it('applies a repeated request with an idempotency key once', async () => {
    const sheet = await sheetOf({ type: 'text' }, ['1']);
    const key = { 'Idempotency-Key': randomUUID() };
    const send = (): Promise<ApiResponse> =>
      owner.api.patch(`${sheet.path}/columns/a`, { type: 'integer', convert: true }, key);
    const first = await send();
    expect(dataOf(first, 200)).toMatchObject({ type: 'integer' });
    dataOf(await sheet.changeColumn('a', { type: 'text', convert: true }), 200);
    const second = await send();
    expect(second.text).toBe(first.text);
    expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text' });
    expect(await valuesOf(sheet)).toEqual(['1']);
  });

  it('returns 409 if a row would exceed the maximum size', async () => {
    const sheet = await Sheet.create(owner.api, [{ key: 'a', type: 'json' }]);
    const a = Array.from({ length: 15_000 }, () => '"');
    expect((await sheet.addRow({ a })).status).toBe(201);
    const failed = await sheet.changeColumn('a', { type: 'text', convert: true });
    expectFailure(failed, 'conflict', []);
    expect(failed.body.error.message).toMatch(/^Row 1 would have more than \d+ bytes after the/);
    expect((await sheet.read()).columns[0]).toMatchObject({ type: 'json' });
  });

  it.each(['integer', 'select'])(
    'returns 409 for more than 500,000 rows, before values are read, to become %s',
    async (type) => {
      // So many different values that a list of choices would be rejected, too.
      const values = Array.from({ length: 1_001 }, (_, n) => `v${String(n)}`);
      const sheet = await sheetOf({ type: 'text' }, values);
      const count = 'UPDATE datagrid_counters SET row_count = $2 WHERE datagrid_id = $1';
      await app.sql.query(count, [sheet.id, 500_001]);
      const read = jest.spyOn(app.nest.get(ConvertibleValueRepository), 'read');
      const failed = await sheet.changeColumn('a', { type, convert: true });
      expectFailure(failed, 'conflict', []);
      expect(failed.body.error.message).toMatch(
        /^This datagrid has 500,001 rows\. A column can be converted in up to 500,000 rows\./,
      );
      expect(read).not.toHaveBeenCalled();
      read.mockRestore();
      await app.sql.query(count, [sheet.id, values.length]);
    },
  );

  it('changes nothing if the conversion takes longer than 60 seconds', async () => {
    // More than a first batch.
    const values = Array.from({ length: 2_000 }, (_, n) => `${String(n)}${' '.repeat(50)}`);
    const sheet = await sheetOf({ type: 'text' }, values);
    const repository = app.nest.get(ConvertibleValueRepository);
    const [read, now] = [repository.read.bind(repository), performance.now.bind(performance)];
    let passedMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    const slow = jest.spyOn(repository, 'read').mockImplementationOnce(async (column, batch) => {
      const rows = await read(column, batch);
      passedMs = 60_001;
      return rows;
    });
    const failed = await sheet.changeColumn('a', { type: 'integer', convert: true });
    clock.mockRestore();
    slow.mockRestore();
    expectFailure(failed, 'query_too_expensive', []);
    expect((await sheet.read()).columns[0]).toMatchObject({ type: 'text' });
    const { rows } = await app.sql.query<{ changed: number }>(
      `SELECT count(*) FILTER (WHERE jsonb_typeof("values" -> 'a') <> 'string')::int AS changed
       FROM rows WHERE datagrid_id = $1`,
      [sheet.id],
    );
    expect(rows).toEqual([{ changed: 0 }]);
  });
});
