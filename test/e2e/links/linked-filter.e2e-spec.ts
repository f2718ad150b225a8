import { QueryTimeoutError } from '../../../src/platform/database/query-pool';
import { LinkedFilterRepository } from '../../../src/rows/link/linked-filter.repository';
import type { ApiClient, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
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

/** Creates customers a, b and one without a name, and orders that link to them by `customer` and `others`. */
async function newOrders(): Promise<LinkedSheets> {
  const sheets = await newLinkedSheets(api);
  dataOf(await api.patch(`${sheets.customers}/rows/3`, { values: { name: null } }), 200);
  await createRows(api, sheets.orders, [
    { customer: 1, note: 'one' },
    { customer: 2, others: [1, 3], note: 'two' },
    { others: [2] },
    { note: 'none' },
  ]);
  return sheets;
}

async function idsOf(path: string, filter: object, more: object = {}): Promise<number[]> {
  const rows = dataOf(await api.post(`${path}/rows/query`, { filter, ...more }), 200);
  return (rows as unknown as Json[]).map(({ id }) => id as number);
}

const NAMED_A = { $row: { name: 'a' } };

describe('a filter by the linked rows', () => {
  it.each([
    ['link', { customer: NAMED_A }, [1]],
    ['multiLink', { others: NAMED_A }, [2]],
    [
      'several conditions',
      { customer: { $row: { name: { $in: ['a', 'b'] }, _id: { $gt: 1 } } } },
      [2],
    ],
    ['a value that no linked row has', { customer: { $row: { name: 'x' } } }, []],
    ['$not, also of rows without a link', { $not: { customer: NAMED_A } }, [2, 3, 4]],
    ['$or', { $or: [{ customer: NAMED_A }, { others: { $row: { name: 'b' } } }] }, [1, 3]],
    ['$and and other conditions', { $and: [{ others: NAMED_A }, { note: 'two' }] }, [2]],
    ['another operator of the column', { customer: { ...NAMED_A, $ne: 1 } }, []],
    ['$isNull on the linked row', { others: { $row: { name: { $isNull: true } } } }, [2]],
  ])('finds rows by %s', async (_name, filter, expected) => {
    const { orders } = await newOrders();
    expect(await idsOf(orders, filter)).toEqual(expected);
    const query = encodeURIComponent(JSON.stringify(filter));
    const listed = await api.get(`${orders}/rows?filter=${query}`);
    expect(listed.body.meta).toMatchObject({ total: expected.length });
  });

  it('finds rows by pages, by cursors, in order, with a search and with expand', async () => {
    const { orders } = await newOrders();
    const filter = { customer: { $row: { name: { $in: ['a', 'b'] } } } };
    expect(await idsOf(orders, filter, { sort: '-note' })).toEqual([2, 1]);
    expect(await idsOf(orders, filter, { q: 'tw' })).toEqual([2]);
    expect(await idsOf(orders, filter, { limit: 1, page: 2 })).toEqual([2]);
    const first = await api.post(`${orders}/rows/query`, { filter, limit: 1, cursor: '' });
    const cursor = first.body.meta?.nextCursor as string;
    expect(await idsOf(orders, filter, { limit: 1, cursor })).toEqual([2]);
    const expanded = await api.post(`${orders}/rows/query`, { filter, expand: 'customer' });
    expect(expanded.body.meta).toMatchObject({ linked: { customer: { 1: {}, 2: {} } } });
  });

  it('finds rows by an index, whose column is in the filter, too', async () => {
    const { orders } = await newOrders();
    dataOf(await api.patch(`${orders}/columns/note`, { indexed: true }), 200);
    const filter = { note: { $in: ['one', 'two'] }, customer: { $row: { name: 'b' } } };
    expect(await idsOf(orders, filter)).toEqual([2]);
    expect(await idsOf(orders, filter, { sort: 'note' })).toEqual([2]);
  });

  it('finds rows of a datagrid that links to itself', async () => {
    const grid = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const parent = { key: 'parent', type: 'link', options: { datagridId: idOf(grid) } };
    dataOf(await api.post(`${grid}/columns`, parent), 201);
    await createRows(api, grid, [{ name: 'root' }]);
    await createRows(api, grid, [{ name: 'leaf', parent: 1 }]);
    expect(await idsOf(grid, { parent: { $row: { name: 'root' } } })).toEqual([2]);
  });

  it('aggregates the rows that it finds', async () => {
    const { orders } = await newOrders();
    const body = { filter: { customer: NAMED_A }, aggregates: [{ function: 'count' }] };
    const [group] = dataOf(
      await api.post(`${orders}/rows/aggregate`, body),
      200,
    ) as unknown as Json[];
    expect(group).toMatchObject({ values: { count: 1 } });
  });

  it('follows the changes of linked rows, and of their columns', async () => {
    const { orders, customers } = await newOrders();
    const filter = encodeURIComponent(JSON.stringify({ customer: NAMED_A }));
    const path = `${orders}/rows?filter=${filter}`;
    const etag = (await api.get(path)).headers.get('etag') ?? '';
    expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304);
    dataOf(await api.patch(`${customers}/rows/3`, { values: { name: 'other' } }), 200);
    expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304);
    dataOf(await api.patch(`${customers}/rows/2`, { values: { name: 'a' } }), 200);
    const changed = await api.get(path, { 'if-none-match': etag });
    expect([changed.status, changed.body.meta?.total]).toEqual([200, 2]);
    expect((await api.delete(`${customers}/columns/name`)).status).toBe(204);
    expectFailure(await api.get(path), 'invalid_request', [
      'filter.customer.$row.name unknown_column',
    ]);
    dataOf(await api.post(`${customers}/columns`, { key: 'name', type: 'integer' }), 201);
    dataOf(await api.patch(`${customers}/rows/1`, { values: { name: 7 } }), 200);
    expect(await idsOf(orders, { customer: { $row: { name: 7 } } })).toEqual([1]);
  });

  it('returns 400 with the path of the column if the linked rows take too long to find', async () => {
    const { orders } = await newOrders();
    const repository = app.nest.get(LinkedFilterRepository, { strict: false });
    const slow = jest.spyOn(repository, 'findIds').mockRejectedValueOnce(new QueryTimeoutError());
    const response = await api.post(`${orders}/rows/query`, { filter: { customer: NAMED_A } });
    slow.mockRestore();
    expectFailure(response, 'query_too_expensive', ['filter.customer.$row.name not_indexed']);
  });

  it('returns 400 if more than 10,000 linked rows match', async () => {
    const { orders, customers } = await newOrders();
    await app.sql.query(
      `INSERT INTO rows SELECT $1, n, '{"name": "many"}', 1, now(), now() FROM generate_series(4, 10004) n`,
      [idOf(customers)],
    );
    const filter = { customer: { $row: { name: 'many' } } };
    expectFailure(await api.post(`${orders}/rows/query`, { filter }), 'query_too_expensive', [
      'filter.customer.$row too_many',
    ]);
    await app.sql.query('DELETE FROM rows WHERE datagrid_id = $1 AND id = 4', [idOf(customers)]);
    expect(await idsOf(orders, filter)).toEqual([]);
  });
});

describe('a filter by the linked rows returns 400', () => {
  it.each([
    [{ customer: { $row: {} } }, 'filter.customer.$row required'],
    [{ customer: { $row: 'a' } }, 'filter.customer.$row wrong_type'],
    [{ customer: { $row: [] } }, 'filter.customer.$row wrong_type'],
    [{ note: { $row: { name: 'a' } } }, 'filter.note.$row unknown_operator'],
    [{ unknown: { $row: { name: 'a' } } }, 'filter.unknown unknown_column'],
    [{ customer: { $row: { x: 1 } } }, 'filter.customer.$row.x unknown_column'],
    [{ $not: { customer: { $row: { name: 1 } } } }, 'filter.$not.customer.$row.name wrong_type'],
    [{ $or: [{ customer: { $row: { x: 1 } } }] }, 'filter.$or.0.customer.$row.x unknown_column'],
  ])('for %j', async (filter, detail) => {
    const { orders } = await newLinkedSheets(api);
    const body = { filter };
    expectFailure(await api.post(`${orders}/rows/query`, body), 'invalid_request', [detail]);
    expectFailure(
      await api.post(`${orders}/rows/aggregate`, { ...body, aggregates: [{ function: 'count' }] }),
      'invalid_request',
      [detail],
    );
  });

  it('for $row within $row, and for more than three $row conditions', async () => {
    const { orders } = await newLinkedSheets(api);
    const self = { key: 'self', type: 'link', options: { datagridId: idOf(orders) } };
    dataOf(await api.post(`${orders}/columns`, self), 201);
    const nested = { self: { $row: { customer: NAMED_A } } };
    expectFailure(await api.post(`${orders}/rows/query`, { filter: nested }), 'invalid_request', [
      'filter.self.$row.customer.$row unknown_operator',
    ]);
    const many = { $or: Array.from({ length: 4 }, () => ({ customer: NAMED_A })) };
    expectFailure(await api.post(`${orders}/rows/query`, { filter: many }), 'invalid_request', [
      'filter too_many',
    ]);
  });

  it('in exports, deletions by filter, views and webhooks', async () => {
    const { orders, workspaceId } = await newOrders();
    const filter = { customer: NAMED_A };
    const query = encodeURIComponent(JSON.stringify(filter));
    const webhook = {
      url: 'https://receiver.invalid/',
      datagridIds: [idOf(orders)],
      filter,
    };
    for (const response of [
      await api.get(`${orders}/rows/export?filter=${query}`),
      await api.post(`${orders}/rows/delete`, { filter }),
      await api.post(`${orders}/views`, { name: 'V', filter }),
      await api.post(`/workspaces/${workspaceId}/webhooks`, webhook),
    ]) {
      expectFailure(response, 'invalid_request', ['filter.customer.$row unknown_operator']);
    }
  });

  it('if a client sends ids in place of the filter in $row', async () => {
    const { orders } = await newOrders();
    for (const operand of [{ ids: [1] }, [1], { $ids: [1] }]) {
      const response = await api.post(`${orders}/rows/query`, {
        filter: { customer: { $row: operand } },
      });
      expect(response.status).toBe(400);
    }
  });
});

describe('access to the linked rows of a filter', () => {
  it('requires a key with access to the linked datagrid', async () => {
    const { orders, customers } = await newOrders();
    const console = await app.console(team.owner);
    const keyFor = async (...paths: string[]): Promise<ApiClient> => {
      const body = { name: `Limited ${String(paths.length)}`, datagridIds: paths.map(idOf) };
      return app.api(dataOf(await console.post('/keys', body), 201).key as string);
    };
    const limited = await keyFor(orders);
    const aggregates = [{ function: 'count' }];
    for (const filter of [{ customer: NAMED_A }, { $not: { others: { $row: { x: 1 } } } }]) {
      expectFailure(await limited.post(`${orders}/rows/query`, { filter }), 'forbidden');
      expectFailure(
        await limited.post(`${orders}/rows/aggregate`, { filter, aggregates }),
        'forbidden',
      );
    }
    const both = await keyFor(orders, customers);
    const body = { filter: { customer: NAMED_A } };
    expect(dataOf(await both.post(`${orders}/rows/query`, body), 200)).toHaveLength(1);
  });

  it('returns 404 to another account', async () => {
    const { orders } = await newOrders();
    const other = await app.newAccount();
    for (const filter of [{ customer: NAMED_A }, { x: NAMED_A }]) {
      expectFailure(await other.api.post(`${orders}/rows/query`, { filter }), 'not_found');
    }
  });
});
