import { dataOf, newWorkspace } from '../../support/fixture';
import { McpTestClient } from '../../support/mcp-client';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let mcp: McpTestClient;
let workspaceId: string;
let customers: string;
let orders: string;

async function newGrid(name: string, columns: object[], rows: object[]): Promise<string> {
  const path = `/workspaces/${workspaceId}/datagrids`;
  const { id } = dataOf(await owner.api.post(path, { name, columns }), 201);
  const sent = { rows: rows.map((values) => ({ values })) };
  dataOf(await owner.api.post(`/datagrids/${id as string}/rows`, sent), 201);
  return id as string;
}

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  mcp = await McpTestClient.connect(app.origin, owner.key);
  workspaceId = await newWorkspace(owner.api);
  customers = await newGrid(
    'Customers',
    [{ key: 'name', type: 'text' }],
    [{ name: 'Ann' }, { name: 'Bob' }],
  );
  orders = await newGrid(
    'Order Items',
    [
      { key: 'customer', type: 'link', options: { datagridId: customers } },
      { key: 'price', type: 'decimal' },
    ],
    [
      { customer: 1, price: '1.10' },
      { customer: 2, price: '2.20' },
      { customer: 1, price: '3.30' },
    ],
  );
});

afterAll(async () => {
  await mcp.close();
  await app.close();
});

const JOIN = `SELECT c.name, sum(o.price) AS total FROM order_items o
  JOIN customers c ON o.customer = c._id GROUP BY ALL ORDER BY total DESC`;

describe('the tools for SQL', () => {
  it('list the tables as the API does', async () => {
    const listed = await mcp.ok('list_sql_tables', { workspaceId, limit: 1, page: 2 });
    const path = `/workspaces/${workspaceId}/sql/tables?limit=1&page=2`;
    expect(listed).toEqual((await owner.api.get(path)).body);
    expect(listed.data).toEqual([
      { name: 'order_items', datagridId: orders, datagridName: 'Order Items' },
    ]);
  });

  it('join datagrids over a link, as the description says', async () => {
    const result = await mcp.ok('run_sql', { workspaceId, sql: JOIN });
    expect(result.data).toEqual([
      { name: 'Ann', total: '4.40' },
      { name: 'Bob', total: '2.20' },
    ]);
    expect(result.meta).toMatchObject({
      columns: [{ name: 'name', type: 'VARCHAR' }, { name: 'total' }],
      revisions: { order_items: 1, customers: 1 },
      truncated: false,
    });
  });

  it('bind parameters, which are texts, and limit the rows to 100 or what is asked for', async () => {
    const sql = 'SELECT price FROM order_items WHERE price > CAST(? AS DOUBLE) ORDER BY _id';
    const bound = await mcp.ok('run_sql', { workspaceId, sql, parameters: ['2'], limit: 1 });
    expect([bound.data, bound.meta.truncated]).toEqual([[{ price: '2.20' }], true]);
    const many = 'SELECT n FROM range(150) AS numbers(n)';
    const first = await mcp.ok('run_sql', { workspaceId, sql: many });
    expect([first.data.length, first.meta.truncated]).toEqual([100, true]);
  });

  it('return what is wrong with a statement, and reject results that are too large', async () => {
    const unknown = await mcp.error('run_sql', { workspaceId, sql: 'SELECT * FROM nothing' });
    expect(unknown).toMatchObject({
      code: 'invalid_request',
      details: [
        { field: 'sql', message: expect.stringContaining('the tables are customers, order_items') },
      ],
    });
    const write = await mcp.error('run_sql', { workspaceId, sql: 'DELETE FROM customers' });
    expect(write).toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'sql' }],
    });
    const large = `SELECT repeat('x', 10000) AS text FROM range(100)`;
    const error = await mcp.error('run_sql', { workspaceId, sql: large });
    expect(error.message).toMatch(
      /Use a smaller limit, select fewer columns, or group the rows\.$/,
    );
  });

  it('read only the datagrids of a limited key', async () => {
    const console = await app.console(owner);
    const limits = { name: 'Orders', datagridIds: [orders], scopes: ['rows:read'] };
    const { key } = dataOf(await console.post('/keys', limits), 201);
    const limited = await McpTestClient.connect(app.origin, key as string);
    try {
      expect(await limited.names()).toEqual(
        expect.arrayContaining(['list_sql_tables', 'run_sql', 'query_rows']),
      );
      expect((await limited.ok('list_sql_tables', { workspaceId })).data).toMatchObject([
        { name: 'order_items' },
      ]);
      const sql = 'SELECT count(*) AS n FROM order_items';
      expect((await limited.ok('run_sql', { workspaceId, sql })).data).toEqual([{ n: 3 }]);
      const error = await limited.error('run_sql', { workspaceId, sql: JOIN });
      expect(error).toMatchObject({
        code: 'invalid_request',
        details: [{ field: 'sql', code: 'unknown_datagrid' }],
      });
    } finally {
      await limited.close();
    }
  });
});
