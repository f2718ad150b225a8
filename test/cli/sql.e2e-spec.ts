import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from '@datagrid/client';
import { dataOf, newDatagrid } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { client, type ClientResult, type Fault, FaultyProxy } from './client';

const COLUMNS = [
  { key: 'sku', type: 'text' },
  { key: 'price', type: 'decimal' },
  { key: 'n', type: 'integer' },
];
const ROWS = [
  { sku: 'a', price: '1.10', n: 7 },
  { sku: 'two\nlines', price: '22.20', n: 12 },
  { sku: 'ü=1' },
];
const SORTED = 'SELECT sku, price, n FROM items ORDER BY _id';

let app: TestApp;
let owner: Member;
let workspace: string;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'datagrid-client-sql-'));
  app = await TestApp.shared();
  owner = await app.newAccount();
  const workspaces = await owner.api.post('/workspaces', { name: 'SQL' });
  workspace = dataOf(workspaces, 201).id;
  const grid = await newDatagrid(owner.api, COLUMNS, workspace, 'Items');
  const rows = ROWS.map((values) => ({ values }));
  dataOf(await owner.api.post(`${grid}/rows`, { rows }), 201);
});

afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const path = (name: string): string => join(directory, name);
const sql = (...args: string[]): Promise<ClientResult> =>
  client(app.origin, owner.key, 'sql', '--workspace', workspace, ...args);

/** Runs a command through a proxy with these faults. */
async function sqlThrough(faults: readonly Fault[], ...args: string[]): Promise<ClientResult> {
  const proxy = await FaultyProxy.start(app.port, faults);
  const command = ['sql', '--workspace', workspace, ...args];
  const result = await client(proxy.url, owner.key, ...command);
  proxy.close();
  return result;
}

describe('datagrid sql', () => {
  it('prints a table, in which numbers are aligned', async () => {
    const table = [
      'sku         price   n',
      '----------  -----  --',
      'a            1.10   7',
      'two\\nlines  22.20  12',
      'ü=1',
      '',
    ];
    expect(await sql(SORTED)).toEqual({ code: 0, stdout: table.join('\n'), stderr: '' });
    const first = await sql(SORTED, '--limit', '1');
    expect(first.stdout.split('\n')).toHaveLength(4);
    expect(first.stderr).toMatch(/^Only the first 1 rows are shown\. /);
  });

  it('prints JSON as the API returns it, and all rows as CSV and NDJSON', async () => {
    const json = await sql(SORTED, '--format', 'json');
    const api = await owner.api.post(`/workspaces/${workspace}/sql`, { sql: SORTED });
    expect(json).toEqual({ code: 0, stdout: `${api.text}\n`, stderr: '' });
    const csv = 'sku,price,n\na,1.10,7\n"two\nlines",22.20,12\nü=1,,\n';
    expect(await sql(SORTED, '--format', 'csv')).toEqual({ code: 0, stdout: csv, stderr: '' });
    const ndjson = await sql(SORTED, '--format', 'ndjson', '--limit', '2');
    expect(
      ndjson.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([api.body.data[0], api.body.data[1]]);
    const saved = await sql(SORTED, '--format', 'csv', '-o', path('items.csv'));
    expect(saved).toEqual({
      code: 0,
      stdout: '',
      stderr: `Wrote 3 rows to ${path('items.csv')}.\n`,
    });
    expect(await readFile(path('items.csv'), 'utf8')).toBe(csv);
  });

  it('binds parameters by position and by name, with their types', async () => {
    const csv = ['--format', 'csv'];
    const where = (condition: string): string => `SELECT _id FROM items WHERE ${condition}`;
    const by = (condition: string, ...values: string[]): Promise<ClientResult> =>
      sql(where(condition), ...csv, ...values.flatMap((value) => ['--parameter', value]));
    expect((await by('sku = ? AND n > ?', 'a', '6')).stdout).toBe('_id\n1\n');
    expect((await by('n > $low AND n < $high', 'high=20', 'low=7')).stdout).toBe('_id\n2\n');
    expect((await by('sku = $sku', 'sku=ü=1')).stdout).toBe('_id\n3\n');
    expect((await by('sku = ?', '"ü=1"')).stdout).toBe('_id\n3\n');
    const mixed = await by('sku = ? AND n = ?', 'a', 'n=7');
    expect(mixed).toMatchObject({ code: 2, stdout: '' });
    expect(mixed.stderr).toContain('Give a name to each --parameter or to none.');
  });

  it('reads the statement from a file or from standard input', async () => {
    await writeFile(path('count.sql'), 'SELECT count(*) AS items\nFROM items;\n');
    const csv = ['--format', 'csv'];
    expect((await sql('--file', path('count.sql'), ...csv)).stdout).toBe('items\n3\n');
    const program = join(__dirname, '../../packages/command-line/dist/main.js');
    const env = { DATAGRID_URL: app.origin, DATAGRID_API_KEY: owner.key };
    const args = [program, 'sql', '--workspace', workspace, ...csv];
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end('SELECT 1 AS one');
    expect(await text(child.stdout)).toBe('one\n1\n');
    const both = await sql('SELECT 1', '--file', path('count.sql'));
    expect(both).toMatchObject({ code: 2, stdout: '' });
    const missing = await sql('--file', path('none.sql'));
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('Cannot read the file:');
  });

  it('prints what is wrong with a statement or an option', async () => {
    const wrong = await sql('SELECT * FROM nothing');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^error: invalid_request: .+\n {2}sql: .+ items\n$/);
    for (const args of [
      ['SELECT 1', '--limit', 'many'],
      ['SELECT 1', '-o', path('x')],
      ['SELECT 1', '--format', 'xml'],
    ]) {
      expect(await sql(...args)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('is repeated after a temporary failure, but not if output was printed', async () => {
    const file = ['--format', 'csv', '-o', path('late.csv')];
    const broken = ['cuts the response', 'shortens the response'] as const;
    const faults: Fault[] = ['unavailable', 'rejects', ...broken];
    expect(await sqlThrough(faults, SORTED, ...file)).toMatchObject({ code: 0 });
    expect(await readFile(path('late.csv'), 'utf8')).toMatch(/^sku,price,n\n[^]+\nü=1,,\n$/);
    for (const fault of broken) {
      const printed = await sqlThrough([fault], SORTED, '--format', 'ndjson');
      expect(printed.code).toBe(1);
      expect(printed.stderr).toContain('The result ended early.');
    }
  });
});

it('datagrid tables list prints a page of tables as the API returns it', async () => {
  const list = ['tables', 'list', '--workspace', workspace, '--limit', '2'];
  const listed = await client(app.origin, owner.key, ...list);
  const { text: page } = await owner.api.get(`/workspaces/${workspace}/sql/tables?limit=2`);
  expect(listed).toEqual({ code: 0, stdout: `${page}\n`, stderr: '' });
});

describe('the client', () => {
  it('runs statements and yields all rows of a large result', async () => {
    const own = createClient({ baseUrl: app.origin, apiKey: owner.key }).sql(workspace);
    const names: string[] = [];
    for await (const { name } of own.tables()) names.push(name);
    expect(names).toEqual(['items']);
    const { data, meta } = await own.query<{ sku: string }>(
      'SELECT sku FROM items WHERE n > $low ORDER BY sku',
      { parameters: { low: 6 }, limit: 1 },
    );
    expect(data).toEqual([{ sku: 'a' }]);
    expect(meta).toMatchObject({ revisions: { items: 1 }, truncated: true });
    let sum = 0;
    for await (const { n } of own.rows<{ n: number }>('SELECT n FROM range(20000) AS t(n)')) {
      sum += n;
    }
    expect(sum).toBe((20_000 * 19_999) / 2);
  });
});
