import { DatagridSchemaService } from '../../../src/datagrids/schema/datagrid-schema.service';
import { ComputedValueRepository } from '../../../src/rows/computed/computed-value.repository';
import { LargeRowDatagrids } from '../../../src/rows/storage/large-row-datagrids';
import type { ApiClient, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newView,
  newWorkspace,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { createRows, idOf, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  ({ api } = team.owner);
});

afterAll(() => app.close());

interface Sheets {
  readonly products: string;
  readonly orders: string;
}

const lookup = (key: string, link: string, column: string): object => {
  return { key, type: 'lookup', options: { link, column } };
};

async function addColumns(path: string, columns: readonly object[]): Promise<void> {
  for (const column of columns) dataOf(await api.post(`${path}/columns`, column), 201);
}

/**
 * Creates orders that link to products, with lookups of the products and a count of the orders. The
 * values of the products are as they are sent.
 */
async function newSheets(): Promise<Sheets> {
  const workspace = await newWorkspace(api);
  const columns = [
    { key: 'name', type: 'text' },
    { key: 'price', type: 'decimal' },
    { key: 'weight', type: 'number' },
    { key: 'data', type: 'json' },
  ];
  const products = await newDatagrid(api, columns, workspace);
  const to = { datagridId: idOf(products) };
  const orders = await newDatagrid(
    api,
    [
      { key: 'first', type: 'link', options: to },
      { key: 'products', type: 'multiLink', options: to },
      lookup('firstName', 'first', 'name'),
      lookup('names', 'products', 'name'),
      lookup('data', 'first', 'data'),
      { key: 'note', type: 'text' },
    ],
    workspace,
  );
  const options = { datagridId: idOf(orders), column: 'products' };
  await addColumns(products, [{ key: 'orders', type: 'count', options }]);
  await createRows(api, products, [
    { name: 'p1', data: { values: { first: 9 } } },
    { data: [1, 2] },
    { name: '"}],{"id":1,"values":{"first":2' },
  ]);
  await createRows(api, orders, [
    { first: 1, products: [3, 1, 2] },
    { note: 'none' },
    { first: 2, products: [] },
    { first: 3, products: [1], note: '"first": 1' },
  ]);
  return { products, orders };
}

const odd = '"}],{"id":1,"values":{"first":2';

/** The computed values of the orders. */
const COMPUTED = [
  { firstName: 'p1', names: [odd, 'p1'], data: { values: { first: 9 } } },
  {},
  { names: [], data: [1, 2] },
  { firstName: odd, names: ['p1'] },
];

const STORED = [
  { first: 1, products: [3, 1, 2] },
  { note: 'none' },
  { first: 2, products: [] },
  { first: 3, products: [1], note: '"first": 1' },
];

const ALL = STORED.map((values, index) => ({ ...values, ...COMPUTED[index] }));

const valuesIn = (body: Json): unknown[] =>
  (body.data as { values: unknown }[]).map(({ values }) => values);

const pick = (rows: readonly object[], keys: readonly string[]): unknown[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key))));

describe('Computed values', () => {
  it.each(['', '?cursor=', '?sort=_id', '?filter={"_id":{"$gte":1}}', '?page=1&limit=4'])(
    'are in the rows of the list %s',
    async (query) => {
      const { orders, products } = await newSheets();
      for (let read = 0; read < 3; read += 1) {
        const { body } = await api.get(`${orders}/rows${query}`);
        expect(valuesIn(body)).toEqual(ALL);
        expect(body.meta).not.toHaveProperty('withheld');
      }
      const { body } = await api.get(`${products}/rows${query}`);
      expect(pick(valuesIn(body) as object[], ['orders'])).toEqual([
        { orders: 2 },
        { orders: 1 },
        { orders: 1 },
      ]);
    },
  );

  it('are in a query in a body, in one row and in later pages', async () => {
    const { orders } = await newSheets();
    const queried = await api.post(`${orders}/rows/query`, { sort: '-_id' });
    expect(valuesIn(queried.body)).toEqual(ALL.toReversed());
    for (const [index, values] of ALL.entries()) {
      const id = String(index + 1);
      expect(dataOf(await api.get(`${orders}/rows/${id}`), 200)).toMatchObject({
        id: index + 1,
        values,
      });
      expect(valuesIn((await api.get(`${orders}/rows?limit=1&page=${id}`)).body)).toEqual([values]);
    }
    expect((await api.delete(`${orders}/rows/2`)).status).toBe(204);
    for (let read = 0; read < 4; read += 1) {
      const { body } = await api.get(`${orders}/rows?limit=1&page=2`);
      expect(valuesIn(body)).toEqual([ALL[2]]);
    }
  });

  it.each(['', '&cursor='])(
    'are read only if fields names them, also without the link, with %s',
    async (more) => {
      const { orders } = await newSheets();
      for (const [fields, keys] of [
        ['names', ['names']],
        ['firstName,note', ['firstName', 'note']],
        ['first,data', ['first', 'data']],
        ['note', ['note']],
        ['note,products', ['note', 'products']],
      ] as const) {
        const { body } = await api.get(`${orders}/rows?fields=${fields}${more}`);
        expect(valuesIn(body)).toEqual(pick(ALL, keys));
      }
    },
  );

  it('follow the visible columns of a view', async () => {
    const { orders } = await newSheets();
    const columns = ['first', 'products', 'data'].map((key) => ({ key, hidden: true }));
    const view = await newView(api, orders, { columns: [{ key: 'names' }, ...columns] });
    expect((await api.get(`${orders}/views/${view}`)).body.data.columns).toEqual([
      { key: 'names' },
      ...columns,
    ]);
    const { body } = await api.get(`${orders}/rows?view=${view}`);
    expect(valuesIn(body)).toEqual(pick(ALL, ['names', 'firstName', 'note']));
    const cannot = await api.post(`${orders}/views`, {
      name: 'Summary',
      columns: [{ key: 'names', summary: 'count' }],
    });
    expectFailure(cannot, 'invalid_request', ['columns.0.summary incompatible_parameters']);
  });

  it('keep the digits of numbers', async () => {
    const { orders, products } = await newSheets();
    await addColumns(orders, [
      lookup('price', 'first', 'price'),
      lookup('prices', 'products', 'price'),
      lookup('weights', 'products', 'weight'),
      lookup('weight', 'first', 'weight'),
    ]);
    const patch = (id: number, text: string): Promise<Json> =>
      api.send('PATCH', `${products}/rows/${String(id)}`, `{"values":${text}}`);
    dataOf(await patch(1, '{"price":"0.10","weight":1e-7,"data":{"n":1234567890123456.5}}'), 200);
    dataOf(await patch(3, '{"price":"99999999999999999999.5","weight":0.1}'), 200);
    for (const path of ['rows/1', 'rows?limit=1']) {
      const { text } = await api.get(`${orders}/${path}`);
      expect(text).toContain('"price": "0.10"');
      expect(text).toContain('"prices": ["99999999999999999999.5", "0.10"]');
      expect(text).toMatch(/"weights": \[0\.1, (0\.0000001|1e-07|1e-7)\]/);
      expect(text).toContain('"data": {"n": 1234567890123456.5}');
    }
  });

  it('are those of rows of any size', async () => {
    const { orders, products } = await newSheets();
    const name = 'x'.repeat(100_000);
    dataOf(await api.patch(`${products}/rows/1`, { values: { name } }), 200);
    for (let read = 0; read < 2; read += 1) {
      const { body } = await api.get(`${orders}/rows`);
      expect(valuesIn(body)).toEqual([
        { ...ALL[0], firstName: name, names: [odd, name] },
        ALL[1],
        ALL[2],
        { ...ALL[3], names: [name] },
      ]);
      expect(app.nest.get(LargeRowDatagrids, { strict: false }).mayHave(idOf(products))).toBe(true);
    }
    dataOf(await api.patch(`${orders}/rows/2`, { values: { note: name } }), 200);
    const large = await api.get(`${orders}/rows`);
    expect(valuesIn(large.body)).toHaveLength(4);
    expect(valuesIn(large.body)[2]).toEqual(ALL[2]);
  });

  it('change with the linked rows and links', async () => {
    const { orders, products } = await newSheets();
    dataOf(await api.patch(`${products}/rows/2`, { values: { name: 'p2' } }), 200);
    dataOf(await api.patch(`${orders}/rows/2`, { values: { products: [2] } }), 200);
    dataOf(await api.patch(`${orders}/rows/1`, { values: { first: null, products: [2, 3] } }), 200);
    expect(await valuesOf(api, orders)).toMatchObject({
      1: { names: ['p2', odd] },
      2: { names: ['p2'] },
    });
    expect((await valuesOf(api, orders))['1']).not.toHaveProperty('firstName');
    expect((await api.delete(`${orders}/rows/4`)).status).toBe(204);
    expect(Object.values(await valuesOf(api, products))).toMatchObject([
      { orders: 0 },
      { orders: 2 },
      { orders: 1 },
    ]);
  });

  it('follow links within a datagrid', async () => {
    const grid = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const options = { datagridId: idOf(grid) };
    await addColumns(grid, [
      { key: 'parent', type: 'link', options },
      lookup('parentName', 'parent', 'name'),
      lookup('grandparent', 'parent', 'parent'),
      { key: 'children', type: 'count', options: { ...options, column: 'parent' } },
    ]);
    await createRows(api, grid, [{ name: 'root' }]);
    await createRows(api, grid, [
      { name: 'a', parent: 1 },
      { name: 'b', parent: 1 },
    ]);
    await createRows(api, grid, [{ name: 'leaf', parent: 2 }]);
    expect(await valuesOf(api, grid)).toEqual({
      1: { name: 'root', children: 2 },
      2: { name: 'a', parent: 1, parentName: 'root', children: 1 },
      3: { name: 'b', parent: 1, parentName: 'root', children: 0 },
      4: { name: 'leaf', parent: 2, parentName: 'a', grandparent: 1, children: 0 },
    });
  });

  it('are in an expanded response, but not in the linked rows', async () => {
    const { orders, products } = await newSheets();
    const { body } = await api.get(`${orders}/rows?expand=first`);
    expect(valuesIn(body)).toEqual(ALL);
    expect(Object.keys(body.meta.linked.first as object)).toEqual(['1', '2', '3']);
    expect(body.meta.linked.first['1'].values).not.toHaveProperty('orders');
    expect(dataOf(await api.get(`${products}/rows/1`), 200).values).toMatchObject({ orders: 2 });
  });

  it('are not in responses of writes, in changes, in history and in exports', async () => {
    const { orders } = await newSheets();
    dataOf(await api.patch(orders, { history: true }), 200);
    const { version } = (await api.get(`${orders}/changes?since=now`)).body;
    expect(version).toBeUndefined();
    const patched = await api.patch(`${orders}/rows/1`, { values: { note: 'new' } });
    expect(dataOf(patched, 200).values).toEqual({ ...STORED[0], note: 'new' });
    const created = await api.post(`${orders}/rows`, { values: { first: 1 } });
    expect(dataOf(created, 201).values).toEqual({ first: 1 });
    const csv = await api.get(`${orders}/rows/export?format=csv`);
    expect(csv.text.split('\n')[0]).toBe('first,products,note');
    const lines = (await api.get(`${orders}/rows/export?format=ndjson`)).text.trim().split('\n');
    expect(JSON.parse(lines[3] ?? '')).toEqual(STORED[3]);
    const view = await newView(api, orders, { columns: [{ key: 'first', hidden: true }] });
    const ofView = await api.get(`${orders}/rows/export?format=csv&view=${view}`);
    expect(ofView.text.split('\n')[0]).toBe('products,note');
    expectFailure(await api.get(`${orders}/rows/export?fields=note,names`), 'invalid_request', [
      'fields incompatible_parameters',
    ]);
  });

  it('are not in a public view', async () => {
    const { orders } = await newSheets();
    const view = await newView(api, orders, { columns: [{ key: 'names' }] });
    const link = dataOf(await api.post(`${orders}/views/${view}/link`, {}), 201);
    expect(link.columns).toEqual(['first', 'products', 'note']);
  });
});

describe('The ETag of computed values', () => {
  it.each([
    'rows',
    'rows/1',
    'rows?fields=names',
    'rows?cursor=',
    'rows?expand=first',
    'rows/1?expand=first',
  ])('of %s changes with them', async (path) => {
    const { orders, products } = await newSheets();
    const etag = (await api.get(`${orders}/${path}`)).headers.get('etag') ?? '';
    const same = await api.get(`${orders}/${path}`, { 'if-none-match': etag });
    expect(same.status).toBe(304);
    dataOf(await api.patch(`${products}/rows/1`, { values: { name: 'new' } }), 200);
    const changed = await api.get(`${orders}/${path}`, { 'if-none-match': etag });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('does not change with them if the response has none', async () => {
    const { orders, products } = await newSheets();
    const etag = (await api.get(`${orders}/rows?fields=note`)).headers.get('etag') ?? '';
    dataOf(await api.patch(`${products}/rows/1`, { values: { name: 'new' } }), 200);
    const again = await api.get(`${orders}/rows?fields=note`, { 'if-none-match': etag });
    expect(again.status).toBe(304);
  });

  it.each(['', '?expand=first'])(
    'of a row read with "%s" is accepted by If-Match until the row changes',
    async (query) => {
      const { orders, products } = await newSheets();
      const read = async (): Promise<string> =>
        (await api.get(`${orders}/rows/1${query}`)).headers.get('etag') ?? '';
      const etag = await read();
      expect(etag).toMatch(/^"\d+-\d+(~[\w-]+)+"$/);
      // A write of a linked row does not change the row.
      dataOf(await api.patch(`${products}/rows/1`, { values: { name: 'new' } }), 200);
      const write = (tag: string): Promise<Json> =>
        api.patch(`${orders}/rows/1`, { values: { note: tag } }, { 'if-match': tag });
      const compressed = etag.replace(/"$/, '.gzip"');
      dataOf(await write(compressed), 200);
      expectFailure(await write(etag), 'precondition_failed');
      const next = await read();
      expectFailure(
        await write(next.replace(/\d+/, (revision) => `${revision}0`)),
        'precondition_failed',
      );
      dataOf(await write(next), 200);
      const deleted = await api.delete(`${orders}/rows/1`, { 'if-match': await read() });
      expect(deleted.status).toBe(204);
    },
  );
});

describe('The statements of a read', () => {
  /** Returns how many statements for lookups and counts a request runs, and how often it reads columns. */
  async function statementsOf(work: () => Promise<unknown>): Promise<number[]> {
    const [values, schemas] = [
      app.nest.get(ComputedValueRepository, { strict: false }),
      app.nest.get(DatagridSchemaService, { strict: false }),
    ];
    const spies = [
      jest.spyOn(values, 'findSmall'),
      jest.spyOn(values, 'find'),
      jest.spyOn(values, 'count'),
      jest.spyOn(schemas, 'get'),
    ];
    try {
      await work();
      return spies.map((spy) => spy.mock.calls.length);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  it('are one for all lookups of a datagrid and one for each count', async () => {
    const { orders, products } = await newSheets();
    await addColumns(products, [
      { key: 'firsts', type: 'count', options: { datagridId: idOf(orders), column: 'first' } },
    ]);
    for (const path of ['rows', 'rows/1', 'rows?cursor=']) {
      for (const each of [orders, products]) await api.get(`${each}/${path}`);
      expect(await statementsOf(() => api.get(`${orders}/${path}`))).toEqual([1, 0, 0, 0]);
      expect(await statementsOf(() => api.get(`${products}/${path}`))).toEqual([0, 0, 2, 0]);
    }
    const few = (): Promise<unknown> => api.get(`${products}/rows?fields=name,firsts`);
    expect(await statementsOf(few)).toEqual([0, 0, 1, 0]);
    const none = (): Promise<unknown> => api.get(`${orders}/rows?fields=note`);
    expect(await statementsOf(none)).toEqual([0, 0, 0, 0]);
    const unlinked = (): Promise<unknown> => api.get(`${orders}/rows/2`);
    expect(await statementsOf(unlinked)).toEqual([0, 0, 0, 0]);
  });

  it('are as before in a datagrid without computed columns', async () => {
    const workspace = await newWorkspace(api);
    const grid = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspace);
    await createRows(api, grid, [{ name: 'a' }]);
    for (const path of ['rows', 'rows/1', 'rows?page=2']) {
      expect(await statementsOf(() => api.get(`${grid}/${path}`))).toEqual([0, 0, 0, 0]);
    }
  });
});

describe('The bounds of computed values', () => {
  it('allow 1,000 linked rows for each link and page', async () => {
    const { orders, products } = await newSheets();
    const rows = Array.from({ length: 1_000 }, () => ({ values: { name: 'x' } }));
    dataOf(await api.post(`${products}/rows`, { rows }), 201);
    const ids = (from: number, count: number): number[] =>
      Array.from({ length: count }, (_, n) => from + n);
    const many = [0, 1, 2, 3, 4].map((n) => ({ products: ids(1 + n * 200, 200) }));
    await createRows(api, orders, [...many, { products: [1_001] }]);
    const query = { filter: { _id: { $gte: 5 } }, limit: 5 };
    const { body } = await api.post(`${orders}/rows/query`, query);
    expect((valuesIn(body) as { names: string[] }[])[4]?.names).toHaveLength(200);
    const all = await api.get(`${orders}/rows`);
    expectFailure(all, 'invalid_request', ['fields too_many']);
    expect((await api.get(`${orders}/rows?fields=first,note`)).status).toBe(200);
  });

  it('limit the size of the response, also if one value is repeated', async () => {
    const { orders, products } = await newSheets();
    dataOf(await api.patch(`${products}/rows/2`, { values: { name: 'x'.repeat(500_000) } }), 200);
    await createRows(
      api,
      orders,
      Array.from({ length: 3 }, () => ({ first: 2 })),
    );
    expectFailure(await api.get(`${orders}/rows`), 'invalid_request', ['fields too_large']);
    expect((await api.get(`${orders}/rows?limit=4`)).status).toBe(200);
    expect((await api.get(`${orders}/rows?fields=note`)).status).toBe(200);
    dataOf(await api.patch(`${products}/rows/2`, { values: { name: 'x'.repeat(1_000_000) } }), 200);
    dataOf(await api.patch(`${products}/rows/1`, { values: { name: 'x'.repeat(999_999) } }), 200);
    expectFailure(await api.get(`${orders}/rows/1`), 'invalid_request', ['fields too_large']);
    await createRows(api, orders, [
      { note: 'x'.repeat(1_000_000) },
      { note: 'x'.repeat(1_000_000) },
    ]);
    const filter = encodeURIComponent('{"first":{"$isNull":true}}');
    expectFailure(await api.get(`${orders}/rows?filter=${filter}`), 'invalid_request', [
      'fields too_large',
    ]);
  });
});

describe('Access to computed values', () => {
  const limitedTo = async (...paths: string[]): Promise<ApiClient> => {
    const console = await app.console(team.owner);
    const body = { name: `Limited ${String(Math.random())}`, datagridIds: paths.map(idOf) };
    return app.api(dataOf(await console.post('/keys', body), 201).key as string);
  };

  it('is withheld from a key without access to the datagrid that they are read from', async () => {
    const { orders, products } = await newSheets();
    const ofOrders = await limitedTo(orders);
    for (const response of [
      await ofOrders.get(`${orders}/rows`),
      await ofOrders.get(`${orders}/rows?cursor=`),
      await ofOrders.post(`${orders}/rows/query`, {}),
    ]) {
      expect(valuesIn(response.body)).toEqual(STORED);
      expect(response.body.meta).toMatchObject({ withheld: ['firstName', 'names', 'data'] });
    }
    const one = await ofOrders.get(`${orders}/rows/1`);
    expect(one.body).toMatchObject({
      data: { values: STORED[0] },
      meta: { withheld: ['firstName', 'names', 'data'] },
    });
    const some = await ofOrders.get(`${orders}/rows?fields=note,names`);
    expect(some.body.meta).toMatchObject({ withheld: ['names'] });
    const none = await ofOrders.get(`${orders}/rows?fields=note`);
    expect(none.body.meta).not.toHaveProperty('withheld');
    const ofProducts = await limitedTo(products);
    const product = await ofProducts.get(`${products}/rows/1`);
    expect(product.body.data.values).not.toHaveProperty('orders');
    expect(product.body.meta).toEqual({ withheld: ['orders'] });
    const both = await limitedTo(orders, products);
    expect(valuesIn((await both.get(`${orders}/rows`)).body)).toEqual(ALL);
    const etags = [await ofOrders.get(`${orders}/rows`), await both.get(`${orders}/rows`)];
    expect(new Set(etags.map(({ headers }) => headers.get('etag'))).size).toBe(2);
  });

  it('is not given to another account, even if a definition has its ids', async () => {
    const { orders, products } = await newSheets();
    const other = await app.newAccount();
    expectFailure(await other.api.get(`${orders}/rows`), 'not_found');
    const target = await newDatagrid(other.api, [{ key: 'name', type: 'text' }]);
    dataOf(await other.api.post(`${target}/rows`, { values: { name: 'secret' } }), 201);
    const sql = `UPDATE datagrid_columns SET options = options || $2::jsonb WHERE datagrid_id = $1`;
    const foreign = JSON.stringify({ datagridId: idOf(target), columnId: 1 });
    await app.sql.query(`${sql} AND type IN ('link', 'multiLink', 'lookup')`, [
      idOf(orders),
      foreign,
    ]);
    await app.sql.query(`${sql} AND type = 'count'`, [idOf(products), foreign]);
    await app.sql.query('UPDATE datagrid_counters SET schema_version = schema_version + 1');
    for (const path of ['rows', 'rows/1', 'rows?cursor=']) {
      const { text } = await api.get(`${orders}/${path}`);
      expect(text).not.toContain('secret');
    }
    expect(dataOf(await api.get(`${products}/rows/1`), 200).values).not.toHaveProperty('orders');
  });
});
