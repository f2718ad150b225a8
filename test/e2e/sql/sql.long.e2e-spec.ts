import type { ApiClient } from '../../support/api-client';
import { expectFailure, unlistedMessages } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'country', type: 'select', options: { choices: ['CH', 'DE'] } },
  { key: 'price', type: 'decimal' },
  { key: 'units', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'done', type: 'boolean' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  { key: 'more', type: 'json' },
];

const ROWS = [
  {
    ...{ name: 'Ann "A"', country: 'CH', price: '1.10', units: 9007199254740991, weight: 0.1 },
    ...{ done: true, day: '2026-01-31', at: '2026-01-31T23:30:00.000Z', tags: ['a', 'b'] },
    more: { deep: [1, null] },
  },
  { name: '\uFEFFBob', country: 'DE', price: '2.2', units: 2, weight: 1e300, tags: [] },
  { name: '', country: 'CH', price: '-0.05' },
];

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

interface Result {
  readonly data: readonly Record<string, unknown>[];
  readonly meta: {
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly revisions: Readonly<Record<string, number>>;
    readonly truncated: boolean;
  };
}

async function run(api: ApiClient, workspaceId: string, body: object): Promise<Result> {
  const response = await api.post(`/workspaces/${workspaceId}/sql`, body);
  expect(response.body.error).toBeUndefined();
  expect(response.status).toBe(200);
  return response.body;
}

describe('SQL over a workspace', () => {
  it('reads rows with their columns and attributes, in the types of DuckDB', async () => {
    const { api, workspaceId } = await place();
    await addGrid(api, workspaceId, 'Order Items', COLUMNS, ROWS);

    const result = await run(api, workspaceId, { sql: 'SELECT * FROM order_items ORDER BY _id;' });

    expect(result.meta.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      '_id BIGINT',
      '_revision BIGINT',
      '_createdAt TIMESTAMP',
      '_updatedAt TIMESTAMP',
      'name VARCHAR',
      'country VARCHAR',
      'price DECIMAL(18,2)',
      'units BIGINT',
      'weight DOUBLE',
      'done BOOLEAN',
      'day DATE',
      'at TIMESTAMP',
      'tags VARCHAR[]',
      'more JSON',
    ]);
    expect(result.data[0]).toMatchObject({
      _id: 1,
      name: 'Ann "A"',
      price: '1.10',
      units: 9007199254740991,
      weight: 0.1,
      done: true,
      day: '2026-01-31',
      at: '2026-01-31T23:30:00.000Z',
      tags: ['a', 'b'],
      more: { deep: [1, null] },
    });
    expect(result.data[1]).toMatchObject({ name: '\uFEFFBob', weight: 1e300, tags: [] });
    expect(result.data[2]).toMatchObject({ name: '', price: '-0.05', done: null });
    expect(result.meta.revisions).toEqual({ order_items: 1 });
    expect(result.meta.truncated).toBe(false);
  });

  it('has every committed write, also of another kind and in another form', async () => {
    const { api, workspaceId } = await place();
    const grid = await addGrid(api, workspaceId, 'Items', COLUMNS, ROWS);
    const sql = 'SELECT count(*) AS n, sum(price) AS total, max(name) AS name FROM items';
    const read = async (): Promise<object | undefined> =>
      (await run(api, workspaceId, { sql })).data[0];
    expect(await read()).toMatchObject({ n: 3, total: '3.25' });

    dataOf(await api.post(`${grid}/rows`, { values: { price: '0.123456789012345678' } }), 201);
    expect(await read()).toMatchObject({ n: 4, total: '3.373456789012345678' });
    // No DECIMAL has room for all digits, so that they are texts now.
    const long = '12345678901234567890123456789012345678';
    dataOf(await api.post(`${grid}/rows`, { values: { price: long } }), 201);
    const texts = await run(api, workspaceId, { sql: 'SELECT price FROM items ORDER BY _id DESC' });
    expect(texts.meta.columns).toEqual([{ name: 'price', type: 'VARCHAR' }]);
    expect(texts.data[0]).toEqual({ price: long });
    expect(texts.data[1]).toEqual({ price: '0.123456789012345678' });

    expect((await api.delete(`${grid}/rows/5`)).status).toBe(204);
    dataOf(await api.patch(`${grid}/rows/1`, { values: { name: 'Zoe' } }), 200);
    const count = 'SELECT count(*) AS n, any_value(name) FILTER (_id = 1) AS name FROM items';
    const { data, meta } = await run(api, workspaceId, { sql: count });
    expect(data).toEqual([{ n: 4, name: 'Zoe' }]);
    expect(meta.revisions).toEqual({ items: 5 });
  });

  it('follows changes of columns and names of datagrids', async () => {
    const { api, workspaceId } = await place();
    const grid = await addGrid(api, workspaceId, 'Items', COLUMNS, ROWS);
    const before = await run(api, workspaceId, { sql: 'SELECT units FROM items WHERE units = 2' });
    expect(before.data).toEqual([{ units: 2 }]);
    dataOf(await api.patch(`${grid}/columns/units`, { key: 'pieces' }), 200);
    dataOf(await api.patch(grid, { name: 'Größe & Maß' }), 200);
    expect(await tablesIn(api, workspaceId)).toEqual(['gro_e_ma']);
    const sql = 'SELECT pieces FROM gro_e_ma WHERE pieces = 2';
    expect((await run(api, workspaceId, { sql })).data).toEqual([{ pieces: 2 }]);
    const response = await api.post(`/workspaces/${workspaceId}/sql`, { sql: 'FROM items' });
    expectFailure(response, 'invalid_request', ['sql unknown_datagrid']);
  });

  it('joins datagrids by link columns, in one snapshot', async () => {
    const { api, workspaceId } = await place();
    const customers = await addGrid(api, workspaceId, 'Customers', [{ key: 'name', type: 'text' }]);
    dataOf(await api.post(`${customers}/rows`, { rows: [named('Ann'), named('Bob')] }), 201);
    const datagridId = customers.split('/').at(-1);
    const columns = [
      { key: 'customer', type: 'link', options: { datagridId } },
      { key: 'others', type: 'multiLink', options: { datagridId } },
    ];
    const orders = [{ customer: 2, others: [1, 2] }, { customer: 2 }, { customer: 1, others: [] }];
    await addGrid(api, workspaceId, 'Orders', columns, orders);

    const { data, meta } = await run(api, workspaceId, {
      sql: `SELECT c.name, count(*) AS orders, sum(len(o.others)) AS others
        FROM orders o JOIN customers c ON o.customer = c._id GROUP BY ALL ORDER BY ALL`,
    });

    expect(data).toEqual([
      { name: 'Ann', orders: 1, others: 0 },
      { name: 'Bob', orders: 2, others: 2 },
    ]);
    expect(meta.revisions).toEqual({ orders: 1, customers: 1 });
  });

  it('binds parameters by position and by name', async () => {
    const { api, workspaceId } = await place();
    await addGrid(api, workspaceId, 'Items', COLUMNS, ROWS);
    const select = (where: string, parameters: unknown): Promise<Result> =>
      run(api, workspaceId, { sql: `SELECT _id FROM items WHERE ${where}`, parameters });
    expect((await select('units = $1 AND country = $2', [2, 'DE'])).data).toEqual([{ _id: 2 }]);
    expect((await select('day < ? AND done = ?', ['2026-02-01', true])).data).toEqual([{ _id: 1 }]);
    const named = { price: '1.10', none: null };
    expect((await select('price = $price AND $none IS NULL', named)).data).toEqual([{ _id: 1 }]);
    const types =
      'SELECT typeof($1) AS a, typeof($2) AS b, typeof($3) AS c, round(2.345, $4) AS d, coalesce($5, 7) AS e FROM range($6) LIMIT $7';
    const typed = { sql: types, parameters: [7, 2 ** 31, 1.5, 1, null, 3, 1] };
    expect((await run(api, workspaceId, typed)).data).toEqual([
      { a: 'INTEGER', b: 'BIGINT', c: 'DOUBLE', d: '2.3', e: 7 },
    ]);
    const missing = { sql: 'SELECT $1', parameters: [] };
    const response = await api.post(`/workspaces/${workspaceId}/sql`, missing);
    expectFailure(response, 'invalid_request', ['sql invalid_format']);
    for (const parameters of ['x', [2 ** 60], { 'a b': 1 }, ['\0'], [[1]], [{}]]) {
      const body = { sql: 'SELECT 1', parameters };
      const wrong = await api.post(`/workspaces/${workspaceId}/sql`, body);
      expect(wrong.body.error.details[0].field).toMatch(/^parameters/);
      expect(wrong.body.error.details[0].code).toMatch(/^(?:wrong_type|invalid_text)$/);
      expect(unlistedMessages(wrong)).toEqual([]);
    }
  });

  it('says whether a result has more rows, and returns all of them as a file', async () => {
    const { api, workspaceId } = await place();
    const sql =
      "SELECT i, CASE WHEN i = 1 THEN 'a \"b\", c' WHEN i = 2 THEN '' END AS t FROM range(25000) r(i) ORDER BY i";
    const first = await run(api, workspaceId, { sql, limit: 3 });
    expect(first.data).toEqual([
      { i: 0, t: null },
      { i: 1, t: 'a "b", c' },
      { i: 2, t: '' },
    ]);
    expect(first.meta.truncated).toBe(true);
    expect((await run(api, workspaceId, { sql })).data).toHaveLength(1_000);
    const all = await run(api, workspaceId, { sql: 'SELECT 1 AS one', limit: 1 });
    expect(all.meta.truncated).toBe(false);

    const path = `/workspaces/${workspaceId}/sql`;
    const csv = await api.post(path, { sql }, { accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const lines = csv.text.split('\n');
    expect(lines.slice(0, 4)).toEqual(['i,t', '0,', '1,"a ""b"", c"', '2,""']);
    expect(lines).toHaveLength(25_002);
    const ndjson = await api.post(path, { sql, limit: 5_000 }, { accept: 'application/x-ndjson' });
    expect(ndjson.text.split('\n')).toHaveLength(5_001);
    expect(ndjson.text.startsWith('{"i":0,"t":null}\n')).toBe(true);
  });

  it('prints every type without losing anything', async () => {
    const { api, workspaceId } = await place();
    const { data } = await run(api, workspaceId, {
      sql: `SELECT 1::TINYINT AS a, 170141183460469231731687303715884105727 AS b, 0.1 AS c,
        'inf'::DOUBLE AS d, TIMESTAMP '2026-01-01 00:00:00.123456' AS e, INTERVAL 1 MONTH AS f,
        TIME '10:00' AS g, {'x': [1.5, 'nan'::DOUBLE]} AS h, MAP {'k': 1} AS i, 1.5::FLOAT AS j,
        DATE '2026-01-01' AS k, uuid() IS NOT NULL AS l, 1 AS m, 2 AS m, NULL AS n,
        ('x'::ENUM('x')) AS o, -9007199254740993 AS p, '"\\' AS q, '[1, {"a": null}]'::JSON AS r`,
    });
    expect(data).toEqual([
      {
        ...{ a: 1, b: '170141183460469231731687303715884105727', c: '0.1', d: 'inf' },
        ...{ e: '2026-01-01T00:00:00.123456Z', f: '1 month', g: '10:00:00' },
        ...{ h: '{"x":[1.5,NaN]}', i: { k: 1 }, j: 1.5, k: '2026-01-01', l: true },
        ...{ m: 1, m_1: 2, n: null, o: 'x', p: '-9007199254740993', q: '"\\' },
        r: [1, { a: null }],
      },
    ]);
  });

  it.each(['SELECT 1 \0', 'SELECT \ud800'])('rejects text that is not valid: %j', async (sql) => {
    const { api, workspaceId } = await place();
    const response = await api.post(`/workspaces/${workspaceId}/sql`, { sql });
    expectFailure(response, 'invalid_request', ['sql invalid_text']);
  });

  it.each([
    ["SELECT '[1,2,]'::JSON AS a", '[1,2,]'],
    ["SELECT lead('1'::JSON, 1, '1}],\"meta\":{}') OVER () AS a", '1}],"meta":{}'],
    ["SELECT ('{\"a\":' || chr(10) || '1}')::JSON AS a", { a: 1 }],
    [
      `SELECT '${'x'.repeat(193)}]yyy'::ENUM('${'x'.repeat(193)}]yyy') AS a`,
      `${'x'.repeat(193)}]yyy`,
    ],
  ])('prints %s as valid JSON on one line', async (sql, expected) => {
    const { api, workspaceId } = await place();
    expect((await run(api, workspaceId, { sql })).data).toEqual([{ a: expected }]);
    const path = `/workspaces/${workspaceId}/sql`;
    const { text } = await api.post(
      path,
      { sql, endLine: true },
      { accept: 'application/x-ndjson' },
    );
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { a: expected },
      { _end: { rows: 1 } },
    ]);
  });

  it.each([
    ['SELECT 1e99999', 'has a number that is too large'],
    [`SELECT 1 AS "${'x'.repeat(201)}"`, 'failed in DuckDB: A column of the result has a name'],
    ['SELECT x FROM items', 'failed in DuckDB: Binder Error: Referenced column "x" not found'],
    [
      'SELECT name::INTEGER FROM items',
      'failed in DuckDB: Conversion Error: Could not convert string',
    ],
    ['SELECT sum(name) FROM items', 'failed in DuckDB: Binder Error: No function matches'],
    ['SELECT 1; -- and no more', 'must end with its semicolon; remove what follows'],
    ['DELETE FROM items', 'must be one SELECT statement'],
    ['FROM itemz', 'reads the table "itemz", which does not exist; the tables are items'],
    ["SELECT * FROM read_text('/etc/passwd')", 'cannot use the function "read_text" as a table'],
    ['SELECT * FROM "/etc/passwd"', 'reads the table "/etc/passwd", which does not exist'],
    ['SELECT * FROM duckdb_settings', 'reads the table "duckdb_settings", which does not exist'],
    ['SELECT * FROM attached.main.t1', 'cannot read "t1" with a schema'],
  ])('rejects %s', async (sql, message) => {
    const { api, workspaceId } = await place();
    await addGrid(api, workspaceId, 'Items', COLUMNS, ROWS);
    const response = await api.post(`/workspaces/${workspaceId}/sql`, { sql });
    const code = message.includes('does not exist') ? 'unknown_datagrid' : 'invalid_format';
    expectFailure(response, 'invalid_request', [`sql ${code}`]);
    expect(response.body.error.message).toContain(`sql: ${message}`);
  });
});

const named = (name: string): object => ({ values: { name } });

async function place(): Promise<{ api: ApiClient; workspaceId: string }> {
  const { api } = team.owner;
  return { api, workspaceId: await newWorkspace(api) };
}

async function addGrid(
  api: ApiClient,
  workspaceId: string,
  name: string,
  columns: readonly object[],
  rows: readonly object[] = [],
): Promise<string> {
  const path = await newDatagrid(api, columns, workspaceId, name);
  const body = { rows: rows.map((values) => ({ values })) };
  if (rows.length > 0) dataOf(await api.post(`${path}/rows`, body), 201);
  return path;
}

async function tablesIn(api: ApiClient, workspaceId: string): Promise<string[]> {
  const response = await api.get(`/workspaces/${workspaceId}/sql/tables`);
  const tables: readonly { readonly name: string }[] = dataOf(response, 200);
  return tables.map(({ name }) => name);
}
