import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ColumnarProcess } from '../../../src/columnar/columnar-database';
import { SqlRunnerService } from '../../../src/sql/sql-runner.service';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { recordSqlProcesses } from '../../support/sql-processes';
import { TestApp } from '../../support/test-app';

const PARQUET = 'application/vnd.apache.parquet';
/** It would run for hours. */
const ENDLESS = 'SELECT a.i * b.i AS n FROM range(10000000) a(i), range(10000000) b(i)';

let app: TestApp;
let team: Team;
let workspaceId: string;
let processes: readonly ColumnarProcess[];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  workspaceId = await newWorkspace(team.owner.api);
  const columns = [
    { key: 'name', type: 'text' },
    { key: 'price', type: 'decimal' },
    { key: 'n', type: 'integer' },
    { key: 'day', type: 'date' },
    { key: 'shipped', type: 'datetime' },
    { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  ];
  const grid = await newDatagrid(team.owner.api, columns, workspaceId, 'Items');
  const rows = [
    { name: 'a', price: '12345678901234567890.55', n: 9007199254740991, tags: ['a', 'b'] },
    { name: '', price: '-0.1', day: '2026-11-30', shipped: '2026-11-30T10:00:00.123Z' },
    { name: 'c' },
  ].map((values) => ({ values }));
  dataOf(await team.owner.api.post(`${grid}/rows`, { rows }), 201);
});

beforeEach(() => {
  processes = recordSqlProcesses(app);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => app.close());

function request(
  body: object,
  { of = workspaceId, signal }: { of?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${app.origin}${API}/workspaces/${of}/sql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.viewer.key}`,
      ...{ 'content-type': 'application/json', accept: PARQUET },
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Returns what DuckDB reads in the file of a response. */
async function read(response: Response, sql: string): Promise<unknown[]> {
  const type = response.headers.get('content-type');
  if (type !== PARQUET) throw new Error(await response.text());
  const path = join(tmpdir(), `${randomUUID()}.parquet`);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(`CREATE VIEW file AS FROM read_parquet('${path}')`);
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(path);
  }
}

async function errorOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
}

describe('a result as a Parquet file', () => {
  it('has the types and the values of the columns', async () => {
    const columns = 'SELECT column_name, column_type FROM (DESCRIBE file)';
    expect(await read(await request({ sql: 'FROM items' }), columns)).toEqual([
      ['_id', 'BIGINT'],
      ['_revision', 'BIGINT'],
      ['_createdAt', 'TIMESTAMP'],
      ['_updatedAt', 'TIMESTAMP'],
      ['name', 'VARCHAR'],
      ['price', 'DECIMAL(38,2)'],
      ['n', 'BIGINT'],
      ['day', 'DATE'],
      ['shipped', 'TIMESTAMP'],
      ['tags', 'VARCHAR[]'],
    ]);
    const sql = 'SELECT name, price, n, day, shipped, tags FROM items ORDER BY _id';
    expect(await read(await request({ sql }), 'FROM file')).toEqual([
      ['a', '12345678901234567890.55', '9007199254740991', null, null, ['a', 'b']],
      ['', '-0.10', null, '2026-11-30', '2026-11-30 10:00:00.123', null],
      ['c', null, null, null, null, null],
    ]);
  });

  it('loses no digit of a type that Parquet does not have', async () => {
    const sql = `SELECT sum(n) AS "a.b", 9007199254740993::HUGEINT * 10 AS big,
      INTERVAL 1 MONTH + INTERVAL 1 MICROSECOND AS span, '10:00:00+02'::TIMETZ AS tz, '101'::BIT AS bits,
      [9007199254740993::HUGEINT] AS list, {'x': 1.5::DECIMAL(38, 20)} AS s, NULL AS nothing, 1 AS big FROM items`;
    expect(
      await read(
        await request({ sql }),
        'SELECT column_name, column_type FROM (DESCRIBE file) LIMIT 2',
      ),
    ).toEqual([
      ['a.b', 'DECIMAL(38,0)'],
      ['big', 'DECIMAL(38,0)'],
    ]);
    expect(await read(await request({ sql }), 'FROM file')).toEqual([
      [
        ...[
          '9007199254740991',
          '90071992547409930',
          '1 month 00:00:00.000001',
          '10:00:00+02',
          '101',
        ],
        ...['[9007199254740993]', { x: '1.50000000000000000000' }, null, 1],
      ],
    ]);
    const tooLarge = await request({
      sql: 'SELECT 170141183460469231731687303715884105727::HUGEINT AS n',
    });
    expect(tooLarge.status).toBe(400);
  });

  it('has its rows in order, with parameters and a limit', async () => {
    const sql = 'SELECT i, md5(i::VARCHAR) AS hash FROM range($n) t(i) ORDER BY hash DESC';
    const all = await read(
      await request({ sql, parameters: { n: 300_000 } }),
      `SELECT count(*)::INTEGER, count(*) FILTER (hash > before)::INTEGER
       FROM (SELECT hash, lag(hash) OVER (ORDER BY file_row_number) AS before
             FROM (SELECT *, row_number() OVER () AS file_row_number FROM file))`,
    );
    expect(all).toEqual([[300_000, 0]]);
    const some = await request({ sql, parameters: { n: 300_000 }, limit: 2 });
    expect(await read(some, 'SELECT count(*)::INTEGER FROM file')).toEqual([[2]]);
  });

  it('has its columns even if it has no rows', async () => {
    const none = await request({ sql: 'SELECT name FROM items WHERE false' });
    expect(await read(none, 'SELECT column_name FROM (DESCRIBE file)')).toEqual([['name']]);
  });

  it('returns an error and no file if the statement fails, even in a late row', async () => {
    expect(await errorOf(await request({ sql: 'FROM nothing' }))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('"nothing", which does not exist'),
    ]);
    const sql =
      "SELECT CASE WHEN i = 900000 THEN 'x' ELSE '1' END::INTEGER FROM range(1000000) t(i)";
    expect(await errorOf(await request({ sql }))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('Could not convert'),
    ]);
  });

  it('rejects endLine', async () => {
    expect(await errorOf(await request({ sql: 'SELECT 1', endLine: true }))).toEqual([
      400,
      'invalid_request',
      'endLine: must be false for a Parquet file',
    ]);
  });

  it('has a maximum size, and leaves nothing on the disk', async () => {
    const of = await newWorkspace(team.owner.api);
    expect((await request({ sql: 'SELECT 1' }, { of })).status).toBe(200);
    const [started] = processes;
    Object.defineProperty(started, 'maxSpillBytes', { value: 2 * 1024 * 1024 });
    const large = 'SELECT md5(i::VARCHAR) AS hash FROM range(50000000) t(i)';
    expect(await errorOf(await request({ sql: large }, { of }))).toEqual([
      400,
      'query_too_expensive',
      'The file of the result is larger than 2 MiB. Read fewer rows or columns.',
    ]);
    expect(await readdir(started?.workDirectory ?? '')).toEqual([]);
  });

  it('leaves no open file when the client disconnects while it reads', async () => {
    const deleted = async (): Promise<number> => {
      const links = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) =>
          readlink(join('/proc/self/fd', fd)).catch(() => ''),
        ),
      );
      return links.filter((link) => link.includes('.parquet')).length;
    };
    const before = await deleted();
    const controller = new AbortController();
    const sql = 'SELECT md5(i::VARCHAR) AS hash FROM range(1500000) t(i)';
    const response = await request({ sql }, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await eventually(async () => (await deleted()) === before);
  });

  it('stops its statement when the client disconnects', async () => {
    const controller = new AbortController();
    const asked = request({ sql: ENDLESS }, { signal: controller.signal });
    const { permits } = app.nest.get(SqlRunnerService, { strict: false });
    await eventually(() => permits.state.held === 1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => permits.state.held === 0);
    expect(await read(await request({ sql: 'SELECT 1 AS one' }), 'FROM file')).toEqual([[1]]);
  });
});
