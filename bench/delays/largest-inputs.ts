import type { Bench } from '../prepare';
import type { DelayClient, Sent } from './delay-client';

/** A request as large as the service allows, and what it returns. */
export interface LargestInput {
  readonly name: string;
  /** @param turn Number of the request. Some can be sent only once. */
  readonly request: (turn: number) => Sent;
}

interface Group {
  readonly name: string;
  prepare(client: DelayClient): Promise<readonly LargestInput[]>;
}

interface Created {
  readonly id: string;
}

/** Most rows that a request writes. */
const ROWS = 1_000;
/** Bytes of a body: a little less than `MAX_BODY_BYTES`. */
const BODY_BYTES = 10_000_000;
const LINKS = 200;
/** Rows of one write with links. */
const LINKED_ROWS = 100;
/** Bytes of each of 1,000 rows, with which one page of a feed is as large as `MAX_PAGE_BYTES`. */
const FEED_ROW_BYTES = 32_000;

const query = (filter: unknown): string => encodeURIComponent(JSON.stringify(filter));

/** Returns the requests in groups that share what they prepare. */
export function largestInputs({ workspaceId }: Bench): readonly Group[] {
  const workspace = `/workspaces/${workspaceId}`;
  const create = async (client: DelayClient, name: string, columns: unknown[]): Promise<string> => {
    const body = { name, columns };
    const { id } = await client.prepare<Created>('POST', `${workspace}/datagrids`, body);
    return `/datagrids/${id}`;
  };
  return [
    { name: 'large rows', prepare: (client) => largeRows(client, create) },
    { name: 'writes', prepare: (client) => writes(client, create) },
    { name: 'wide rows', prepare: (client) => wideRows(client, create) },
    { name: 'links', prepare: (client) => links(client, create) },
    { name: 'metadata', prepare: metadata },
    { name: 'lists', prepare: (client) => lists(client, create, workspace) },
    { name: 'many rows', prepare: (client) => manyRows(client, create) },
  ];
}

type Create = (client: DelayClient, name: string, columns: unknown[]) => Promise<string>;

/** Requests to paths that begin with `base`. */
class Requests {
  constructor(private readonly base: string) {}

  get(name: string, path: string, headers: Sent['headers'] = {}): LargestInput {
    return { name, request: () => ({ method: 'GET', path: `${this.base}${path}`, headers }) };
  }

  send(method: string, name: string, path: string, body: (turn: number) => unknown): LargestInput {
    return { name, request: (turn) => ({ method, path: `${this.base}${path}`, body: body(turn) }) };
  }

  post(name: string, path: string, body: (turn: number) => unknown): LargestInput {
    return this.send('POST', name, path, body);
  }

  importCsv(name: string, text: (turn: number) => string, parameters = ''): LargestInput {
    const path = `${this.base}/rows/import?format=csv${parameters}`;
    const headers = { 'Content-Type': 'text/csv' };
    return { name, request: (turn) => ({ method: 'POST', path, body: text(turn), headers }) };
  }
}

/** Creates rows of text, in bodies of up to 8 MB. */
async function createTexts(
  client: DelayClient,
  path: string,
  count: number,
  text: string,
): Promise<void> {
  const perCall = Math.max(1, Math.min(ROWS, Math.floor(8_000_000 / Buffer.byteLength(text))));
  for (let from = 0; from < count; from += perCall) {
    const rows = Array.from({ length: Math.min(perCall, count - from) }, (_, n) => ({
      values: { n: from + n, text },
    }));
    await client.prepare('POST', `${path}/rows`, { rows });
  }
}

async function largeRows(client: DelayClient, create: Create): Promise<readonly LargestInput[]> {
  const columns = [
    { key: 'n', type: 'integer', indexed: true },
    { key: 'text', type: 'text' },
  ];
  const ascii = await create(client, 'Large rows', columns);
  await createTexts(client, ascii, ROWS, 'a'.repeat(FEED_ROW_BYTES));
  const cyrillic = await create(client, 'Large rows in Cyrillic', columns);
  await createTexts(client, cyrillic, ROWS, 'ж'.repeat(FEED_ROW_BYTES / 2));
  const largest = await create(client, 'Largest rows', columns);
  await createTexts(client, largest, 30, 'a'.repeat(1_000_000));
  const to = new Requests('');
  const gzip = { 'Accept-Encoding': 'gzip' };
  return [
    to.get('page of 30 rows of 1 MB', `${largest}/rows?limit=30`),
    to.get('page of 30 rows of 1 MB, gzip', `${largest}/rows?limit=30`, gzip),
    to.get(
      'page of 30 rows of 1 MB by filter',
      `${largest}/rows?limit=30&filter=${query({ n: { $gte: 0 } })}`,
    ),
    to.get('changes, 30 rows of 1 MB', `${largest}/changes?limit=1000`),
    to.get('changes, 1,000 rows of 32 kB', `${ascii}/changes?limit=1000`),
    to.get('changes, 1,000 rows of 32 kB, gzip', `${ascii}/changes?limit=1000`, gzip),
    to.get('changes, 1,000 rows of 32 kB in Cyrillic', `${cyrillic}/changes?limit=1000`),
    to.get('changes as NDJSON, 1,000 rows of 32 kB', `${ascii}/changes`, {
      Accept: 'application/x-ndjson',
    }),
    to.get('page of 200 rows of 32 kB', `${ascii}/rows?limit=200`),
    to.get('page of 200 rows of 32 kB in Cyrillic', `${cyrillic}/rows?limit=200`),
    to.get('export of rows of 32 kB as CSV', `${ascii}/rows/export?format=csv`),
    to.get('export of rows of 1 MB as NDJSON', `${largest}/rows/export?format=ndjson`),
    to.get('one row of 1 MB', `${largest}/rows/1`),
  ];
}

async function writes(client: DelayClient, create: Create): Promise<readonly LargestInput[]> {
  const columns = [
    { key: 'n', type: 'integer', unique: true },
    { key: 'text', type: 'text' },
  ];
  const path = await create(client, 'Writes', columns);
  const large = 'a'.repeat(BODY_BYTES / ROWS - 100);
  const rowsOf = (turn: number, text: string): unknown[] =>
    Array.from({ length: ROWS }, (_, n) => ({ values: { n: turn * ROWS + n, text } }));
  const to = new Requests(path);
  const operations = (turn: number): unknown[] =>
    rowsOf(turn + 100, large).map((row) => ({ op: 'create', ...(row as object) }));
  return [
    to.post('create 1,000 rows of 10 kB', '/rows', (turn) => ({ rows: rowsOf(turn, large) })),
    to.send('PUT', 'upsert 1,000 rows of 10 kB', '/rows', (turn) => ({
      matchOn: ['n'],
      rows: rowsOf(turn % 2, `${large}${String(turn)}`),
    })),
    to.post('batch of 1,000 creates of 10 kB', '/rows/batch', (turn) => ({
      mode: 'atomic',
      operations: operations(turn),
    })),
    to.post('batch of 1,000 invalid creates', '/rows/batch', () => ({
      mode: 'partial',
      operations: Array.from({ length: ROWS }, () => ({
        op: 'create',
        values: { n: 'x', y: large },
      })),
    })),
    to.post('one row of 1 MB', '/rows', (turn) => ({
      values: { n: 1_000_000 + turn, text: 'a'.repeat(1_000_000) },
    })),
    to.post('query with 1,000 operands', '/rows/query', () => ({
      filter: { n: { $in: Array.from({ length: 1_000 }, (_, n) => n) } },
      limit: 200,
    })),
    to.importCsv('import 10 MB of CSV', (turn) => {
      const rows = Array.from(
        { length: ROWS },
        (_, n) => `${String((turn + 200) * ROWS + n)},${large}`,
      );
      return `n,text\n${rows.join('\n')}\n`;
    }),
  ];
}

async function wideRows(client: DelayClient, create: Create): Promise<readonly LargestInput[]> {
  const columns = Array.from({ length: 500 }, (_, n) => ({ key: `c${String(n)}`, type: 'number' }));
  const path = await create(client, 'Wide', columns);
  const values = Object.fromEntries(columns.map(({ key }, n) => [key, n / 8]));
  const rows = Array.from({ length: ROWS }, () => ({ values }));
  for (let n = 0; n < 2; n += 1) await client.prepare('POST', `${path}/rows`, { rows });
  const csv = [
    Object.keys(values).join(','),
    ...rows.map((row) => Object.values(row.values).join(',')),
  ];
  const to = new Requests(path);
  return [
    to.post('create 1,000 rows of 500 numbers', '/rows', () => ({ rows })),
    to.get('page of 200 rows of 500 numbers', '/rows?limit=200'),
    to.get('changes, 1,000 rows of 500 numbers', '/changes?limit=1000'),
    to.get('export of rows of 500 numbers as CSV', '/rows/export?format=csv'),
    to.importCsv('import 1,000 rows of 500 numbers as CSV', () => csv.join('\n')),
  ];
}

async function links(client: DelayClient, create: Create): Promise<readonly LargestInput[]> {
  const target = await create(client, 'Linked', [
    { key: 'key', type: 'text', unique: true, required: true },
    { key: 'text', type: 'text' },
  ]);
  const linked = Array.from({ length: ROWS }, (_, n) => ({
    values: { key: `k${String(n)}`, text: 'a'.repeat(10) },
  }));
  await client.prepare('POST', `${target}/rows`, { rows: linked });
  const datagridId = target.split('/')[2];
  const columns = ['a', 'b', 'c', 'd'].map((key) => ({
    key,
    type: 'multiLink',
    options: { datagridId },
  }));
  const path = await create(client, 'Links', columns);
  const idsFrom = (n: number): number[] =>
    Array.from({ length: LINKS }, (_, k) => ((n + k) % ROWS) + 1);
  const rows = (turn: number): { readonly values: object }[] =>
    Array.from({ length: LINKED_ROWS }, (_, n) => ({
      values: Object.fromEntries(columns.map(({ key }, c) => [key, idsFrom(n + c * 7 + turn)])),
    }));
  const looked = await create(client, 'Lookups', [
    { key: 'a', type: 'multiLink', options: { datagridId } },
  ]);
  const lookups = 11;
  for (let n = 0; n < lookups; n += 1) {
    const options = { link: 'a', column: n % 2 === 0 ? 'key' : 'text' };
    await client.prepare('POST', `${looked}/columns`, {
      key: `l${String(n)}`,
      type: 'lookup',
      options,
    });
  }
  const few = Array.from({ length: 150 }, (_, n) => ({ values: { a: idsFrom(n) } }));
  await client.prepare('POST', `${looked}/rows`, { rows: few });
  const csv = [
    'a',
    ...few.map(
      ({ values }) =>
        `"${JSON.stringify(values.a.map((id) => `k${String(id - 1)}`)).replaceAll('"', '""')}"`,
    ),
  ].join('\n');
  const to = new Requests(path);
  return [
    {
      name: 'create 100 rows of 800 links',
      request: (turn) => ({ method: 'POST', path: `${path}/rows`, body: { rows: rows(turn) } }),
    },
    {
      name: 'change 100 rows of 800 links',
      request: (turn) => ({
        method: 'POST',
        path: `${path}/rows/batch`,
        body: {
          mode: 'atomic',
          operations: rows(turn + 500).map((row, n) => ({ op: 'update', id: n + 1, ...row })),
        },
      }),
    },
    to.get('page of 200 rows of 800 links', '/rows?limit=200'),
    {
      name: 'page with 1,000 linked rows',
      request: () => ({ method: 'GET', path: `${looked}/rows?limit=200&fields=a&expand=a` }),
    },
    {
      name: 'page with 11 lookups of 200 links',
      request: () => ({ method: 'GET', path: `${looked}/rows?limit=40` }),
    },
    new Requests(looked).importCsv('import with linkKeys', () => csv, '&linkKeys=a.key'),
  ];
}

async function metadata(client: DelayClient): Promise<readonly LargestInput[]> {
  const choices = (n: number, bytes: number): string[] =>
    Array.from({ length: Math.floor(bytes / 200) }, (_, k) =>
      `${String(n)} ${String(k)} `.padEnd(190, 'x'),
    );
  // 1 MB of columns, which is the maximum.
  const columns = Array.from({ length: 10 }, (_, n) => ({
    key: `c${String(n)}`,
    type: 'select',
    options: { choices: choices(n, 91_000) },
  }));
  const workspace = await client.prepare<Created>('POST', '/workspaces', { name: 'Columns' });
  const datagrids = `/workspaces/${workspace.id}/datagrids`;
  let datagrid = '';
  for (let n = 0; n < 7; n += 1) {
    const body = { name: `Large columns ${String(n)}`, columns };
    datagrid = `/datagrids/${(await client.prepare<Created>('POST', datagrids, body)).id}`;
  }
  const to = new Requests('');
  return [
    to.get('a datagrid of 1 MB of columns', datagrid),
    to.get('page of 7 MB of datagrids', `${datagrids}?limit=7`),
    to.send('PATCH', 'change a column of 1 MB of columns', `${datagrid}/columns/c0`, (turn) => ({
      title: `Title ${String(turn)}`,
    })),
    to.post('create a datagrid of 1 MB of columns', datagrids, (turn) => ({
      name: `New ${String(turn)}`,
      columns,
    })),
  ];
}

async function lists(
  client: DelayClient,
  create: Create,
  workspace: string,
): Promise<readonly LargestInput[]> {
  const columns = Array.from({ length: 100 }, (_, n) => ({ key: `c${String(n)}`, type: 'text' }));
  const path = await create(client, 'Views', columns);
  const filter = {
    $and: columns.map(({ key }) => ({
      [key]: { $in: Array.from({ length: 9 }, (_, n) => `value ${String(n)}`) },
    })),
  };
  for (let n = 0; n < 100; n += 1)
    await client.prepare('POST', `${path}/views`, { name: `View ${String(n)}`, filter });
  const datagridId = path.split('/')[2];
  const texts = {
    $and: columns.slice(0, 19).map(({ key }) => ({
      [key]: { $in: Array.from({ length: 30 }, (_, n) => String(n).padEnd(100, 'x')) },
    })),
  };
  for (let n = 0; n < 50; n += 1) {
    await client.prepare('POST', `${workspace}/webhooks`, {
      url: `https://hooks.example/${String(n)}`,
      datagridIds: [datagridId],
      filter: texts,
    });
  }
  return [
    { name: 'list of 100 views', request: () => ({ method: 'GET', path: `${path}/views` }) },
    {
      name: 'list of 50 webhooks',
      request: () => ({ method: 'GET', path: `${workspace}/webhooks?limit=50` }),
    },
    {
      name: 'list of MCP tools',
      request: () => ({
        method: 'POST',
        path: '/mcp',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { Accept: 'application/json, text/event-stream' },
      }),
    },
  ];
}

/** Requests that read or write many rows, whatever their size. */
async function manyRows(client: DelayClient, create: Create): Promise<readonly LargestInput[]> {
  const steps = 20;
  const path = await create(client, 'Many rows', [
    { key: 'n', type: 'integer', indexed: true },
    { key: 'a', type: 'text' },
    { key: 'b', type: 'text' },
    { key: 'c', type: 'text' },
  ]);
  await client.prepare('PATCH', path, { history: true });
  for (let step = 0; step < steps; step += 1) {
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      values: { n: step * ROWS + n, a: String(n % 10), b: String(n % 11), c: String(n) },
    }));
    await client.prepare('POST', `${path}/rows`, { rows });
  }
  const to = new Requests(path);
  const groupBy = ['a', 'b', 'c'].map((column) => ({ column }));
  const functions = ['sum', 'avg', 'min', 'max', 'countDistinct'];
  const aggregates = functions.map((name) => ({ function: name, column: 'n' }));
  const third = (turn: number): unknown => ({
    n: { $gte: turn * 3_000, $lt: turn * 3_000 + 3_000 },
  });
  const types = ['decimal', 'integer'];
  return [
    to.post('1,000 groups of 5 aggregates', '/rows/aggregate', () => ({
      groupBy,
      aggregates,
      limit: 1_000,
    })),
    to.post('preview of a column of 20,000 rows', '/columns/n/preview', () => ({ type: 'text' })),
    to.get('export of 20,000 rows as CSV', '/rows/export?format=csv'),
    to.get('export of 20,000 rows as NDJSON, gzip', '/rows/export', { 'Accept-Encoding': 'gzip' }),
    to.post('undo the creation of 1,000 rows', '/rows/undo', (turn) => ({
      revision: steps - turn,
    })),
    to.send('PATCH', 'convert a column of 20,000 rows', '/columns/n', (turn) => ({
      type: types[turn % 2],
      convert: true,
    })),
    to.post('delete 3,000 rows by a filter', '/rows/delete', (turn) => ({ filter: third(turn) })),
    to.get('page of deleted rows', '/trash/rows?limit=200'),
    to.get('history of a row', '/rows/19000/history?limit=200'),
  ];
}
