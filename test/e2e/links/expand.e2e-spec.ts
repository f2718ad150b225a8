import { createClient } from '@datagrid/client';
import { RowRepository } from '../../../src/rows/row.repository';
import { LargeRowDatagrids } from '../../../src/rows/storage/large-row-datagrids';
import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { createRows, idOf, type LinkedSheets, newLinkedSheets } from './linked-sheets';

let app: TestApp;
let team: Team;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  ({ api } = team.owner);
});

afterAll(() => app.close());

type Linked = Record<string, Record<string, { id: number; values: Record<string, unknown> }>>;

/** Returns the values of linked rows by path and id. */
function linkedValues(meta: { linked?: Linked } | undefined): unknown {
  return Object.fromEntries(
    Object.entries(meta?.linked ?? {}).map(([path, rows]) => [
      path,
      Object.fromEntries(Object.entries(rows).map(([id, { values }]) => [id, values])),
    ]),
  );
}

/** Creates orders whose lines link to products, which link to their makers. */
async function newOrders(): Promise<{ orders: string; products: string; makers: string }> {
  const workspace = await newWorkspace(api);
  const name = { key: 'name', type: 'text' };
  const to = (path: string): object => ({ datagridId: idOf(path) });
  const makers = await newDatagrid(api, [name], workspace);
  const maker = { key: 'maker', type: 'link', options: to(makers) };
  const products = await newDatagrid(api, [name, maker], workspace);
  const columns = [
    { key: 'first', type: 'link', options: to(products) },
    { key: 'products', type: 'multiLink', options: to(products) },
  ];
  const orders = await newDatagrid(api, columns, workspace);
  await createRows(api, makers, [{ name: 'Acme' }, { name: 'Bolt' }]);
  await createRows(api, products, [
    { name: 'p1', maker: 2 },
    { name: 'p2' },
    { name: 'p3', maker: 1 },
  ]);
  await createRows(api, orders, [{ first: 1, products: [3, 1] }, {}, { products: [3] }]);
  return { orders, products, makers };
}

describe('expand', () => {
  it.each([
    ['a page', '?expand=first,products'],
    ['a cursor page', '?expand=first,products&cursor='],
    ['a query', '?expand=first,products&sort=-_id'],
  ])('adds each linked row once to %s', async (_name, query) => {
    const { orders, products } = await newOrders();
    const plain = await api.get(`${orders}/rows${query.replace('expand=first,products', '')}`);
    const { status, body } = await api.get(`${orders}/rows${query}`);
    expect(status).toBe(200);
    const { linked, ...meta } = body.meta as { linked: Linked };
    expect({ data: body.data, meta }).toEqual({ data: plain.body.data, meta: plain.body.meta });
    const [p1, , p3] = dataOf(await api.get(`${products}/rows`), 200) as unknown as object[];
    expect(linked).toEqual({ first: { 1: p1 }, products: { 1: p1, 3: p3 } });
  });

  it('adds the linked rows to one row and to a query in a body', async () => {
    const { orders } = await newOrders();
    const one = await api.get(`${orders}/rows/1?expand=products`);
    expect(one.body.data).toEqual(dataOf(await api.get(`${orders}/rows/1`), 200));
    const products = { 1: { name: 'p1', maker: 2 }, 3: { name: 'p3', maker: 1 } };
    expect(linkedValues(one.body.meta)).toEqual({ products });
    const body = { expand: 'products', filter: { first: 1 } };
    const queried = await api.post(`${orders}/rows/query`, body);
    expect(linkedValues(queried.body.meta)).toEqual({ products });
    expect((await api.get(`${orders}/rows/1`)).body).not.toHaveProperty('meta');
  });

  it('has an ETag that changes with the linked rows', async () => {
    const { orders, makers } = await newOrders();
    for (const path of [
      `${orders}/rows?expand=products.maker`,
      `${orders}/rows/1?expand=first.maker`,
    ]) {
      const etag = (await api.get(path)).headers.get('etag') ?? '';
      expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304);
      dataOf(await api.patch(`${makers}/rows/2`, { values: { name: path } }), 200);
      const changed = await api.get(path, { 'if-none-match': etag });
      expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    }
  });

  it('has an ETag that begins with the version of the page without linked rows', async () => {
    const { orders } = await newOrders();
    for (const query of ['', 'sort=-_id&', 'limit=1&cursor=&']) {
      const etag = (await api.get(`${orders}/rows?${query}`)).headers.get('etag') ?? '';
      const path = `${orders}/rows?${query}expand=products`;
      const expanded = (await api.get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"\d+-\d+/);
      expect(expanded.startsWith(`${etag.slice(0, -1)}~`)).toBe(true);
    }
  });

  it('follows the links of linked rows', async () => {
    const { orders } = await newOrders();
    const { body } = await api.get(`${orders}/rows?expand=products.maker,first`);
    expect(linkedValues(body.meta)).toEqual({
      products: { 1: { name: 'p1', maker: 2 }, 3: { name: 'p3', maker: 1 } },
      'products.maker': { 1: { name: 'Acme' }, 2: { name: 'Bolt' } },
      first: { 1: { name: 'p1', maker: 2 } },
    });
  });

  it('follows links within a datagrid', async () => {
    const grid = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const parent = { key: 'parent', type: 'link', options: { datagridId: idOf(grid) } };
    dataOf(await api.post(`${grid}/columns`, parent), 201);
    await createRows(api, grid, [{ name: 'root' }]);
    await createRows(api, grid, [{ name: 'child', parent: 1 }]);
    await createRows(api, grid, [{ name: 'leaf', parent: 2 }]);
    const { body } = await api.get(`${grid}/rows/3?expand=parent.parent`);
    expect(linkedValues(body.meta)).toEqual({
      parent: { 2: { name: 'child', parent: 1 } },
      'parent.parent': { 1: { name: 'root' } },
    });
  });

  it('is an option of the TypeScript client', async () => {
    const { orders } = await newOrders();
    const rows = createClient({ baseUrl: app.origin, apiKey: team.owner.key }).rows(idOf(orders));
    const [page, found] = [
      await rows.page({ expand: 'first' }),
      await rows.find({ expand: 'first' }),
    ];
    expect(page).toEqual(found);
    expect(page.meta.linked?.['first']?.[1]?.values).toEqual({ name: 'p1', maker: 2 });
  });

  it('returns no rows by a path if no row has a link', async () => {
    const { orders } = await newOrders();
    const { body } = await api.get(`${orders}/rows/2?expand=first,products.maker`);
    expect(body.meta).toEqual({ linked: { first: {}, products: {}, 'products.maker': {} } });
    const empty = await api.get(`${orders}/rows?expand=first&page=2`);
    expect(empty.body.meta).toMatchObject({ linked: { first: {} }, pageSize: 0, total: 3 });
  });

  it('returns values exactly, and only those of columns that exist', async () => {
    const { orders, products } = await newOrders();
    const columns = [
      { key: 'price', type: 'decimal' },
      { key: 'weight', type: 'number' },
      { key: 'gone', type: 'text' },
    ];
    for (const column of columns) dataOf(await api.post(`${products}/columns`, column), 201);
    const text = '{"values":{"price":"0.10","weight":1e-7,"gone":"x","name":"\\"}{,"}}';
    dataOf(await api.patch(`${products}/rows/1`, JSON.parse(text) as object), 200);
    expect((await api.delete(`${products}/columns/gone`)).status).toBe(204);
    const row = await api.get(`${products}/rows/1`);
    const expanded = await api.get(`${orders}/rows/1?expand=first`);
    const json = row.text.slice('{"data":'.length, -1);
    expect(expanded.text).toContain(`"meta":{"linked":{"first":{"1":${json}}}}`);
    expect(json).toContain('"price": "0.10"');
  });

  it('returns links without rows while their datagrid is in the trash', async () => {
    const { orders, products } = await newOrders();
    expect((await api.delete(`${orders}/columns/first`)).status).toBe(204);
    await app.sql.query('UPDATE datagrids SET deleted_at = now() WHERE id = $1', [idOf(products)]);
    const { body } = await api.get(`${orders}/rows/1?expand=products`);
    expect(body).toMatchObject({ data: { values: { products: [3, 1] } } });
    expect(body.meta).toEqual({ linked: { products: {} } });
  });

  it.each([
    ['text', 'Acme'],
    ['number', 1.5],
    ['boolean', true],
    ['json', { id: 1 }],
  ])(
    'adds no rows by a column that a request has replaced by one of type %s meanwhile',
    async (type, value) => {
      const { orders } = await newOrders();
      const reads = app.nest.get(RowRepository, { strict: false });
      const read = reads.findOne.bind(reads);
      const replaced = jest.spyOn(reads, 'findOne').mockImplementationOnce(async (...row) => {
        expect((await api.delete(`${orders}/columns/first`)).status).toBe(204);
        dataOf(await api.post(`${orders}/columns`, { key: 'first', type }), 201);
        dataOf(await api.patch(`${orders}/rows/1`, { values: { first: value } }), 200);
        return read(...row);
      });
      const { body } = await api.get(`${orders}/rows/1?expand=first`);
      replaced.mockRestore();
      expect(body.data).toMatchObject({ values: { first: value } });
      expect(body.meta).toEqual({ linked: { first: {} } });
    },
  );

  it.each([
    ['expand=', 'expand unknown_column'],
    ['expand=name', 'expand unknown_column'],
    ['expand=note', 'expand wrong_type'],
    ['expand=customer.name', 'expand wrong_type'],
    ['expand=customer.other', 'expand unknown_column'],
    ['expand=customer.', 'expand unknown_column'],
    ['expand=customer.a.b', 'expand too_deep'],
    ['expand=customer&expand=others', 'expand duplicate_parameter'],
    ['expand=customer&fields=note', 'expand incompatible_parameters'],
    ['expand=a,b,c,d,e,f', 'expand too_many'],
    ['expand=a.b,b.c,c.d', 'expand too_many'],
    ['expand=customer,customer,customer,customer,customer,other', 'expand too_many'],
    ['expand=customer,customer,customer,customer,customer,customer,other', 'expand too_many'],
  ])('returns 400 for %s', async (query, detail) => {
    const { orders } = await newLinkedSheets(api);
    expectFailure(await api.get(`${orders}/rows?${query}`), 'invalid_request', [detail]);
  });

  it('returns 400 in a body if it is not a string, and in an export', async () => {
    const { orders } = await newLinkedSheets(api);
    expectFailure(
      await api.post(`${orders}/rows/query`, { expand: ['customer'] }),
      'invalid_request',
      ['expand wrong_type'],
    );
    expectFailure(await api.get(`${orders}/rows/export?expand=customer`), 'invalid_request', [
      'expand unknown_parameter',
    ]);
  });

  it('accepts fields that name the column', async () => {
    const { orders } = await newOrders();
    const { body } = await api.get(`${orders}/rows?fields=first&expand=first`);
    expect(Object.keys((body.meta as { linked: Linked }).linked['first'] ?? {})).toEqual(['1']);
  });
});

describe('a response with linked rows', () => {
  it('does not mark a datagrid as one with large rows when its small rows exceed the size of the response', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    await createRows(api, orders, [
      { customer: 1, note: 'x'.repeat(1_000_000) },
      { note: 'x'.repeat(999_000) },
    ]);
    const { text } = await api.get(`${orders}/rows`);
    const bytesLeft = 2_000_000 - (text.indexOf(',"meta"') - '{"data":'.length);
    const note = 'x'.repeat(999_000 + bytesLeft - 60);
    dataOf(await api.patch(`${orders}/rows/2`, { values: { note } }), 200);
    const page = await api.get(`${orders}/rows?expand=customer`);
    expectFailure(page, 'invalid_request', ['expand too_large']);
    const large = app.nest.get(LargeRowDatagrids, { strict: false });
    expect(large.mayHave(idOf(customers))).toBe(false);
  });
});

describe('the bounds of expand', () => {
  it('allow 1,000 rows by each path, and no more', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    const rows = Array.from({ length: 1_000 }, () => ({ values: { name: 'x' } }));
    dataOf(await api.post(`${customers}/rows`, { rows }), 201);
    const ids = (from: number, count: number): number[] =>
      Array.from({ length: count }, (_, n) => from + n);
    const links = [0, 1, 2, 3, 4].map((n) => ({ others: ids(1 + n * 200, 200) }));
    await createRows(api, orders, [...links, { others: [1_001] }]);
    const { body } = await api.get(`${orders}/rows?limit=5&expand=others`);
    const { linked } = body.meta as { linked: Linked };
    expect(Object.keys(linked['others'] ?? {})).toHaveLength(1_000);
    expectFailure(await api.get(`${orders}/rows?expand=others`), 'invalid_request', [
      'expand too_many',
    ]);
  });

  it('limit the size of the response, also of rows that are too large to print at once', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    const text = (bytes: number): object => ({ values: { name: 'x'.repeat(bytes) } });
    for (const id of [1, 2, 3]) {
      dataOf(await api.patch(`${customers}/rows/${String(id)}`, text(900_000)), 200);
    }
    await createRows(api, orders, [
      { others: [1, 2] },
      { others: [1, 2, 3] },
      { note: 'x'.repeat(300_000) },
    ]);
    const two = await api.get(`${orders}/rows/1?expand=others`);
    expect([two.status, two.text.length > 1_800_000]).toEqual([200, true]);
    for (const path of ['rows/2?expand=others', 'rows?expand=others']) {
      expectFailure(await api.get(`${orders}/${path}`), 'invalid_request', ['expand too_large']);
    }
  });
});

describe('access to linked rows', () => {
  const limitedTo = async (...paths: string[]): Promise<ApiClient> => {
    const console = await app.console(team.owner);
    const body = { name: `Limited ${String(Math.random())}`, datagridIds: paths.map(idOf) };
    return app.api(dataOf(await console.post('/keys', body), 201).key as string);
  };

  async function expectForbidden(
    key: ApiClient,
    { orders }: Pick<LinkedSheets, 'orders'>,
    path: string,
  ): Promise<void> {
    for (const response of [
      await key.get(`${orders}/rows?expand=${path}`),
      await key.get(`${orders}/rows/1?expand=${path}`),
      await key.get(`${orders}/rows/99?expand=${path}`),
      await key.post(`${orders}/rows/query`, { expand: path }),
    ]) {
      expectFailure(response, 'forbidden');
      expect(response.text).not.toContain('Acme');
    }
  }

  it('requires a key with access to every datagrid of a path', async () => {
    const { orders, products, makers } = await newOrders();
    await expectForbidden(await limitedTo(orders), { orders }, 'first');
    await expectForbidden(await limitedTo(orders, products), { orders }, 'products.maker');
    await expectForbidden(await limitedTo(orders, makers), { orders }, 'products.maker');
    const all = await limitedTo(orders, products, makers);
    expect((await all.get(`${orders}/rows?expand=products.maker`)).status).toBe(200);
  });

  it('returns 404 to another account, whatever the path', async () => {
    const { orders } = await newOrders();
    const other = await app.newAccount();
    for (const path of ['first', 'unknown']) {
      expectFailure(await other.api.get(`${orders}/rows?expand=${path}`), 'not_found');
      expectFailure(await other.api.get(`${orders}/rows/1?expand=${path}`), 'not_found');
    }
  });

  it('returns 404 for a row that does not exist', async () => {
    const { orders } = await newOrders();
    expectFailure(await api.get(`${orders}/rows/99?expand=first`), 'not_found');
  });
});
