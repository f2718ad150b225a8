import { AutomaticIndexRepository } from '../../../src/rows/index/automatic-index.repository';
import { AutomaticIndexService } from '../../../src/rows/index/automatic-index.service';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const ROWS = 400;
const SETTINGS = { automaticIndexMinRows: 200, MAX_AUTOMATIC_INDEXES: '4' };

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.start({ settings: SETTINGS });
});

beforeEach(async () => {
  owner = await app.newAccount();
});

afterEach(async () => {
  expect(await problemsOf(app, app.accountIds.splice(0))).toEqual([]);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 'email', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'code', type: 'integer' },
  { key: 'place', type: 'text' },
  { key: 'status', type: 'select', options: { choices: ['open', 'closed'] } },
] as const;

function rowOf(n: number): object {
  const status = n % 2 === 0 ? 'open' : 'closed';
  return {
    values: {
      ...(n % 7 > 0 && { email: `p${String(n % 100)}@example.com` }),
      amount: (n * 37) % 101,
      code: n,
      place: `Place ${String(n % 50)}`,
      status,
    },
  };
}

async function newGrid(rows = ROWS): Promise<string> {
  const path = await newDatagrid(owner.api, [...COLUMNS]);
  const body = { rows: Array.from({ length: rows }, (_, n) => rowOf(n)) };
  expect((await owner.api.post(`${path}/rows`, body)).status).toBe(201);
  return path;
}

async function read(path: string, query: object, times = 1, api = owner.api): Promise<unknown> {
  let body: unknown;
  for (let n = 0; n < times; n += 1) {
    const response = await api.post(`${path}/rows/query`, query);
    expect(response.status).toBe(200);
    body = response.body;
  }
  return body;
}

/** Runs the background tasks until the indexes that reads have caused are complete. */
async function settle(of = app): Promise<void> {
  await of.nest.get(AutomaticIndexService, { strict: false }).runOnce();
  await of.nest.get(IndexBuildService, { strict: false }).runOnce();
}

/** Returns the keys of the columns with a complete automatic index. */
async function automatic(path: string): Promise<string[]> {
  const { columns } = dataOf(await owner.api.get(path), 200) as {
    columns: { key: string; automaticIndex?: boolean; indexing?: object }[];
  };
  return columns
    .filter(({ automaticIndex, indexing }) => automaticIndex === true && !indexing)
    .map(({ key }) => key);
}

const idOf = (path: string): string => path.replace('/datagrids/', '');

async function entriesOf(path: string): Promise<number> {
  const { rows } = await app.sql.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM text_index_entries WHERE datagrid_id = $1)::int
       + (SELECT count(*) FROM number_index_entries WHERE datagrid_id = $1)::int AS count`,
    [idOf(path)],
  );
  return rows[0]?.count ?? 0;
}

const BY_EMAIL = { filter: { email: 'p8@example.com' } };

it('indexes a column after three filtered reads, and says so in the column and the datagrid', async () => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 2);
  await settle();
  expect(await automatic(path)).toEqual([]);
  await read(path, BY_EMAIL);
  await settle();
  expect(await automatic(path)).toEqual(['email']);
  expect(await entriesOf(path)).toBe(ROWS);
  expect(dataOf(await owner.api.get(`${path}/columns/email`), 200)).toMatchObject({
    indexed: false,
    automaticIndex: true,
  });
});

it('answers queries alike with and without automatic indexes', async () => {
  const path = await newGrid();
  const queries = [
    BY_EMAIL,
    { filter: { email: { $in: ['p8@example.com', 'p9@example.com'] } }, sort: '-amount' },
    { filter: { email: { $startsWith: 'p1' } }, limit: 7, page: 2 },
    { filter: { email: { $ne: 'p8@example.com' }, amount: { $gt: 3 } } },
    { filter: { amount: 14 }, sort: 'email' },
    { filter: { amount: { $gte: 14, $lt: 17 } } },
    { filter: { amount: { $gt: 14 }, status: 'open' }, sort: '-code' },
    { filter: { $or: [{ amount: 14 }, { email: 'p8@example.com' }] } },
    { sort: 'email', limit: 200 },
    { sort: '-amount,email', limit: 50, page: 3 },
    { filter: { email: 'p8@example.com' }, q: 'place' },
  ];
  const answers = async (): Promise<unknown[]> =>
    Promise.all(queries.map((query) => read(path, query)));
  const before = await answers();
  await read(path, BY_EMAIL, 3);
  await settle();
  await read(path, { filter: { amount: 14 } }, 3);
  await settle();
  expect(await automatic(path)).toEqual(['email', 'amount']);
  expect(await answers()).toEqual(before);
});

it('counts reads of all instances together', async () => {
  const path = await newGrid();
  const replica = await TestApp.start({ database: app.database, settings: SETTINGS });
  try {
    await read(path, BY_EMAIL, 2);
    await settle();
    await read(path, BY_EMAIL, 1, replica.api(owner.key));
    await settle(replica);
  } finally {
    await replica.close();
  }
  await settle();
  expect(await automatic(path)).toEqual(['email']);
});

it('indexes a column that pages are sorted by', async () => {
  const path = await newGrid();
  await read(path, { sort: '-code' }, 3);
  await settle();
  expect(await automatic(path)).toEqual(['code']);
});

it('indexes a column for a range only if few rows match and nothing else is asked', async () => {
  const path = await newGrid();
  await read(path, { filter: { code: { $gt: 10 } } }, 3);
  await read(path, { filter: { code: { $gt: 390 } }, q: 'place' }, 3);
  await settle();
  expect(await automatic(path)).toEqual([]);
  await read(path, { filter: { code: { $gt: 390 } } }, 3);
  await settle();
  expect(await automatic(path)).toEqual(['code']);
});

it('indexes the most selective of several columns of a filter', async () => {
  const path = await newGrid();
  for (let n = 0; n < 3; n += 1) {
    await read(path, { filter: { status: 'open', email: 'p8@example.com' } }, 3);
    await settle();
  }
  expect(await automatic(path)).toEqual(['email']);
});

it('indexes neither columns with a frequent value nor datagrids with few rows', async () => {
  const [path, small] = [await newGrid(), await newGrid(150)];
  await read(path, { filter: { status: 'open' } }, 5);
  await read(small, BY_EMAIL, 5);
  await settle();
  await settle();
  expect([await automatic(path), await automatic(small)]).toEqual([[], []]);
});

it.each([
  ['the oldest', { _id: { $lte: 100 } }],
  ['most', { _id: { $gt: 5, $lte: 180 } }],
])('indexes a column of a datagrid after %s rows were deleted', async (_, filter) => {
  const path = await newGrid();
  expect((await owner.api.post(`${path}/rows/delete`, { filter })).status).toBe(200);
  await read(path, BY_EMAIL, 3);
  await settle();
  expect(await automatic(path)).toEqual(['email']);
});

it('starts the other indexes if one of them fails', async () => {
  const repository = app.nest.get(AutomaticIndexRepository, { strict: false });
  const paths = [await newGrid()];
  await read(paths[0] ?? '', BY_EMAIL, 3);
  owner = await app.newAccount();
  paths.push(await newGrid());
  await read(paths[1] ?? '', BY_EMAIL, 3);
  const failing = jest.spyOn(repository, 'isSelective').mockRejectedValueOnce(new Error('Broken.'));
  await settle();
  failing.mockRestore();
  const { rows } = await app.sql.query(
    'SELECT FROM datagrid_columns WHERE is_automatic AND datagrid_id = ANY($1)',
    [paths.map(idOf)],
  );
  expect(rows).toHaveLength(1);
  expect(app.logs.filter((line) => line.includes('automatic indexing failed'))).toHaveLength(1);
});

it('stores reads of several instances at once, whatever the order of the columns', async () => {
  const path = await newGrid();
  const repository = app.nest.get(AutomaticIndexRepository, { strict: false });
  const store = (...ids: number[]): Promise<void> => {
    const columns = new Map(ids.map((id) => [id, 1]));
    const { accountId } = owner;
    return repository.storeReads({ accountId, datagridId: idOf(path), columns }, ROWS);
  };
  await store(1, 3);
  const client = await app.sql.connect();
  try {
    await client.query('BEGIN');
    const lock = 'SELECT FROM column_reads WHERE datagrid_id = $1 AND column_id = 1 FOR UPDATE';
    await client.query(lock, [idOf(path)]);
    const stores = Promise.all([store(1, 3), store(3, 1)]);
    await eventually(async () => (await waitingForLocks(app)) === 2);
    await client.query('COMMIT');
    await stores;
  } finally {
    client.release();
  }
  const { rows } = await app.sql.query<{ reads: number }>(
    'SELECT reads::int FROM column_reads WHERE datagrid_id = $1',
    [idOf(path)],
  );
  expect(rows).toEqual([{ reads: 3 }, { reads: 3 }]);
});

it('drops automatic indexes of a datagrid that switches them off, and builds no others', async () => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 3);
  await settle();
  expect(dataOf(await owner.api.get(path), 200)).not.toHaveProperty('automaticIndexes');
  const changed = await owner.api.patch(path, { automaticIndexes: false });
  expect(dataOf(changed, 200)).toMatchObject({ automaticIndexes: false });
  await settle();
  expect(await automatic(path)).toEqual([]);
  expect(await entriesOf(path)).toBe(0);
  await read(path, BY_EMAIL, 5);
  await settle();
  expect(await automatic(path)).toEqual([]);
  const again = await owner.api.patch(path, { automaticIndexes: true });
  expect(dataOf(again, 200)).not.toHaveProperty('automaticIndexes');
  await settle();
  expect(await automatic(path)).toEqual(['email']);
});

it('keeps at most three automatic indexes in a datagrid and the configured number in an account', async () => {
  const [first, second] = [await newGrid(), await newGrid()];
  const filters = [BY_EMAIL.filter, { amount: 14 }, { code: 8 }, { place: 'Place 8' }];
  for (const path of [first, second]) {
    for (const filter of filters) {
      await read(path, { filter }, 3);
      await settle();
    }
  }
  expect(await automatic(first)).toEqual(['email', 'amount', 'code']);
  expect(await automatic(second)).toEqual(['email']);
});

it('makes room for a column by dropping the index that was used least recently', async () => {
  const path = await newGrid();
  for (const filter of [BY_EMAIL.filter, { amount: 14 }, { code: 8 }]) {
    await read(path, { filter }, 3);
    await settle();
  }
  await app.sql.query(
    `UPDATE column_reads SET read_at = now() - interval '25 hours'
     WHERE datagrid_id = $1 AND column_id = 2`,
    [idOf(path)],
  );
  await read(path, { filter: { place: 'Place 8' } }, 3);
  await settle();
  await settle();
  expect(await automatic(path)).toEqual(['email', 'code', 'place']);
});

it.each([
  ['no query used for a week', `read_at = now() - interval '8 days'`],
  [
    'costs more to write than it saves',
    `since = now() - interval '2 hours', reads = 1, written_from = -1000000`,
  ],
])('drops an index that %s', async (_, change) => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 3);
  await settle();
  await app.sql.query(`UPDATE column_reads SET ${change} WHERE datagrid_id = $1`, [idOf(path)]);
  await settle();
  expect(await automatic(path)).toEqual([]);
  expect(await entriesOf(path)).toBe(0);
});

it('keeps an index that is read while the datagrid is written', async () => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 3);
  await settle();
  await app.sql.query(
    `UPDATE column_reads SET read_at = now() - interval '6 days' WHERE datagrid_id = $1`,
    [idOf(path)],
  );
  await read(path, BY_EMAIL);
  await settle();
  const { rows } = await app.sql.query<{ isRecent: boolean }>(
    `SELECT read_at > now() - interval '1 hour' AS "isRecent" FROM column_reads WHERE datagrid_id = $1`,
    [idOf(path)],
  );
  expect(rows).toEqual([{ isRecent: true }]);
  expect(await automatic(path)).toEqual(['email']);
});

it('maintains an automatic index through writes, conversions, removal and restoration', async () => {
  const path = await newGrid();
  await read(path, { filter: { code: 8 } }, 3);
  await settle();
  const { api } = owner;
  expect((await api.post(`${path}/rows`, { values: { code: 8 } })).status).toBe(201);
  expect((await api.patch(`${path}/rows/1`, { values: { code: 8 } })).status).toBe(200);
  expect((await api.delete(`${path}/rows/2`)).status).toBe(204);
  expect(await read(path, { filter: { code: 8 } })).toMatchObject({ meta: { total: 3 } });
  const converted = await api.patch(`${path}/columns/code`, { type: 'text', convert: true });
  expect(converted.status).toBe(200);
  await settle();
  await settle();
  expect(await automatic(path)).toEqual(['code']);
  expect(await read(path, { filter: { code: '8' } })).toMatchObject({ meta: { total: 3 } });
  expect((await api.delete(`${path}/columns/code`)).status).toBe(204);
  const [{ id }] = dataOf(await api.get(`${path}/trash/columns`), 200) as [{ id: number }];
  dataOf(await api.post(`${path}/trash/columns/restore`, { id }), 200);
  await settle();
  expect(await automatic(path)).toEqual([]);
  expect(await entriesOf(path)).toBe(0);
});

it('keeps the entries of an automatic index for a column that asks for an index', async () => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 3);
  await settle();
  const changed = await owner.api.patch(`${path}/columns/email`, { indexed: true });
  expect(dataOf(changed, 200)).toMatchObject({ indexed: true });
  expect(changed.body.data).not.toHaveProperty('automaticIndex');
  expect(changed.body.data).not.toHaveProperty('indexing');
  await app.sql.query('UPDATE column_reads SET read_at = now() - interval $$8 days$$');
  await settle();
  expect(await entriesOf(path)).toBe(ROWS);
});

it('drops all automatic indexes if the operator switches them off', async () => {
  const path = await newGrid();
  await read(path, BY_EMAIL, 3);
  await settle();
  const settings = { ...SETTINGS, MAX_AUTOMATIC_INDEXES: '0' };
  const replica = await TestApp.start({ database: app.database, settings });
  try {
    await settle(replica);
  } finally {
    await replica.close();
  }
  expect(await automatic(path)).toEqual([]);
});

it('changes the ETags of rows, so that an earlier If-Match returns 412', async () => {
  const path = await newGrid();
  const etag = (await owner.api.get(`${path}/rows/1`)).headers.get('etag') ?? '';
  await read(path, BY_EMAIL, 3);
  await settle();
  expect(await automatic(path)).toEqual(['email']);
  const row = { values: { code: 5 } };
  expect((await owner.api.patch(`${path}/rows/1`, row, { 'if-match': etag })).status).toBe(412);
});

it.each([
  ['got an index of their own later', { indexed: true }],
  ['were converted to a type without an index later', { type: 'json', convert: true }],
])('does not count towards the maximum of three columns that %s', async (_, change) => {
  const path = await newGrid();
  const filters = { email: BY_EMAIL.filter, amount: { amount: 14 }, code: { code: 8 } };
  for (const [key, filter] of Object.entries(filters)) {
    await read(path, { filter }, 3);
    await settle();
    dataOf(await owner.api.patch(`${path}/columns/${key}`, change), 200);
    await settle();
  }
  await read(path, { filter: { place: 'Place 8' } }, 3);
  await settle();
  expect(await automatic(path)).toEqual(['place']);
});
