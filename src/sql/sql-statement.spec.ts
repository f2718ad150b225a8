import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parsedSql } from '../columnar/statement-sql';
import { AppError } from '../common/error/app-error';
import { isAllowedFunction, isAllowedTableFunction } from './sql-functions';
import { tablesOf } from './sql-statement';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function tables(sql: string): Promise<string[]> {
  const text = sql.replace(/;$/, '');
  const [row] = (await connection.runAndReadAll(parsedSql(text))).getRows() as [string, string][];
  return [...tablesOf(row?.[0] ?? '', row?.[1] === 'true')].sort();
}

async function errorOf(sql: string): Promise<string> {
  try {
    await tables(sql);
  } catch (error) {
    if (error instanceof AppError) return error.details[0]?.message ?? '';
    throw error;
  }
  return 'no error';
}

describe('a statement', () => {
  it.each([
    ['SELECT 1', []],
    ['FROM Orders', ['orders']],
    [
      'SELECT a.x FROM "orders" a JOIN items i ON i.o = a._id LEFT JOIN u USING (x)',
      ['items', 'orders', 'u'],
    ],
    [
      'SELECT (SELECT max(x) FROM a), EXISTS (FROM b), [1] = ARRAY(SELECT y FROM c)',
      ['a', 'b', 'c'],
    ],
    [
      'SELECT x FROM a WHERE x IN (FROM b SELECT y) UNION ALL BY NAME SELECT x FROM c',
      ['a', 'b', 'c'],
    ],
    ['WITH a AS (SELECT * FROM b), c AS (SELECT * FROM a) SELECT * FROM c', ['b']],
    ['WITH a AS (SELECT * FROM a) SELECT * FROM a', ['a']],
    ['WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r', []],
    ['SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a), a', ['a']],
    [
      'WITH RECURSIVE "x.csv" AS (SELECT a FROM "x.csv" UNION ALL SELECT 1) FROM "x.csv"',
      ['x.csv'],
    ],
    ['SELECT * FROM t, LATERAL (SELECT t.x + 1 AS y FROM u)', ['t', 'u']],
    ['FROM (PIVOT t ON a IN (1, 2) USING sum(b) GROUP BY c)', ['t']],
    ['FROM t UNPIVOT (v FOR k IN (a, b))', ['t']],
    ['SELECT * FROM range(3) r(x), unnest([1, 2]) u(y), (VALUES (1)) v(z)', []],
    [
      'SELECT x::DECIMAL(18, 2), x COLLATE NOCASE, list_transform(l, e -> e + 1), $1 FROM t;',
      ['t'],
    ],
    ['SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t QUALIFY 1 = 1', ['t']],
    [
      "SELECT count(*) FILTER (a > 1), date_trunc('month', d), j ->> '$.x' FROM t GROUP BY ALL",
      ['t'],
    ],
  ])('reads the tables of %s', async (sql, expected) => {
    expect(await tables(sql)).toEqual(expected);
  });

  it.each([
    ['', 'must be one SELECT statement'],
    ['SELECT 1; SELECT 2', 'must be one SELECT statement'],
    ['SELECT 1; -- 2', 'must end with its semicolon; remove what follows'],
    ['INSERT INTO t VALUES (1)', 'must be one SELECT statement'],
    ["COPY t TO 'x.csv'", 'must be one SELECT statement'],
    ["ATTACH 'x.db'", 'must be one SELECT statement'],
    ['SET threads = 8', 'must be one SELECT statement'],
    ['PRAGMA database_list', 'must be one SELECT statement'],
    ['CALL duckdb_tables()', 'must be one SELECT statement'],
    ['EXPLAIN SELECT 1', 'must be one SELECT statement'],
    ['SELEC 1', 'is not valid at character 1: syntax error at or near "SELEC"'],
    ['FROM (DESCRIBE t)', 'has a part that is not supported: SHOW_REF'],
    ['FROM (SHOW ALL TABLES)', 'has a part that is not supported: SHOW_REF'],
    ['SUMMARIZE t', 'has a part that is not supported: SHOW_REF'],
    ['FROM t AT (VERSION => 1)', 'has a part that is not supported: AT'],
    ['SELECT 1e99999', 'has a number that is too large'],
    [
      `WITH ${Array.from({ length: 101 }, (_, n) => `a${String(n)} AS (FROM t)`).join(', ')} FROM t`,
      'must not define more than 100 expressions with WITH',
    ],
  ])('must not be %s', async (sql, expected) => {
    expect(await errorOf(sql)).toBe(expected);
  });

  it.each([
    'SELECT * FROM attached.main.t1',
    'SELECT * FROM main.t',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM pg_catalog.pg_class',
    'SELECT system.main.abs(1)',
    'SELECT pg_catalog.abs(1)',
    'SELECT CAST(1 AS other.t)',
  ])('names nothing with a schema, as %s does', async (sql) => {
    expect(await errorOf(sql)).toMatch(/with a schema; write/);
  });

  it.each([
    "read_csv('/etc/passwd')",
    "read_text('/etc/passwd')",
    "read_parquet('s3://x')",
    "glob('*')",
    "query('SELECT 1')",
    "query_table('t')",
    'duckdb_settings()',
    'duckdb_secrets()',
    'pragma_version()',
    "json_execute_serialized_sql('{}')",
    "sql_auto_complete('SELECT ')",
  ])('cannot read %s', async (call) => {
    expect(await errorOf(`SELECT * FROM ${call}`)).toMatch(
      /^cannot use the function ".+" as a table$/,
    );
  });

  it.each([
    "current_setting('memory_limit')",
    "getvariable('x')",
    "getenv('HOME')",
    "nextval('s')",
    'version()',
    'current_query()',
    'pg_sleep(1)',
    'sleep_ms(1000)',
    "write_log('x')",
    'txid_current()',
    "json_deserialize_sql('{}')",
    'setseed(0.5)',
    'not_a_function(1)',
  ])('cannot call %s', async (call) => {
    expect(await errorOf(`SELECT ${call}`)).toMatch(/^cannot use the function ".+"$/);
    expect(await errorOf(`SELECT [x for x in [1] if ${call} = x]`)).toMatch(/^cannot use/);
  });

  it.each([
    'x.csv',
    'https://example.com/x.parquet',
    'duckdb_settings',
    'pg_class',
    'sqlite_master',
  ])('takes %s for the name of a table', async (name) => {
    expect(await tables(`SELECT * FROM "${name}"`)).toEqual([name]);
    expect(await tables(`SELECT * FROM (WITH x AS (SELECT 1) FROM x), "${name}"`)).toEqual([name]);
  });

  it.each(['duckdb_settings', 'PG_class', 'sqlite_master', 'pragma_database_list'])(
    'must not define %s',
    async (name) => {
      const message = `must not define "${name.toLowerCase()}"; choose another name`;
      expect(await errorOf(`WITH ${name} AS (FROM ${name}) FROM ${name}`)).toBe(message);
    },
  );

  it('reads up to 20 tables', async () => {
    const from = (count: number): string =>
      `SELECT 1 FROM ${Array.from({ length: count }, (_, n) => `t${String(n)}`).join(', ')}`;
    expect(await tables(from(20))).toHaveLength(20);
    expect(await errorOf(from(21))).toBe('must not read more than 20 tables');
  });
});

describe('the functions of a statement', () => {
  it('read nothing: their names are known to this version of DuckDB, and none is of a risky kind', async () => {
    const result = await connection.runAndReadAll(
      'SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions()',
    );
    const rows = result.getRows() as [string, string][];
    const allowed = rows.filter(([name, type]) =>
      type.startsWith('table') ? isAllowedTableFunction(name) : isAllowedFunction(name),
    );
    expect(allowed.filter(([name]) => RISKY.test(name))).toEqual([]);
    expect(allowed.filter(([, type]) => type === 'pragma' || type === 'table_macro')).toEqual([]);
    expect(allowed.length).toBeGreaterThan(500);
  });
});

/** Parts of the names of functions that read the catalog, files, settings or the machine. */
const RISKY =
  /^(?:read|pg_|duckdb|pragma|glob|sniff|parquet|has_.*privilege|inet)|setting|secret|variable|sequence|(?:next|curr)val|query|sql|sleep|log_|_log|schema|catalog|database|connection|transaction_id|^version$/;
