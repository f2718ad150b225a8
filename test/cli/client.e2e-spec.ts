import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newView } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { client, FaultyProxy, startClient, type ClientResult, type Fault } from './client';

const CSV = 'sku,note,n\na,"one, ""two""\nthree",1\nb,,2\nc,ü,\n';
const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'note', type: 'text' },
  { key: 'n', type: 'integer' },
];

let app: TestApp;
let owner: Member;
let directory: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  directory = await mkdtemp(join(tmpdir(), 'datagrid-client-'));
  await writeFile(join(directory, 'rows.csv'), CSV);
  await writeFile(join(directory, 'rows.csv.gz'), gzipSync(CSV));
  await writeFile(join(directory, 'ROWS.CSV.GZ'), gzipSync(CSV));
});

afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const newId = async (): Promise<string> =>
  (await newDatagrid(owner.api, COLUMNS)).slice('/datagrids/'.length);
const path = (name: string): string => join(directory, name);
const run = (...args: string[]): Promise<ClientResult> => client(app.origin, owner.key, ...args);

/** Runs a command through a proxy with these faults, and also returns the number of requests. */
async function runThrough(
  faults: readonly Fault[],
  ...args: string[]
): Promise<ClientResult & { calls: number }> {
  const proxy = await FaultyProxy.start(app.port, faults);
  const response = await client(proxy.url, owner.key, ...args);
  proxy.close();
  return { ...response, calls: proxy.calls };
}

describe('a file', () => {
  it('is imported and exported in the format of the options', async () => {
    const id = await newId();
    const file = path('excel.csv');
    await writeFile(file, Buffer.from('sku;note;n\r\na;x,y;-1\r\nb;=1+1;2\r\n', 'utf16le'));
    const options = ['--delimiter', 'semicolon', '--encoding', 'utf-16le', '--json'];
    const imported = await run('import', file, '--datagrid', id, ...options);
    expect(imported.code).toBe(0);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      created: 2,
      delimiter: 'semicolon',
      encoding: 'utf-16le',
    });
    const csv = ['--format', 'csv', '--delimiter', 'tab', '--escape-formulas', '--bom'];
    const exported = await run('export', '--datagrid', id, ...csv);
    expect(exported.stdout).toBe("\uFEFFsku\tnote\tn\na\tx,y\t-1\nb\t'=1+1\t2\n");
    const wrong = await run('import', file, '--datagrid', id, '--delimiter', ':');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('semicolon')]);
  });

  it.each(['rows.csv', 'rows.csv.gz', 'ROWS.CSV.GZ'])(
    'named %s is exported as it was imported',
    async (name) => {
      const id = await newId();
      const imported = await run('import', path(name), '--datagrid', id);
      expect(imported).toMatchObject({ code: 0, stderr: '' });
      expect(imported.stdout).toContain('3 rows read: 3 created');
      const exported = ['export', '--datagrid', id, '--format', 'csv'];
      expect(await run(...exported)).toEqual({ code: 0, stdout: CSV, stderr: '' });
      const file = path(`${name}.out`);
      const saved = await run(...exported, '--gzip', '-o', file);
      // Without a terminal there is no progress bar.
      expect(saved).toEqual({ code: 0, stdout: '', stderr: `Wrote 3 rows to ${file}.\n` });
      expect(await readFile(file, 'utf8')).toBe(CSV);
    },
  );

  it('of NDJSON that was exported is imported unchanged', async () => {
    const [one, other] = [await newId(), await newId()];
    await run('import', path('rows.csv'), '--datagrid', one);
    const file = path('rows.ndjson');
    await run('export', '--datagrid', one, '-o', file);
    expect((await run('import', file, '--datagrid', other)).code).toBe(0);
    const exported = await run('export', '--datagrid', other, '--filter', '{"n":1}');
    expect(JSON.parse(exported.stdout)).toEqual({ sku: 'a', note: 'one, "two"\nthree', n: 1 });
  });

  it('can be imported again as an upsert by a unique column', async () => {
    const id = await newId();
    const upsert = ['--datagrid', id, '--mode', 'upsert', '--match-on', 'sku', '--json'];
    const reports = [
      await run('import', path('rows.csv'), ...upsert),
      await run('import', path('rows.csv'), ...upsert),
    ].map(({ stdout }) => JSON.parse(stdout));
    expect(reports).toMatchObject([{ created: 3 }, { created: 0, unchanged: 3 }]);
  });

  it('with invalid lines fails and lists them, or is imported without them', async () => {
    const id = await newId();
    const file = path('wrong.csv');
    await writeFile(file, 'sku,n\nx,1\ny,much\n');
    const failed = await run('import', file, '--datagrid', id);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /^error: Import \S+ failed\. 2 rows read: .+\n {2}line 3: n must be .+\ninvalid_request: .+ \(request [\w-]+\)\nContinue from line 1\. .+\n$/,
    );
    expect(failed.stderr.match(/n must be/g)).toHaveLength(1);
    const json = await run('import', file, '--datagrid', id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'failed', errors: [{ line: 3 }] });
    expect(json.stderr).toMatch(/^error: invalid_request: .+ \(request [\w-]+\)\n$/);
    const skipped = await run('import', file, '--datagrid', id, '--on-error', 'skip');
    expect(skipped.code).toBe(0);
    expect(skipped.stdout).toMatch(/1 created, .+ 1 rejected\.\n {2}line 3: n must be/);
  });
});

it('rows list prints a page as the API returns it', async () => {
  const id = await newId();
  await run('import', path('rows.csv'), '--datagrid', id);
  const query = ['--sort=-sku', '--fields', 'sku', '--limit', '2'];
  const listed = await run('rows', 'list', '--datagrid', id, ...query);
  const { text } = await owner.api.get(`/datagrids/${id}/rows?sort=-sku&fields=sku&limit=2`);
  expect(listed).toEqual({ code: 0, stdout: `${text}\n`, stderr: '' });
});

it('rows list prints the rows of a saved view', async () => {
  const id = await newId();
  await run('import', path('rows.csv'), '--datagrid', id);
  const view = await newView(owner.api, `/datagrids/${id}`, { sort: '-sku' });
  const listed = await run('rows', 'list', '--datagrid', id, '--view', view, '--limit', '1');
  const { text } = await owner.api.get(`/datagrids/${id}/rows?sort=-sku&limit=1`);
  expect(JSON.parse(listed.stdout)).toEqual(JSON.parse(text));
});

describe('a file with keys of linked rows', () => {
  const LINKS = 'number,from,to\nDG 1,ZRH,JFK\nDG 2,JFK,ZRH\n';
  /** Creates flights that link to two airports, and returns their ID. */
  const newFlights = async (): Promise<string> => {
    const airports = await newDatagrid(owner.api, [
      { key: 'iata', type: 'text', unique: true, required: true },
    ]);
    const { id: datagridId, workspaceId } = dataOf(await owner.api.get(airports), 200);
    const options = { datagridId };
    const columns = [
      { key: 'number', type: 'text' },
      { key: 'from', type: 'link', options },
      { key: 'to', type: 'link', options },
    ];
    const created = await owner.api.post(`/workspaces/${workspaceId}/datagrids`, {
      ...{ name: 'Flights', columns },
    });
    for (const iata of ['ZRH', 'JFK']) {
      dataOf(await owner.api.post(`${airports}/rows`, { values: { iata } }), 201);
    }
    return dataOf(created, 201).id;
  };

  it('is imported and exported with --link-keys', async () => {
    const flights = await newFlights();
    const file = path('links.csv');
    await writeFile(file, LINKS);
    const keys = ['--datagrid', flights, '--link-keys', 'from.iata,to.iata'];
    const imported = await run('import', file, ...keys);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    const exported = await run('export', ...keys, '--format', 'csv');
    expect(exported).toEqual({ code: 0, stdout: LINKS, stderr: '' });
    const ids = await run('export', '--datagrid', flights, '--format', 'csv');
    expect(ids.stdout).toBe('number,from,to\nDG 1,1,2\nDG 2,2,1\n');
  });

  it('has rows that are listed with the linked rows, by cursor', async () => {
    const flights = await newFlights();
    const file = path('links.csv');
    await writeFile(file, LINKS);
    await run('import', file, '--datagrid', flights, '--link-keys', 'from.iata,to.iata');
    const list = ['rows', 'list', '--datagrid', flights, '--limit', '1', '--expand', 'from'];
    const first = JSON.parse((await run(...list, '--cursor', '')).stdout);
    expect(first).toMatchObject({
      data: [{ values: { number: 'DG 1' } }],
      meta: { linked: { from: { 1: { values: { iata: 'ZRH' } } } } },
    });
    const second = JSON.parse((await run(...list, '--cursor', first.meta.nextCursor)).stdout);
    expect(second).toMatchObject({
      data: [{ values: { number: 'DG 2' } }],
      meta: { linked: { from: { 2: { values: { iata: 'JFK' } } } }, nextCursor: null },
    });
    const row = await run('rows', 'get', '1', '--datagrid', flights, '--expand', 'to');
    expect(JSON.parse(row.stdout)).toMatchObject({
      meta: { linked: { to: { 2: { values: { iata: 'JFK' } } } } },
    });
  });
});

describe('a file with values that the service sets', () => {
  it('is imported with --ignore-read-only', async () => {
    const numbered = [
      { key: 'sku', type: 'text' },
      { key: 'no', type: 'autonumber' },
    ];
    const id = (await newDatagrid(owner.api, numbered)).slice('/datagrids/'.length);
    const file = path('numbered.csv');
    await writeFile(file, 'sku,no\na,7\n');
    const rejected = await run('import', file, '--datagrid', id);
    expect(rejected.code).toBe(1);
    const imported = await run('import', file, '--datagrid', id, '--ignore-read-only');
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    const exported = await run('export', '--datagrid', id, '--format', 'csv');
    expect(exported.stdout).toBe('sku,no\na,1\n');
  });
});

describe('a command after a temporary failure', () => {
  it('retries an import, which is applied once', async () => {
    const id = await newId();
    const faults: Fault[] = ['unavailable', 'rejects', 'loses the response'];
    const response = await runThrough(faults, 'import', path('rows.csv'), '--datagrid', id);
    expect(response).toMatchObject({ code: 0, calls: 4 });
    expect(response.stderr).toContain('The service responded with status 503.\nRetrying in 1.0 s.');
    expect((await owner.api.get(`/datagrids/${id}/rows`)).body.meta.total).toBe(3);
  });

  it('does not retry an import that has failed, and prints the line from which to continue', async () => {
    const id = await newId();
    const command = ['import', path('rows.csv'), '--datagrid', id, '--idempotency-key', 'killed'];
    await run(...command);
    const failure = { code: 'unavailable', message: 'The service stopped.', details: [] };
    await app.sql.query(
      `UPDATE imports SET state = 'failed', failure = $2, next_line = 4 WHERE datagrid_id = $1`,
      [id, JSON.stringify(failure)],
    );
    const response = await runThrough([], ...command);
    // The import and the request for its report.
    expect(response).toMatchObject({ code: 1, calls: 2 });
    expect(response).toMatchObject({ stdout: '' });
    expect(response.stderr).toContain('Continue from line 4.');
    expect(response.stderr).not.toContain('Retrying');
  });

  it('retries an export to a file, but not one to standard output', async () => {
    const id = await newId();
    await run('import', path('rows.csv'), '--datagrid', id);
    const file = path('late.csv');
    const faults: Fault[] = ['rejects', 'cuts the response', 'unavailable'];
    const command = ['export', '--datagrid', id, '--format', 'csv'];
    const response = await runThrough(faults, ...command, '-o', file);
    expect(response).toMatchObject({ code: 0, calls: 4 });
    expect(await readFile(file, 'utf8')).toBe(CSV);
    expect((await readdir(directory)).filter((name) => name.endsWith('.part'))).toEqual([]);
    const printed = await runThrough(['cuts the response'], ...command);
    expect(printed).toMatchObject({ code: 1, calls: 1 });
    expect(printed.stderr).toContain('The export ended early.');
  });
});

it('an interrupted export to a file leaves no file behind', async () => {
  const server = createServer((_request, response) => void response.write('sku\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  const child = startClient(url, 'k', 'export', '--datagrid', 'x', '-o', path('cut.csv'));
  const left = async (): Promise<string[]> =>
    (await readdir(directory)).filter((name) => name.startsWith('cut.csv'));
  await eventually(async () => (await left()).length === 1);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  expect(await left()).toEqual([]);
  server.closeAllConnections();
  server.close();
});

describe('an invalid command', () => {
  it('exits with 1 and prints the position of the error if the filter is not valid JSON', async () => {
    const id = await newId();
    const { code, stderr } = await run('rows', 'list', '--datagrid', id, '--filter', '{bad');
    expect(code).toBe(1);
    expect(stderr).toContain('filter: is not valid JSON: unexpected character at line 1, column 2');
  });

  it.each([
    [['import', 'rows.csv'], '--datagrid'],
    [['import', '-', '--datagrid', 'x'], '--format'],
    [['export', '--datagrid', 'x', '--format', 'xml'], 'csv, ndjson'],
    [['frobnicate'], 'unknown command'],
  ])('exits with 2 and a message: %j', async (args, message) => {
    const response = await run(...args);
    expect(response).toMatchObject({ code: 2, stdout: '' });
    expect(response.stderr).toContain(message);
  });

  it('exits with 2 without settings, and with 1 for an invalid key or an unknown datagrid', async () => {
    const list = ['rows', 'list', '--datagrid', await newId()];
    expect(await client('', owner.key, ...list)).toMatchObject({ code: 2 });
    expect(await client(app.origin, '', ...list)).toMatchObject({ code: 2 });
    const other = await app.newAccount();
    const missing = await client(app.origin, other.key, ...list);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/^error: not_found: Datagrid not found\. \(request [\w-]+\)\n$/);
    const unknown = await client(app.origin, 'mk_x', ...list);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('unauthenticated')]);
  });
});
