import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'status', type: 'select', options: { choices: ['open', 'paid'] } },
  { key: 'amount', type: 'decimal' },
  { key: 'units', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'done', type: 'boolean' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'name', type: 'text' },
  { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  { key: 'more', type: 'json' },
];

const ROWS = [
  {
    ...{ status: 'open', amount: '1.10', units: 9007199254740991, weight: 0.1, done: true },
    ...{ day: '2026-01-31', at: '2026-01-31T23:30:00.000Z', name: 'Ann', tags: ['a'], more: {} },
  },
  {
    ...{ status: 'open', amount: '2.2', units: 9007199254740991, weight: 0.2, done: false },
    ...{ day: '2026-02-01', at: '2026-02-01T00:30:00.000Z', name: 'Bob', tags: [] },
  },
  { status: 'paid', amount: '1.1', units: 1, weight: 1e21, day: '2026-02-28', name: 'Ann' },
  { status: 'paid', amount: '99999999999999999999.999999999999999999', name: 'ann' },
  { amount: '-0.5' },
];

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  await team.editor.api.post(`${datagrid}/rows`, { rows: ROWS.map((values) => ({ values })) });
});

afterAll(() => app.close());

interface Groups {
  readonly data: readonly { readonly group: object; readonly values: Record<string, unknown> }[];
  readonly meta: object;
}

async function aggregated(body: object): Promise<Groups> {
  const response = await team.viewer.api.post(`${datagrid}/rows/aggregate`, body);
  expect(response.body.error).toBeUndefined();
  expect(response.status).toBe(200);
  return response.body;
}

async function expectRejected(body: object, details: readonly string[]): Promise<void> {
  const response = await team.viewer.api.post(`${datagrid}/rows/aggregate`, body);
  expectFailure(response, 'invalid_request', [...details]);
}

describe('POST /datagrids/{datagridId}/rows/aggregate', () => {
  it('counts all rows as one group without groupBy', async () => {
    expect(await aggregated({})).toEqual({
      data: [{ group: {}, values: { count: 5 } }],
      meta: { total: 1 },
    });
  });

  it('returns one group without rows, or none with groupBy, if no row matches', async () => {
    const filter = { name: 'Nobody' };
    const aggregates = [{ function: 'count' }, { function: 'sum', column: 'amount' }];
    expect(await aggregated({ filter, aggregates })).toEqual({
      data: [{ group: {}, values: { count: 0, sum_amount: null } }],
      meta: { total: 1 },
    });
    expect(await aggregated({ filter, aggregates, groupBy: [{ column: 'status' }] })).toEqual({
      ...{ data: [], meta: { total: 0 } },
    });
  });

  it('computes exact results of each group, with the group of rows without a value last', async () => {
    const functions = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'];
    const aggregates = [
      { function: 'count', as: 'rows' },
      ...functions.map((name) => ({ function: name, column: 'amount' })),
    ];
    const { data, meta } = await aggregated({ groupBy: [{ column: 'status' }], aggregates });
    expect(meta).toEqual({ total: 3 });
    expect(data).toEqual([
      {
        group: { status: 'open' },
        values: {
          ...{ rows: 2, count_amount: 2, countDistinct_amount: 2, sum_amount: '3.30' },
          ...{ avg_amount: '1.65', min_amount: '1.10', max_amount: '2.20' },
        },
      },
      {
        group: { status: 'paid' },
        values: {
          ...{ rows: 2, count_amount: 2, countDistinct_amount: 2 },
          sum_amount: '100000000000000000001.099999999999999999',
          avg_amount: '50000000000000000000.55',
          min_amount: '1.100000000000000000',
          max_amount: '99999999999999999999.999999999999999999',
        },
      },
      {
        group: { status: null },
        values: {
          ...{ rows: 1, count_amount: 1, countDistinct_amount: 1, sum_amount: '-0.5' },
          ...{ avg_amount: '-0.5', min_amount: '-0.5', max_amount: '-0.5' },
        },
      },
    ]);
  });

  it('returns minimums and maximums of decimals that a filter accepts', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [{ key: 'amount', type: 'decimal' }]);
    const amounts = ['9'.repeat(38), '0.000000000000000001', '-0.10'];
    await api.post(`${path}/rows`, { rows: amounts.map((amount) => ({ values: { amount } })) });
    const aggregates = ['min', 'max'].map((name) => ({ function: name, column: 'amount' }));
    const response = await api.post(`${path}/rows/aggregate`, { aggregates });
    const [{ values }] = (response.body as { data: [{ values: Record<string, string> }] }).data;
    expect(values).toEqual({ min_amount: '-0.100000000000000000', max_amount: amounts[0] });
    for (const amount of Object.values(values)) {
      const found = await api.post(`${path}/rows/query`, { filter: { amount } });
      expect(dataOf(found, 200)).toHaveLength(1);
    }
  });

  it('adds integers and numbers without losing digits', async () => {
    const aggregates = ['units', 'weight'].flatMap((column) => [
      ...['sum', 'min', 'max'].map((name) => ({ function: name, column })),
    ]);
    const filter = { status: { $isNull: false } };
    const { data } = await aggregated({ filter, aggregates });
    expect(data[0]?.values).toEqual({
      ...{ sum_units: '18014398509481983', min_units: 1, max_units: 9007199254740991 },
      ...{ sum_weight: '1000000000000000000000.3', min_weight: 0.1, max_weight: 1e21 },
    });
  });

  it('returns values of groups, minimums and maximums as rows have them', async () => {
    const columns = ['day', 'at', 'name'];
    const aggregates = columns.flatMap((column) => [
      { function: 'min', column },
      { function: 'max', column },
    ]);
    const { data } = await aggregated({ groupBy: [{ column: 'done' }], aggregates });
    expect(data.map(({ group }) => group)).toEqual([
      { done: false },
      { done: true },
      { done: null },
    ]);
    expect(data[2]?.values).toEqual({
      ...{ min_day: '2026-02-28', max_day: '2026-02-28', min_at: null, max_at: null },
      ...{ min_name: 'Ann', max_name: 'ann' },
    });
    const units = await aggregated({ groupBy: [{ column: 'units' }], sort: '-units' });
    expect(units.data.map(({ group }) => group)).toEqual([
      { units: 9007199254740991 },
      { units: 1 },
      { units: null },
    ]);
    const amounts = await aggregated({ groupBy: [{ column: 'amount' }] });
    expect(amounts.data.slice(0, 3)).toEqual([
      { group: { amount: '-0.5' }, values: { count: 1 } },
      { group: { amount: '1.10' }, values: { count: 2 } },
      { group: { amount: '2.2' }, values: { count: 1 } },
    ]);
  });

  it.each([
    ['day', ['2026-01-31', '2026-02-01', '2026-02-28', null]],
    ['week', ['2026-01-26', '2026-02-23', null]],
    ['month', ['2026-01-01', '2026-02-01', null]],
    ['quarter', ['2026-01-01', null]],
    ['year', ['2026-01-01', null]],
  ])('groups dates by the %s', async (bucket, expected) => {
    const { data } = await aggregated({ groupBy: [{ column: 'day', bucket }] });
    expect(data.map(({ group }) => (group as { day: unknown }).day)).toEqual(expected);
  });

  it('groups times by their period in UTC, and the times of rows', async () => {
    const { data } = await aggregated({ groupBy: [{ column: 'at', bucket: 'month' }] });
    expect(data).toEqual([
      { group: { at: '2026-01-01' }, values: { count: 1 } },
      { group: { at: '2026-02-01' }, values: { count: 1 } },
      { group: { at: null }, values: { count: 3 } },
    ]);
    const created = await aggregated({ groupBy: [{ column: '_createdAt', bucket: 'year' }] });
    const year = `${String(new Date().getUTCFullYear())}-01-01`;
    expect(created.data).toEqual([{ group: { _createdAt: year }, values: { count: 5 } }]);
    const aggregates = [{ function: 'max', column: '_id', as: 'newest' }];
    expect((await aggregated({ aggregates })).data[0]?.values).toEqual({ newest: 5 });
  });

  it('groups by several columns, and counts values that cannot be compared', async () => {
    const aggregates = ['tags', 'more'].map((column) => ({ function: 'count', column }));
    const groupBy = [{ column: 'name' }, { column: 'status' }];
    const { data } = await aggregated({ groupBy, aggregates });
    expect(data).toEqual([
      { group: { name: 'Ann', status: 'open' }, values: { count_tags: 1, count_more: 1 } },
      { group: { name: 'Ann', status: 'paid' }, values: { count_tags: 0, count_more: 0 } },
      { group: { name: 'Bob', status: 'open' }, values: { count_tags: 1, count_more: 0 } },
      { group: { name: 'ann', status: 'paid' }, values: { count_tags: 0, count_more: 0 } },
      { group: { name: null, status: null }, values: { count_tags: 0, count_more: 0 } },
    ]);
  });

  it('sorts by results, then by groups, and returns up to limit groups with their number', async () => {
    const aggregates = [{ function: 'count' }, { function: 'sum', column: 'units', as: 'units' }];
    const groupBy = [{ column: 'name' }];
    const names = async (body: object): Promise<unknown[]> =>
      (await aggregated({ groupBy, aggregates, ...body })).data.map(
        ({ group }) => (group as { name: unknown }).name,
      );
    expect(await names({ sort: '-count' })).toEqual(['Ann', 'Bob', 'ann', null]);
    expect(await names({ sort: 'count,-name' })).toEqual(['ann', 'Bob', null, 'Ann']);
    expect(await names({ sort: '-units' })).toEqual(['Ann', 'Bob', 'ann', null]);
    const named = [{ function: 'count', as: 'name' }];
    expect(await names({ aggregates: named, sort: '-name' })).toEqual(['Ann', 'Bob', 'ann', null]);
    const { data, meta } = await aggregated({ groupBy, sort: '-count', limit: 1 });
    expect(data).toEqual([{ group: { name: 'Ann' }, values: { count: 2 } }]);
    expect(meta).toEqual({ total: 4 });
  });

  it('reads the rows that a filter, a search and a view select', async () => {
    const groupBy = [{ column: 'name' }];
    const view = await newView(team.editor.api, datagrid, { filter: { status: 'paid' }, q: 'an' });
    const groups = async (body: object): Promise<unknown> => (await aggregated(body)).data;
    expect(await groups({ groupBy, q: 'AN', filter: { units: 1 } })).toEqual([
      { group: { name: 'Ann' }, values: { count: 1 } },
    ]);
    expect(await groups({ groupBy, view })).toEqual([
      { group: { name: 'Ann' }, values: { count: 1 } },
      { group: { name: 'ann' }, values: { count: 1 } },
    ]);
    expect(await groups({ view: view.toUpperCase(), filter: { units: 1 } })).toEqual([
      { group: {}, values: { count: 1 } },
    ]);
    expect(await groups({ view, q: 'Bob' })).toEqual([{ group: {}, values: { count: 0 } }]);
  });

  it('uses an index for a filter, and skips the values of removed columns', async () => {
    const { api } = team.owner;
    const other = await newDatagrid(api, [
      { key: 'n', type: 'integer', indexed: true },
      { key: 'x', type: 'integer' },
    ]);
    const rows = [1, 2, 3].map((n) => ({ values: { n, x: n * 10 } }));
    await api.post(`${other}/rows`, { rows });
    const sum = {
      ...{ filter: { n: { $gte: 2 } }, aggregates: [{ function: 'sum', column: 'x' }] },
    };
    const path = `${other}/rows/aggregate`;
    expect((await api.post(path, sum)).body.data).toEqual([{ group: {}, values: { sum_x: '50' } }]);
    await api.delete(`${other}/columns/x`);
    expectFailure(await api.post(path, sum), 'invalid_request', [
      'aggregates.0.column unknown_column',
    ]);
    await api.post(`${other}/columns`, { key: 'x', type: 'integer' });
    expect((await api.post(path, sum)).body.data).toEqual([{ group: {}, values: { sum_x: null } }]);
  });

  it('has an ETag that changes with the rows and the request', async () => {
    const { api } = team.editor;
    const other = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    const etagOf = async (body: object): Promise<string | null> =>
      (await api.post(`${other}/rows/aggregate`, body)).headers.get('etag');
    const before = await etagOf({});
    expect(before).toMatch(/^"\d+-\d+-[\w-]+"$/);
    expect(await etagOf({})).toBe(before);
    expect(await etagOf({ limit: 5 })).not.toBe(before);
    dataOf(await api.post(`${other}/rows`, { values: { n: 1 } }), 201);
    expect(await etagOf({})).not.toBe(before);
  });

  it('ignores an idempotency key, as other reads do', async () => {
    const { api } = team.editor;
    const other = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    const key = { 'idempotency-key': 'aggregate-once' };
    const counts = async (): Promise<unknown> =>
      (await api.post(`${other}/rows/aggregate`, {}, key)).body.data;
    expect(await counts()).toEqual([{ group: {}, values: { count: 0 } }]);
    await api.post(`${other}/rows`, { values: {} });
    expect(await counts()).toEqual([{ group: {}, values: { count: 1 } }]);
  });

  it('is available under records', async () => {
    const { body } = await team.viewer.api.post(`${datagrid}/records/aggregate`, {});
    expect(body.data).toEqual([{ group: {}, values: { count: 5 } }]);
  });
});

describe('a request for aggregates', () => {
  it('is rejected with unknown properties, wrong types and values out of range', async () => {
    await expectRejected({ group: [], limit: 5 }, ['group unknown_property']);
    await expectRejected({ groupBy: {}, aggregates: 'count', filter: [], q: 1, limit: '5' }, [
      ...['groupBy wrong_type', 'aggregates wrong_type', 'filter wrong_type', 'q wrong_type'],
      'limit wrong_type',
    ]);
    await expectRejected({ limit: 0 }, ['limit out_of_range']);
    await expectRejected({ limit: 1_001 }, ['limit out_of_range']);
    await expectRejected({ q: '' }, ['q invalid_format']);
    await expectRejected({ aggregates: [] }, ['aggregates required']);
    const four = ['status', 'amount', 'units', 'name'].map((column) => ({ column }));
    await expectRejected({ groupBy: four }, ['groupBy too_many']);
    const many = Array.from({ length: 21 }, (_, at) => ({
      function: 'count',
      as: `n${String(at)}`,
    }));
    await expectRejected({ aggregates: many }, ['aggregates too_many']);
    await expectRejected({ aggregates: [{ function: 'median', as: '1' }] }, [
      ...['aggregates.0.function not_a_choice', 'aggregates.0.as invalid_format'],
    ]);
    await expectRejected({ groupBy: [{ column: 'day', bucket: 'decade' }] }, [
      'groupBy.0.bucket not_a_choice',
    ]);
  });

  it.each([
    [{ groupBy: [{ column: 'gone' }] }, 'groupBy.0.column unknown_column'],
    [{ groupBy: [{ column: '_gone' }] }, 'groupBy.0.column unknown_column'],
    [{ groupBy: [{ column: 'tags' }] }, 'groupBy.0.column incompatible_parameters'],
    [{ groupBy: [{ column: 'more' }] }, 'groupBy.0.column incompatible_parameters'],
    [{ groupBy: [{ column: 'name', bucket: 'day' }] }, 'groupBy.0.bucket incompatible_parameters'],
    [
      { groupBy: [{ column: 'day', bucket: 'year' }, { column: 'day' }] },
      'groupBy.1.column duplicate_column',
    ],
    [{ aggregates: [{ function: 'sum' }] }, 'aggregates.0.column required'],
    [
      { aggregates: [{ function: 'sum', column: 'name' }] },
      'aggregates.0.column incompatible_parameters',
    ],
    [
      { aggregates: [{ function: 'avg', column: 'day' }] },
      'aggregates.0.column incompatible_parameters',
    ],
    [
      { aggregates: [{ function: 'max', column: 'done' }] },
      'aggregates.0.column incompatible_parameters',
    ],
    [
      { aggregates: [{ function: 'countDistinct', column: 'tags' }] },
      'aggregates.0.column incompatible_parameters',
    ],
    [{ aggregates: [{ function: 'count' }, { function: 'count' }] }, 'aggregates.1.as duplicate'],
    [{ sort: 'name' }, 'sort unknown_column'],
    [{ sort: 'count,-count' }, 'sort duplicate_column'],
    [{ sort: 'count,count,count,count,count' }, 'sort too_many'],
    [{ filter: { gone: 1 } }, 'filter.gone unknown_column'],
  ])('names the part that does not fit: %j', async (body, detail) => {
    await expectRejected(body, [detail]);
  });

  it('costs as much as its filter, its search and its columns', async () => {
    const distinct = (count: number): object => ({
      aggregates: Array.from({ length: count }, (_, at) => ({
        ...{ function: 'countDistinct', column: 'name', as: `n${String(at)}` },
      })),
    });
    await aggregated(distinct(10));
    const response = await team.viewer.api.post(`${datagrid}/rows/aggregate`, {
      ...{ ...distinct(10), groupBy: [{ column: 'name' }] },
    });
    expectFailure(response, 'query_too_expensive', ['filter too_many']);
    expect(response.body.error.message).toContain('countDistinct costs 20');
  });

  it('returns 404 for an unknown view and for the datagrid of another account', async () => {
    const { api } = team.viewer;
    const unknown = { view: '019aa2f4-0000-7000-8000-000000000000' };
    expectFailure(await api.post(`${datagrid}/rows/aggregate`, unknown), 'not_found');
    const outsider = (await newTeam(app)).owner;
    expectFailure(await outsider.api.post(`${datagrid}/rows/aggregate`, {}), 'not_found');
  });

  it('returns 409 if its view names a removed column', async () => {
    const { api } = team.owner;
    const other = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const view = await newView(api, other, { filter: { n: 1 } });
    await api.delete(`${other}/columns/n`);
    const response = await api.post(`${other}/rows/aggregate`, { view });
    expectFailure(response, 'conflict', ['view unknown_column']);
  });
});

describe('large groups', () => {
  it('are rejected if the response would exceed MAX_PAGE_BYTES', async () => {
    await app.withSettings({ MAX_PAGE_BYTES: '2000' }, async () => {
      const { api } = await app.newAccount();
      const other = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
      const names = ['a', 'b', 'c'].map((letter) => ({ values: { name: letter.repeat(700) } }));
      await api.post(`${other}/rows`, { rows: names });
      const path = `${other}/rows/aggregate`;
      const body = { groupBy: [{ column: 'name' }] };
      expectFailure(await api.post(path, body), 'invalid_request', ['limit too_large']);
      expect((await api.post(path, { ...body, limit: 2 })).body.meta).toEqual({ total: 3 });
    });
  });
});
