import {
  ClickhouseEngine,
  describeWithClickhouse,
} from '../../support/clickhouse/clickhouse-engine';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';

const COLUMNS = [
  { key: 'code', type: 'text', unique: true },
  { key: 'city', type: 'text' },
  { key: 'flights', type: 'integer' },
];

jest.setTimeout(120_000);

describeWithClickhouse('a scheduled import from ClickHouse', () => {
  let engine: ClickhouseEngine;
  let app: TestApp;
  let owner: Member;

  beforeAll(async () => {
    engine = await ClickhouseEngine.start();
    app = await TestApp.shared();
    owner = await app.newAccount();
  });

  afterAll(async () => {
    await app.close();
    await engine.close();
  });

  async function start(columns: readonly object[] = COLUMNS): Promise<Importing> {
    const { port, user, database, password: secret } = engine;
    const settings = { host: '127.0.0.1', port, database, user, tls: false };
    const target = { type: 'clickhouse', settings, secret };
    return Importing.start(app, owner, target, columns);
  }

  it('creates and updates rows by key, and does not write rows that are equal', async () => {
    const importing = await start();
    await engine.query(`
      CREATE TABLE traffic (code String, city LowCardinality(String), flights UInt64)
      ENGINE = MergeTree ORDER BY code`);
    await engine.query("INSERT INTO traffic VALUES ('JFK', 'New York', 3), ('BER', 'Berlin', 2)");
    const path = await importing.create({ table: 'warehouse.traffic' });
    expect(await importing.run(path)).toMatchObject({ created: 2, rejected: 0, error: null });
    expect(await importing.run(path)).toMatchObject({ unchanged: 2, updated: 0 });
    await engine.query("INSERT INTO traffic VALUES ('LIS', 'Lisbon', 1)");
    await importing.patch(path, {
      query: "SELECT * FROM traffic WHERE code != 'JFK'",
      missingRows: 'delete',
    });
    expect(await importing.run(path)).toMatchObject({ created: 1, unchanged: 1, deleted: 1 });
    expect(await importing.rows()).toEqual([
      { code: 'BER', city: 'Berlin', flights: 2 },
      { code: 'LIS', city: 'Lisbon', flights: 1 },
    ]);
  });

  it('imports every type exactly', async () => {
    const importing = await start([
      { key: 'code', type: 'text', unique: true },
      { key: 'big', type: 'integer' },
      { key: 'price', type: 'decimal' },
      { key: 'ratio', type: 'number' },
      { key: 'open', type: 'boolean' },
      { key: 'day', type: 'date' },
      { key: 'at', type: 'datetime' },
      { key: 'details', type: 'json' },
      { key: 'list', type: 'json' },
      { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b "c"'] } },
      { key: 'large', type: 'text' },
      { key: 'empty', type: 'text' },
    ]);
    const run = await importing.import({
      query: `SELECT 'x/\\n"y"' AS code, toInt64(9007199254740991) AS big,
        toDecimal128('12345678901234567890.123456789', 9) AS price, toFloat64(0.1) AS ratio,
        true AS open, toDate('2026-11-21') AS day,
        toDateTime64('2026-11-21 08:30:00.250', 3, 'UTC') AS at,
        tuple([1.5, 2], 'ü')::Tuple(n Array(Float64), t String) AS details,
        [[1, 2], [3, NULL]] AS list, ['a', 'b "c"'] AS tags,
        toUInt128('170141183460469231731687303715884105727') AS large, '' AS empty`,
    });
    expect(run).toMatchObject({ created: 1, rejected: 0, error: null });
    expect(await importing.rows()).toEqual([
      {
        code: 'x/\n"y"',
        big: 9_007_199_254_740_991,
        price: '12345678901234567890.123456789',
        ratio: 0.1,
        open: true,
        day: '2026-11-21',
        at: '2026-11-21T08:30:00.250Z',
        details: { n: [1.5, 2], t: 'ü' },
        list: [
          [1, 2],
          [3, null],
        ],
        tags: ['a', 'b "c"'],
        large: '170141183460469231731687303715884105727',
        empty: '',
      },
    ]);
  });

  it('rejects NaN, infinity and integers that a number does not hold', async () => {
    const importing = await start([
      { key: 'code', type: 'text', unique: true },
      { key: 'ratio', type: 'number' },
    ]);
    const run = await importing.import({
      query: `SELECT 'a' AS code, nan AS ratio UNION ALL SELECT 'b', inf
        UNION ALL SELECT 'd', 0.25`,
    });
    expect(run).toMatchObject({ rowsRead: 3, created: 1, rejected: 2 });
    const large = await importing.import({
      query: "SELECT 'e' AS code, toUInt64(9007199254740993) AS ratio",
    });
    expect(large).toMatchObject({ rejected: 1 });
    expect(large.rejectedRows[0].details).toMatchObject([
      { field: 'ratio', code: 'inexact_number' },
    ]);
    expect(await importing.rows()).toEqual([{ code: 'd', ratio: 0.25 }]);
  });

  it('reads a large result in batches', async () => {
    const importing = await start();
    const query = `SELECT concat('c', toString(number)) AS code, repeat('x', 500) AS city,
      number AS flights FROM numbers(12000)`;
    const path = await importing.create({ query, missingRows: 'delete' });
    expect(await importing.run(path)).toMatchObject({ created: 12_000, error: null });
    expect(await importing.run(path)).toMatchObject({ unchanged: 12_000, deleted: 0 });
  });

  it('cannot write in the warehouse, whatever the query is', async () => {
    const importing = await start();
    await engine.query('CREATE TABLE sentinel (code String) ENGINE = MergeTree ORDER BY code');
    for (const query of [
      "INSERT INTO sentinel VALUES ('written')",
      "INSERT INTO sentinel SELECT 'written'",
      "SELECT 'a' AS code; INSERT INTO sentinel VALUES ('written')",
      "SELECT 'a') ; INSERT INTO sentinel VALUES ('written'); (SELECT 1",
      "SELECT 'a' AS code INTO OUTFILE '/tmp/stolen.csv'",
      "SELECT 'a' AS code) INTO OUTFILE '/tmp/stolen.csv' --",
      'DROP TABLE sentinel',
      'TRUNCATE TABLE sentinel',
      'SYSTEM FLUSH LOGS',
      'SET readonly = 0',
      "SELECT 'a' AS code /*",
    ]) {
      const preview = await importing.preview({ query });
      expect({ query, ...preview }).toMatchObject({ query, ok: false, rows: [] });
    }
    expect(await engine.query('SELECT * FROM sentinel')).toEqual([]);
  });

  it('says what is wrong with a query', async () => {
    const importing = await start();
    const unknown = await importing.import({ table: 'nowhere' });
    expect(unknown.error).toMatch(/^The query failed\..* ClickHouse: .*nowhere/);
    const column = await importing.import({ query: "SELECT 'a' AS code, 1 AS gates" });
    expect(column.error).toMatch(/^The datagrid has no column for column "gates"/);
    const failing = await importing.import({
      query:
        "SELECT toString(number) AS code, throwIf(number > 5000, 'failed')::Int64 AS flights FROM numbers(6000)",
    });
    expect(failing.error).toMatch(/^The query failed\./);
  });
});
