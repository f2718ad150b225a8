import { type ApiClient, FileBody, type Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newConnection,
  newDatagrid,
  newTeam,
  newWorkspace,
  NOWHERE,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { createRows, idOf, type LinkedSheets, newLinkedSheets, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  ({ api } = team.owner);
});

afterAll(() => app.close());

const NAME = { key: 'name', type: 'lookup', options: { link: 'customer', column: 'name' } };

const countOf = ({ orders }: LinkedSheets, key = 'orders', column = 'customer'): object => {
  return { key, type: 'count', options: { datagridId: idOf(orders), column } };
};

const columnOf = async (path: string, key: string): Promise<Json> =>
  dataOf(await api.get(`${path}/columns/${key}`), 200);

/** Returns the options of the column in the datagrid, and in its place in the workspace. */
async function optionsOf(path: string, key: string): Promise<unknown> {
  const datagrid = dataOf(await api.get(path), 200);
  const listed = dataOf(await api.get(`/workspaces/${datagrid.workspaceId}/datagrids`), 200);
  const inList: Json = (listed as Json[]).find(({ id }) => id === datagrid.id);
  expect(inList.columns).toEqual(datagrid.columns);
  const shown: Json = (datagrid.columns as Json[]).find((column) => column.key === key);
  const column = await columnOf(path, key);
  expect(column).toEqual(shown);
  return column.options;
}

describe('A computed column', () => {
  it('is added with the keys of the columns that it reads, which stay its options', async () => {
    const sheets = await newLinkedSheets(api);
    const { orders, customers } = sheets;
    const added = await api.post(`${orders}/columns`, NAME);
    expect(dataOf(added, 201)).toEqual({
      ...NAME,
      ...{ title: 'name', required: false, unique: false, indexed: false },
    });
    expect(await optionsOf(orders, 'name')).toEqual({ link: 'customer', column: 'name' });
    dataOf(await api.post(`${customers}/columns`, countOf(sheets)), 201);
    const options = { datagridId: idOf(orders), column: 'customer' };
    expect(await optionsOf(customers, 'orders')).toEqual(options);
    const read = await api.get(`${orders}/columns/name`);
    const etag = read.headers.get('etag') ?? '';
    expect(etag).toBe(added.headers.get('etag'));
    const change = { title: 'Name', options: { link: 'customer', column: 'name' } };
    const patched = await api.patch(`${orders}/columns/name`, change, { 'if-match': etag });
    expect(dataOf(patched, 200)).toMatchObject(change);
    expect(await columnOf(orders, 'name')).toMatchObject(change);
    expectFailure(
      await api.patch(`${orders}/columns/name`, { title: 'x' }, { 'if-match': etag }),
      'precondition_failed',
    );
    const moved = dataOf(await api.patch(`${orders}/columns/name`, { position: 0 }), 200);
    expect(moved).toMatchObject(change);
    const all = dataOf(await api.get(orders), 200).columns as Json[];
    expect(all.map(({ key }) => key as string)).toEqual(['name', 'customer', 'others', 'note']);
  });

  it('can be created together with its datagrid', async () => {
    const { customers, workspaceId } = await newLinkedSheets(api);
    const link = { key: 'customer', type: 'link', options: { datagridId: idOf(customers) } };
    const grid = await newDatagrid(api, [NAME, link].toReversed(), workspaceId);
    await createRows(api, grid, [{ customer: 2 }]);
    expect(await valuesOf(api, grid)).toEqual({ 1: { customer: 2, name: 'b' } });
    expect(await optionsOf(grid, 'name')).toEqual({ link: 'customer', column: 'name' });
    const early = await newDatagrid(api, [NAME, link], workspaceId);
    expect(await optionsOf(early, 'name')).toEqual({ link: 'customer', column: 'name' });
    const body = {
      name: 'Wrong',
      columns: [link, { ...NAME, options: { link: 'x', column: 'y' } }],
    };
    const url = `/workspaces/${workspaceId}/datagrids`;
    expectFailure(await api.post(url, body), 'invalid_request', [
      'columns.1.options.link unknown_column',
    ]);
    const count = {
      key: 'n',
      type: 'count',
      options: { datagridId: idOf(customers), column: 'name' },
    };
    expectFailure(await api.post(url, { name: 'Wrong', columns: [count] }), 'invalid_request', [
      'columns.0.options.datagridId incompatible_parameters',
    ]);
  });

  it.each([
    [{ ...NAME, options: { link: 'none', column: 'name' } }, 'options.link unknown_column'],
    [{ ...NAME, options: { link: 'note', column: 'name' } }, 'options.link wrong_type'],
    [{ ...NAME, options: { link: 'customer', column: 'none' } }, 'options.column unknown_column'],
    [
      { ...NAME, options: { link: 'customer', column: 'n' } },
      'options.column incompatible_parameters',
    ],
    [
      { ...NAME, options: { linkId: 1, link: 'customer', column: 'name' } },
      'options.linkId unknown_property',
    ],
    [{ ...NAME, options: { link: 'customer' } }, 'options.column required'],
    [{ ...NAME, required: true }, 'required incompatible_parameters'],
    [{ ...NAME, unique: true }, 'unique incompatible_parameters'],
    [{ ...NAME, indexed: true }, 'indexed incompatible_parameters'],
    [{ ...NAME, defaultValue: 'x' }, 'defaultValue incompatible_parameters'],
  ])('is rejected as %j', async (column, detail) => {
    const sheets = await newLinkedSheets(api);
    dataOf(await api.post(`${sheets.customers}/columns`, countOf(sheets, 'n')), 201);
    expectFailure(await api.post(`${sheets.orders}/columns`, column), 'invalid_request', [detail]);
  });

  it.each([
    ['none', 'options.column unknown_column'],
    ['note', 'options.column incompatible_parameters'],
  ])('cannot count by the column %s', async (column, detail) => {
    const sheets = await newLinkedSheets(api);
    const body = countOf(sheets, 'n', column);
    expectFailure(await api.post(`${sheets.customers}/columns`, body), 'invalid_request', [detail]);
  });

  it('cannot count rows of other workspaces and accounts, of the trash, or by links to other datagrids', async () => {
    const sheets = await newLinkedSheets(api);
    const { orders, customers } = sheets;
    const other = await app.newAccount();
    const foreign = await newLinkedSheets(other.api);
    const elsewhere = await newLinkedSheets(api);
    const trashed = await newDatagrid(api, [], sheets.workspaceId);
    dataOf(await api.delete(trashed).then(() => api.get(customers)), 200);
    for (const path of [foreign.orders, elsewhere.orders, trashed]) {
      const body = countOf({ ...sheets, orders: path });
      expectFailure(await api.post(`${customers}/columns`, body), 'invalid_request', [
        'options.datagridId unknown_datagrid',
      ]);
    }
    expectFailure(await api.post(`${orders}/columns`, countOf(sheets, 'n')), 'invalid_request', [
      'options.column incompatible_parameters',
    ]);
  });

  it('needs a key with access to the datagrid that it reads', async () => {
    const sheets = await newLinkedSheets(api);
    const console = await app.console(team.owner);
    const key = async (path: string): Promise<ApiClient> => {
      const body = { name: `Limited ${path}`, datagridIds: [idOf(path)] };
      return app.api(dataOf(await console.post('/keys', body), 201).key as string);
    };
    const ofOrders = await key(sheets.orders);
    for (const column of ['name', 'none']) {
      const body = { ...NAME, options: { link: 'customer', column } };
      expectFailure(await ofOrders.post(`${sheets.orders}/columns`, body), 'forbidden');
    }
    const ofCustomers = await key(sheets.customers);
    expectFailure(
      await ofCustomers.post(`${sheets.customers}/columns`, countOf(sheets)),
      'invalid_request',
      ['options.datagridId unknown_datagrid'],
    );
  });

  it('is one of those that read at most five datagrids', async () => {
    const sheets = await newLinkedSheets(api);
    const { customers, orders } = sheets;
    const add = (path: string, body: object): Promise<Json> => api.post(`${path}/columns`, body);
    for (const n of [1, 2, 3, 4, 5]) {
      dataOf(await add(customers, countOf(sheets, `n${String(n)}`)), 201);
    }
    expectFailure(await add(customers, countOf(sheets, 'n6')), 'invalid_request', [
      'type too_many',
    ]);
    const self = { key: 'parent', type: 'link', options: { datagridId: idOf(customers) } };
    dataOf(await add(customers, self), 201);
    const parent = {
      key: 'parentName',
      type: 'lookup',
      options: { link: 'parent', column: 'name' },
    };
    expectFailure(await add(customers, parent), 'invalid_request', ['type too_many']);
    // Several lookups of one datagrid are one statement.
    for (const n of [1, 2, 3, 4, 5, 6]) {
      dataOf(await add(orders, { ...NAME, key: `name${String(n)}` }), 201);
    }
    expect((await api.delete(`${customers}/columns/n1`)).status).toBe(204);
    dataOf(await add(customers, parent), 201);
    const [removed] = dataOf(await api.get(`${customers}/trash/columns`), 200);
    expect(removed).toMatchObject({
      key: 'n1',
      options: { datagridId: idOf(orders), column: 'customer' },
    });
    const restore = await api.post(`${customers}/trash/columns/restore`, {
      id: removed.id as number,
    });
    expectFailure(restore, 'invalid_request', ['type too_many']);
  });

  it.each([
    [{ type: 'text' }, 'type incompatible_parameters'],
    [{ type: 'json', convert: true }, 'type incompatible_parameters'],
    [{ options: { link: 'others', column: 'name' } }, 'options incompatible_parameters'],
    [{ required: true }, 'required incompatible_parameters'],
    [{ unique: true }, 'unique incompatible_parameters'],
    [{ indexed: true }, 'indexed incompatible_parameters'],
    [{ defaultValue: 'x' }, 'defaultValue incompatible_parameters'],
  ])('cannot change by %j', async (change, detail) => {
    const { orders } = await newLinkedSheets(api);
    dataOf(await api.post(`${orders}/columns`, NAME), 201);
    expectFailure(await api.patch(`${orders}/columns/name`, change), 'invalid_request', [detail]);
    const preview = await api.post(`${orders}/columns/name/preview`, change);
    expectFailure(preview, 'invalid_request', [detail]);
  });

  it('cannot replace another column', async () => {
    const { orders } = await newLinkedSheets(api);
    const { type, options } = NAME;
    expectFailure(await api.patch(`${orders}/columns/note`, { type, options }), 'invalid_request', [
      'type incompatible_parameters',
    ]);
  });
});

describe('Requests that use a computed column', () => {
  let orders: string;

  beforeAll(async () => {
    const sheets = await newLinkedSheets(api);
    ({ orders } = sheets);
    dataOf(await api.post(`${orders}/columns`, NAME), 201);
    dataOf(await api.post(`${sheets.customers}/columns`, countOf(sheets)), 201);
    await createRows(api, orders, [{ customer: 1 }]);
  });

  it.each([
    ['/rows?filter={"name":"a"}', 'filter.name incompatible_parameters'],
    ['/rows?sort=name', 'sort incompatible_parameters'],
    ['/rows?expand=name', 'expand wrong_type'],
    ['/rows/export?filter={"name":"a"}', 'filter.name incompatible_parameters'],
  ])('return 400 for %s', async (query, detail) => {
    expectFailure(await api.get(`${orders}${query}`), 'invalid_request', [detail]);
  });

  it('return 400 for groups, aggregates, views and conditions of links', async () => {
    const aggregate = (body: object): Promise<Json> => api.post(`${orders}/rows/aggregate`, body);
    expectFailure(await aggregate({ groupBy: [{ column: 'name' }] }), 'invalid_request', [
      'groupBy.0.column incompatible_parameters',
    ]);
    const aggregates = [{ function: 'count', column: 'name' }];
    expectFailure(await aggregate({ aggregates }), 'invalid_request', [
      'aggregates.0.column incompatible_parameters',
    ]);
    for (const body of [{ groupBy: 'name' }, { colorBy: 'name' }]) {
      expectFailure(await api.post(`${orders}/views`, { name: 'v', ...body }), 'invalid_request', [
        `${Object.keys(body).join('')} incompatible_parameters`,
      ]);
    }
    const filter = { customer: { $row: { orders: 1 } } };
    expectFailure(await api.post(`${orders}/rows/query`, { filter }), 'invalid_request', [
      'filter.customer.$row.orders incompatible_parameters',
    ]);
  });

  it('return 400 for a table of a connection and a condition of a webhook', async () => {
    const { workspaceId } = dataOf(await api.get(orders), 200) as { workspaceId: string };
    const workspace = `/workspaces/${workspaceId}`;
    const connection = `${workspace}/connections/${await newConnection(api, workspaceId)}`;
    const table = `${connection}/tables/${idOf(orders)}`;
    expectFailure(await api.patch(table, { columns: ['note', 'name'] }), 'invalid_request', [
      'columns.1 incompatible_parameters',
    ]);
    dataOf(await api.patch(table, { columns: ['note'] }), 200);
    const hook = { url: NOWHERE, datagridIds: [idOf(orders)], filter: { name: 'a' } };
    expectFailure(await api.post(`${workspace}/webhooks`, hook), 'invalid_request', [
      'filter.name incompatible_parameters',
    ]);
  });

  it('return 400 for values of it', async () => {
    for (const value of ['a', null]) {
      const values = { name: value };
      for (const response of [
        await api.post(`${orders}/rows`, { values }),
        await api.patch(`${orders}/rows/1`, { values }),
        await api.put(`${orders}/rows/1`, { values }),
      ]) {
        expectFailure(response, 'invalid_request', ['values.name read_only']);
      }
    }
    const many = await api.post(`${orders}/rows`, { rows: [{ values: { name: 'a' } }] });
    expectFailure(many, 'invalid_request', ['rows.0.values.name read_only']);
    const operations = [{ op: 'upsert', matchOn: ['name'], values: { note: 'x' } }];
    const batch = { mode: 'atomic', operations };
    expectFailure(await api.post(`${orders}/rows/batch`, batch), 'invalid_request', [
      'operations.0.matchOn.0 not_unique',
    ]);
  });

  it('are rejected as imports that name it, while an import of an export works', async () => {
    const report = async (type: string, text: string, query = ''): Promise<Json> => {
      const path = `${orders}/rows/import${query}`;
      const started = await api.post(path, new FileBody(type, text));
      return started.body;
    };
    for (const query of ['', '?createColumns=true']) {
      const body = await report('text/csv', 'note,name\nx,y\n', query);
      expect(JSON.stringify(body)).toContain('is computed; leave it out of the file');
    }
    const lines = await report('application/x-ndjson', '{"name":"x"}\n');
    expect(JSON.stringify(lines)).toContain('read_only');
    const csv = (await api.get(`${orders}/rows/export?format=csv`)).text;
    const again = await report('text/csv', csv);
    expect(JSON.stringify(again)).not.toContain('computed');
  });
});

describe('A column that a computed column reads', () => {
  it('cannot be removed from the same datagrid first', async () => {
    const { orders } = await newLinkedSheets(api);
    dataOf(await api.post(`${orders}/columns`, NAME), 201);
    const removal = await api.delete(`${orders}/columns/customer`);
    expectFailure(removal, 'conflict');
    expect(removal.body.error.message).toBe(
      'Column name is computed from this column. Remove it first.',
    );
    for (const key of ['others', 'name', 'customer']) {
      expect((await api.delete(`${orders}/columns/${key}`)).status).toBe(204);
    }
    const [link, name] = dataOf(await api.get(`${orders}/trash/columns`), 200);
    expect([link.key, name.key]).toEqual(['customer', 'name']);
    expect(name.options).toEqual({ link: 'customer', column: 'name', broken: true });
    const restored = await api.post(`${orders}/trash/columns/restore`, { id: name.id as number });
    expect(dataOf(restored, 200).options).toEqual(name.options);
    expect(await optionsOf(orders, 'name')).toEqual(name.options);
    await createRows(api, orders, [{ note: 'x' }]);
    expect(await valuesOf(api, orders)).toEqual({ 1: { note: 'x' } });
    dataOf(await api.patch(`${orders}/columns/name`, { title: 'Broken' }), 200);
    expect((await api.delete(`${orders}/columns/name`)).status).toBe(204);
  });

  it('can be removed from another datagrid, and restored: meanwhile there are no values', async () => {
    const sheets = await newLinkedSheets(api);
    const { orders, customers } = sheets;
    const values = { key: 'all', type: 'lookup', options: { link: 'others', column: 'name' } };
    for (const column of [NAME, values]) dataOf(await api.post(`${orders}/columns`, column), 201);
    dataOf(await api.post(`${customers}/columns`, countOf(sheets)), 201);
    await createRows(api, orders, [{ customer: 1, others: [2] }]);
    const before = await valuesOf(api, orders);
    expect(before).toEqual({ 1: { customer: 1, others: [2], name: 'a', all: ['b'] } });
    expect((await api.delete(`${customers}/columns/name`)).status).toBe(204);
    expect(await optionsOf(orders, 'name')).toEqual({
      link: 'customer',
      column: 'name',
      broken: true,
    });
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1, others: [2], all: [] } });
    dataOf(await api.post(`${customers}/columns`, { key: 'name', type: 'text' }), 201);
    expect((await valuesOf(api, orders))['1']).not.toHaveProperty('name');
    const [removed] = dataOf(await api.get(`${customers}/trash/columns`), 200);
    const body = { id: removed.id as number, key: 'oldName' };
    dataOf(await api.post(`${customers}/trash/columns/restore`, body), 200);
    expect(await valuesOf(api, orders)).toEqual(before);
    expect(await optionsOf(orders, 'name')).toEqual({ link: 'customer', column: 'oldName' });
  });

  it('can be the link of a count, whose datagrid can be deleted, too', async () => {
    const sheets = await newLinkedSheets(api);
    const { orders, customers } = sheets;
    dataOf(await api.post(`${customers}/columns`, countOf(sheets)), 201);
    dataOf(await api.post(`${customers}/columns`, countOf(sheets, 'others', 'others')), 201);
    await createRows(api, orders, [{ customer: 1, others: [1, 2] }]);
    const names = { 1: { name: 'a' }, 2: { name: 'b' }, 3: { name: 'c' } };
    expect(await valuesOf(api, customers)).toEqual({
      1: { name: 'a', orders: 1, others: 1 },
      2: { name: 'b', orders: 0, others: 1 },
      3: { name: 'c', orders: 0, others: 0 },
    });
    expect((await api.delete(`${orders}/columns/customer`)).status).toBe(204);
    const options = { datagridId: idOf(orders), column: 'customer', broken: true };
    expect(await optionsOf(customers, 'orders')).toEqual(options);
    expect((await valuesOf(api, customers))['1']).toEqual({ name: 'a', others: 1 });
    expect((await api.delete(orders)).status).toBe(204);
    expect(await optionsOf(customers, 'others')).toEqual({
      ...options,
      column: 'others',
    });
    expect(await valuesOf(api, customers)).toEqual(names);
    dataOf(await api.post(`/trash/${idOf(orders)}/restore`), 200);
    expect(await optionsOf(customers, 'others')).toEqual({
      datagridId: idOf(orders),
      column: 'others',
    });
    expect((await valuesOf(api, customers))['2']).toEqual({ name: 'b', others: 1 });
  });

  it('is one of the same datagrid if rows link within it', async () => {
    const grid = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const options = { datagridId: idOf(grid) };
    const columns = [
      { key: 'parent', type: 'link', options },
      { key: 'parentName', type: 'lookup', options: { link: 'parent', column: 'name' } },
      { key: 'children', type: 'count', options: { ...options, column: 'parent' } },
    ];
    for (const column of columns) dataOf(await api.post(`${grid}/columns`, column), 201);
    for (const key of ['name', 'parent']) {
      expectFailure(await api.delete(`${grid}/columns/${key}`), 'conflict');
    }
    for (const key of ['parentName', 'name', 'children', 'parent']) {
      expect((await api.delete(`${grid}/columns/${key}`)).status).toBe(204);
    }
  });
});

describe('A datagrid with computed columns', () => {
  it('keeps its other columns as they are printed, and can be deleted and restored', async () => {
    const sheets = await newLinkedSheets(api);
    const { orders, customers } = sheets;
    const text =
      '{"key":"n","type":"number","defaultValue":1.50,"title":"\\"type\\":\\"lookup\\""}';
    dataOf(await api.send('POST', `${orders}/columns`, text), 201);
    dataOf(await api.post(`${orders}/columns`, NAME), 201);
    expect((await api.get(orders)).text).toContain('"defaultValue":1.5');
    await createRows(api, orders, [{ customer: 1 }]);
    expect((await api.delete(orders)).status).toBe(204);
    dataOf(await api.post(`/trash/${idOf(orders)}/restore`), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1, name: 'a', n: 1.5 } });
    expect((await api.delete(`${orders}/columns/name`)).status).toBe(204);
    const flag =
      'SELECT has_computed AS computed, plain_values AS plain FROM datagrids WHERE id = $1';
    const { rows } = await app.sql.query(flag, [idOf(orders)]);
    expect(rows).toEqual([{ computed: false, plain: true }]);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1, n: 1.5 } });
    // The key is free for a column with values of its own.
    dataOf(await api.post(`${orders}/columns`, { key: 'name', type: 'text' }), 201);
    await createRows(api, orders, [{ name: 'own' }]);
    expect((await valuesOf(api, orders))['2']).toMatchObject({ name: 'own' });
    const workspace = await newWorkspace(api);
    expect(dataOf(await api.get(`/workspaces/${workspace}/datagrids`), 200)).toEqual([]);
    expect((await api.get(customers)).status).toBe(200);
  });

  it('is shown with its computed columns to another account as not found', async () => {
    const { orders } = await newLinkedSheets(api);
    dataOf(await api.post(`${orders}/columns`, NAME), 201);
    const other = await app.newAccount();
    expectFailure(await other.api.get(`${orders}/columns/name`), 'not_found');
    expectFailure(await other.api.delete(`${orders}/columns/name`), 'not_found');
  });
});
