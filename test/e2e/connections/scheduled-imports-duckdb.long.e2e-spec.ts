import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createFiles,
  holdFile,
  inCopy,
  inFile,
  type TestFiles,
} from '../../connections/duckdb-files';
import { eventually } from '../../support/eventually';
import { dataOf } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';

const COLUMNS = [
  { key: 'code', type: 'text', unique: true },
  { key: 'city', type: 'text' },
  { key: 'flights', type: 'integer' },
];

/** Each query of a test starts a process. */
jest.setTimeout(90_000);

let files: TestFiles;
let app: TestApp;
let owner: Member;
let serial = 0;

beforeAll(async () => {
  files = await createFiles();
  app = await TestApp.start({
    settings: { CONNECTION_FILES_DIR: files.directory, SCHEDULED_IMPORT_TIMEOUT_SECONDS: '10' },
  });
  owner = await app.newAccount();
});

afterAll(async () => {
  await app.close();
  await files.remove();
});

interface InFile {
  readonly importing: Importing;
  /** Path of the file. */
  readonly file: string;
}

/** Creates a file with the results of statements, and a connection that reads it. */
async function start(
  statements: readonly string[],
  columns: readonly object[] = COLUMNS,
): Promise<InFile> {
  serial += 1;
  const name = `source_${String(serial)}`;
  const file = files.path(owner.accountId, name);
  await mkdir(dirname(file), { recursive: true });
  await inFile(file, async (connection) => {
    for (const statement of statements) await connection.run(statement);
  });
  const target = { type: 'duckdb', settings: { file: name } };
  return { file, importing: await Importing.start(app, owner, target, columns) };
}

describe('a scheduled import from a DuckDB file', () => {
  it('creates and updates rows by key, and does not write rows that are equal', async () => {
    const { importing, file } = await start([
      "CREATE TABLE traffic AS FROM (VALUES ('JFK', 'New York', 3), ('BER', 'Berlin', 2)) AS t(code, city, flights)",
    ]);
    const path = await importing.create({ table: 'main.traffic' });
    expect(await importing.run(path)).toMatchObject({ created: 2, rejected: 0, error: null });
    expect(await importing.run(path)).toMatchObject({ unchanged: 2, updated: 0 });
    await inFile(file, async (connection) => {
      await connection.run("UPDATE traffic SET flights = 4 WHERE code = 'BER'");
    });
    expect(await importing.run(path)).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await importing.rows()).toEqual([
      { code: 'JFK', city: 'New York', flights: 3 },
      { code: 'BER', city: 'Berlin', flights: 4 },
    ]);
  });

  it('imports every type exactly', async () => {
    const { importing } = await start(
      [],
      [
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
      ],
    );
    const run = await importing.import({
      query: `SELECT 'x' AS code, 9007199254740991::BIGINT AS big,
        12345678901234567890.123456789::DECIMAL(38, 9) AS price, 0.1::DOUBLE AS ratio, true AS open,
        DATE '2026-11-21' AS day, TIMESTAMPTZ '2026-11-21 10:30:00.25+02' AS at,
        {n: [1.50::DECIMAL(9, 2), NULL], t: 'ü'} AS details, [[1, 2], [3, NULL]] AS list,
        ['a', 'b "c"'] AS tags, 170141183460469231731687303715884105727::HUGEINT AS large,
        '' AS empty`,
    });
    expect(run).toMatchObject({ created: 1, rejected: 0, error: null });
    expect(await importing.rows()).toEqual([
      {
        code: 'x',
        big: 9_007_199_254_740_991,
        price: '12345678901234567890.123456789',
        ratio: 0.1,
        open: true,
        day: '2026-11-21',
        at: '2026-11-21T08:30:00.250Z',
        details: { n: [1.5, null], t: 'ü' },
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

  it('rejects NaN, infinity and times without an offset', async () => {
    const { importing } = await start(
      [],
      [
        { key: 'code', type: 'text', unique: true },
        { key: 'ratio', type: 'number' },
        { key: 'at', type: 'datetime' },
        { key: 'list', type: 'json' },
      ],
    );
    const run = await importing.import({
      query: `SELECT 'a' AS code, 'NaN'::DOUBLE AS ratio, NULL::VARCHAR AS at, NULL::DOUBLE[] AS list
        UNION ALL SELECT 'b', 'inf'::DOUBLE, NULL, NULL
        UNION ALL SELECT 'c', 1, TIMESTAMP '2026-11-21 10:00:00'::VARCHAR, NULL
        UNION ALL SELECT 'd', 1, NULL, ['nan'::DOUBLE]
        UNION ALL SELECT 'e', 1, NULL, [0.5]`,
    });
    expect(run).toMatchObject({ rowsRead: 5, created: 1, rejected: 4 });
    expect(await importing.rows()).toEqual([{ code: 'e', ratio: 1, list: [0.5] }]);
  });

  it('reads a large result in batches', async () => {
    const { importing } = await start([]);
    const query = `SELECT 'c' || range AS code, repeat('x', 500) AS city, range AS flights
      FROM range(12000)`;
    const path = await importing.create({ query, missingRows: 'delete' });
    expect(await importing.run(path)).toMatchObject({ created: 12_000, error: null });
    expect(await importing.run(path)).toMatchObject({ unchanged: 12_000, deleted: 0 });
  });

  it('cannot write or reach anything else, whatever the query is', async () => {
    const { importing, file } = await start(['CREATE TABLE sentinel (code VARCHAR)']);
    await writeFile(`${files.directory}/other.txt`, 'of another account');
    for (const query of [
      "INSERT INTO sentinel VALUES ('written')",
      "SELECT 'a' AS code; INSERT INTO sentinel VALUES ('written')",
      "SELECT 'a' AS code) ; INSERT INTO sentinel VALUES ('written'); (SELECT 1",
      "COPY sentinel TO '{directory}/stolen.csv'",
      "ATTACH '{directory}/other.duckdb'",
      "SELECT column0 AS code FROM read_csv('/etc/passwd', header = false)",
      "SELECT content AS code FROM read_text('{directory}/other.txt')",
      "SELECT file AS code FROM glob('{directory}/*')",
      'LOAD httpfs',
      'SET enable_external_access = true',
      "EXPLAIN ANALYZE INSERT INTO sentinel VALUES ('written')",
      'SELECT $1 AS code',
    ]) {
      const text = query.replaceAll('{directory}', files.directory);
      const preview = await importing.preview({ query: text });
      expect({ query, ...preview }).toMatchObject({ query, ok: false, rows: [] });
    }
    const rows = await inCopy(file, async (connection) =>
      (await connection.runAndReadAll('FROM sentinel')).getRowsJson(),
    );
    expect(rows).toEqual([]);
  });

  it('cannot read the file of another account', async () => {
    const { file } = await start(["CREATE TABLE secrets AS SELECT 'secret' AS code"]);
    const other = await app.newAccount();
    const name = file.split('/').at(-1)?.replace('.duckdb', '') ?? '';
    const target = { type: 'duckdb', settings: { file: name } };
    const importing = await Importing.start(app, other, target, COLUMNS);
    for (const query of ['SELECT * FROM secrets', `SELECT * FROM '${file}'`]) {
      expect(await importing.preview({ query })).toMatchObject({ ok: false, rows: [] });
    }
    const { error } = await importing.import({ table: 'secrets' });
    expect(error).toMatch(/^The file does not exist yet\./);
  });

  it('rejects more columns, and longer names of columns, than the service should hold', async () => {
    const { importing } = await start([]);
    const many = Array.from({ length: 1_665 }, (_, n) => `1 AS c${String(n)}`).join(', ');
    expect(await importing.preview({ query: `SELECT ${many}` })).toMatchObject({
      ok: false,
      error: 'The result has more than 1664 columns. Select fewer.',
    });
    const name = 'x'.repeat(201);
    expect(await importing.preview({ query: `SELECT 1 AS ${name}` })).toMatchObject({
      ok: false,
      error: 'A column of the result has a name of more than 200 characters. Name it with AS.',
    });
  });

  it('describes nested types briefly, whatever their fields are', async () => {
    const { importing } = await start([]);
    const query = `SELECT 'a' AS code, {"${'f'.repeat(10_000)}": 1} AS city`;
    expect(await importing.preview({ query })).toMatchObject({
      columns: [{ sourceType: 'VARCHAR' }, { sourceType: 'STRUCT' }],
    });
  });

  it('ends a query that takes too long', async () => {
    const { importing } = await start([]);
    const query = `SELECT max(a.range * b.range)::VARCHAR AS code FROM range(10000000) a, range(10000000) b`;
    const { error } = await importing.import({ query });
    expect(error).toMatch(/^The query took more than 10 seconds/);
  });

  it('says that a query needs too much memory', async () => {
    const { importing } = await start([]);
    const query = `SELECT list_transform(range(100), x -> repeat('x', 50000000))::VARCHAR AS code`;
    const { error } = await importing.import({ query });
    expect(error).toMatch(/^The query needs more memory than the operator allows/);
  });

  it('says what is wrong with a text that is no query, in previews and in runs', async () => {
    const { importing } = await start([]);
    for (const query of ['-- nothing', 'SELECT 1; SELECT 2', 'PRAGMA version']) {
      const { error } = await importing.preview({ query });
      expect(error).toMatch(/^The query (must be one SELECT statement|failed\. Correct it)/);
      expect((await importing.import({ query })).error).toBe(error);
    }
  });

  it('waits for a program that has the file open, and goes on once it is closed', async () => {
    const { importing, file } = await start(["CREATE TABLE t AS SELECT 'a' AS code"]);
    const holder = await holdFile(file);
    const path = await importing.create({ table: 't' });
    await owner.api.post(`${path}/run`);
    await eventually(async () => (await importing.get(path)).status === 'running');
    holder.kill('SIGKILL');
    expect(await importing.nextRun(path, null)).toMatchObject({ created: 1, error: null });
  });

  it('reads the file that the same connection keeps in step', async () => {
    const target = { type: 'duckdb', settings: { file: 'both' } };
    const importing = await Importing.start(app, owner, target, COLUMNS, { datagridIds: null });
    await owner.api.post(`${importing.datagrid}/rows`, { values: { code: 'JFK', flights: 1 } });
    const file = files.path(owner.accountId, 'both');
    const [{ name }] = dataOf(await owner.api.get(`${importing.connection}/tables`), 200) as [
      { name: string },
    ];
    await eventually(async () => {
      const [table] = dataOf(await owner.api.get(`${importing.connection}/tables`), 200) as [
        { status: string; lagSeconds: number },
      ];
      return table.status === 'synced' && table.lagSeconds === 0;
    });
    const query = `SELECT code, city, flights FROM ${name}`;
    const path = await importing.create({ query });
    expect(await importing.run(path)).toMatchObject({ unchanged: 1, error: null });
    await owner.api.patch(`${importing.datagrid}/rows/1`, { values: { flights: 2 } });
    await eventually(async () => {
      const rows = await inCopy(file, async (connection) =>
        (await connection.runAndReadAll(`SELECT flights FROM ${name}`)).getRowsJson(),
      ).catch(() => []);
      return rows[0]?.[0] === 2 || rows[0]?.[0] === '2';
    });
    expect(await importing.run(path)).toMatchObject({ unchanged: 1, error: null });
  });
});
