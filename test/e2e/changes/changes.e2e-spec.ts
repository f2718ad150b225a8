import type { ApiResponse, Json } from '../../support/api-client';
import { ChangeRepository } from '../../../src/changes/change.repository';
import { ChangeService } from '../../../src/changes/change.service';
import { QueryTimeoutError } from '../../../src/platform/database/query-pool';
import { DatagridCopy } from '../../support/datagrid-copy';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer' },
];

/** PostgreSQL compresses rows with it. */
const LONG = 'x'.repeat(9_000);

let app: TestApp;
let team: Team;
let datagrid: string;
let changes: ChangeRepository;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  changes = app.nest.get(ChangeRepository, { strict: false });
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
});

afterEach(() => jest.restoreAllMocks());

afterAll(() => app.close());

interface ChangePage {
  readonly data: readonly Json[];
  readonly meta: { pageSize: number; nextCursor: string; upToDate: boolean; hasMore: boolean };
}

const get = (query = ''): Promise<ApiResponse> =>
  team.viewer.api.get(`${datagrid}/changes${query}`);

async function page(query: string): Promise<ChangePage> {
  const { status, body } = await get(query);
  expect(status).toBe(200);
  expect(Object.keys(body.meta)).toEqual(['pageSize', 'nextCursor', 'upToDate', 'hasMore']);
  expect(body.meta.hasMore).toBe(!body.meta.upToDate);
  expect(body.meta.pageSize).toBe(body.data.length);
  return body;
}

/** Reads pages until the reader is up to date. @returns the items and the last cursor. */
async function readOn(cursor: string, limit = 1_000): Promise<{ items: Json[]; cursor: string }> {
  const items: Json[] = [];
  for (let at = cursor; ;) {
    const { data, meta } = await page(`?cursor=${at}&limit=${String(limit)}`);
    items.push(...data);
    at = meta.nextCursor;
    if (meta.upToDate) return { items, cursor: at };
  }
}

const latest = async (): Promise<string> => (await page('?cursor=latest')).meta.nextCursor;

const post = async (path: string, body: unknown): Promise<Json> => {
  const response = await team.editor.api.post(`${datagrid}${path}`, body);
  expect(response.status).toBeLessThan(300);
  return response.body.data;
};

const createRows = (count: number, first = 0): Promise<Json> => {
  const rows = Array.from({ length: count }, (_, i) => ({
    values: { sku: `R-${String(first + i)}`, n: first + i },
  }));
  return post('/rows', { rows });
};

const allRows = async (): Promise<Json[]> =>
  dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200);

/** Writes an item in short. */
const short = (item: Json): unknown[] => {
  if (item.op === 'set') return ['set', item.row.id, item.row.revision];
  return item.op === 'delete' ? ['delete', item.id, item.revision] : [item.op, item.revision];
};

describe('GET /datagrids/{datagridId}/changes without a cursor', () => {
  it('begins with the columns and the rows as they are', async () => {
    await createRows(3);
    const { data, meta } = await page('');
    const columns = COLUMNS.map(({ key, type }, index) => {
      const unique = key === 'sku';
      const flags = { required: false, unique, indexed: false, options: {} };
      return { id: index + 1, key, title: key, type, ...flags };
    });
    const rows = (await allRows()).map((row) => ({ op: 'set', row }));
    expect(data).toEqual([{ op: 'schema', revision: 1, values: 'kept', columns }, ...rows]);
    expect(meta.upToDate).toBe(true);
  });

  it('returns an empty datagrid as its columns', async () => {
    const { data, meta } = await page('');
    expect(data.map(short)).toEqual([['schema', 0]]);
    expect(meta.upToDate).toBe(true);
  });

  it('returns the rows page by page, and then what has changed since the first page', async () => {
    await createRows(5);
    const copy = new DatagridCopy();
    const first = await page('?limit=2');
    expect(first.data.map(short)).toEqual([
      ['schema', 1],
      ['set', 1, 1],
      ['set', 2, 1],
    ]);
    copy.apply(first.data);
    await post('/rows/batch', {
      mode: 'atomic',
      operations: [
        { op: 'update', id: 1, values: { n: 50 } },
        { op: 'delete', id: 2 },
        { op: 'delete', id: 4 },
        { op: 'create', values: { n: 60 } },
      ],
    });
    const { items } = await readOn(first.meta.nextCursor, 2);
    expect(items.map(short)).toEqual([
      ['set', 3, 1],
      ['set', 5, 1],
      ['set', 6, 2],
      ['delete', 2, 2],
      ['delete', 4, 2],
      ['set', 1, 2],
      ['set', 6, 2],
    ]);
    copy.apply(items);
    expect(copy.list()).toEqual(await allRows());
  });
});

describe('GET /datagrids/{datagridId}/changes with a cursor', () => {
  it('returns nothing and the same position if nothing has changed', async () => {
    await createRows(2);
    const { cursor } = await readOn('');
    const again = await page(`?cursor=${cursor}`);
    expect(again).toEqual({
      data: [],
      meta: { pageSize: 0, nextCursor: cursor, upToDate: true, hasMore: false },
    });
    expect(await latest()).toBe(cursor);
  });

  it('returns created, changed and deleted rows in the order of the writes', async () => {
    await createRows(3);
    const cursor = await latest();
    await post('/rows', { values: { n: 10 } });
    await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n: 11 } });
    await team.editor.api.delete(`${datagrid}/rows/2`);
    await createRows(2, 20);
    const { items } = await readOn(cursor);
    expect(items.map(short)).toEqual([
      ['set', 4, 2],
      ['set', 1, 3],
      ['delete', 2, 4],
      ['set', 5, 5],
      ['set', 6, 5],
    ]);
    expect(items[1]).toEqual({ op: 'set', row: (await allRows())[0] });
  });

  it('returns a row that was written several times once, as it is', async () => {
    await createRows(2);
    const cursor = await latest();
    for (const n of [5, 6, 7]) await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n } });
    const { items } = await readOn(cursor);
    expect(items.map(short)).toEqual([['set', 1, 4]]);
  });

  it.each([1, 2, 3, 7])('splits writes of many rows into pages of %d', async (limit) => {
    const cursor = await latest();
    await createRows(7);
    await post('/rows/delete', { filter: { n: { $lt: 5 } } });
    await Promise.all([8, 9, 10, 11].map((n) => post('/rows', { values: { n } })));
    const copy = new DatagridCopy();
    const { items } = await readOn(cursor, limit);
    copy.apply(items);
    expect(copy.list()).toEqual(await allRows());
    expect(items.filter(({ op }) => op === 'delete').map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  it('returns changes of columns, with ids that are never reused', async () => {
    await createRows(1);
    const cursor = await latest();
    const { api } = team.owner;
    expect((await api.delete(`${datagrid}/columns/n`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'n', type: 'text' }), 201);
    dataOf(await api.patch(`${datagrid}/rows/1`, { values: { n: 'x' } }), 200);
    const { items } = await readOn(cursor);
    expect(items.map(short)).toEqual([
      ['schema', 3],
      ['set', 1, 4],
    ]);
    const ids = (items[0]?.columns as Json[] | undefined)?.map(({ id, key, type }) => [
      id,
      key,
      type,
    ]);
    expect(ids).toEqual([
      [1, 'sku', 'text'],
      [3, 'n', 'text'],
    ]);
  });

  it('keeps a value of a column with the key of a removed one if the columns change again later', async () => {
    const copy = new DatagridCopy();
    await createRows(1);
    const first = await readOn('');
    copy.apply(first.items);
    const { api } = team.owner;
    expect((await api.delete(`${datagrid}/columns/n`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'n', type: 'text' }), 201);
    dataOf(await api.patch(`${datagrid}/rows/1`, { values: { n: 'x' } }), 200);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'other', type: 'text' }), 201);
    const { items } = await readOn(first.cursor);
    expect(items.map(short)).toEqual([
      ['schema', 5],
      ['set', 1, 4],
    ]);
    copy.apply(items);
    expect(copy.list()).toEqual(await allRows());
  });

  it('counts the rows of a page without those that are deleted while it is read', async () => {
    // A compressed row is printed apart from the statement that reads the ids.
    for (const n of [1, 2]) await post('/rows', { values: { n, sku: `${String(n)}${LONG}` } });
    const readRowsAfter = changes.readRowsAfter.bind(changes);
    jest.spyOn(changes, 'readRowsAfter').mockImplementationOnce(async (...given) => {
      const rows = await readRowsAfter(...given);
      expect((await team.owner.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
      return rows;
    });
    // `page` compares `pageSize` with the items.
    const { data } = await page('');
    expect(data.map(short)).toEqual([
      ['schema', 2],
      ['set', 2, 2],
    ]);
  });

  it('has a write that was acknowledged before, even if another reader is at the same position', async () => {
    const cursor = await latest();
    const pages = jest.spyOn(app.nest.get(ChangeService, { strict: false }), 'page');
    const listEntries = changes.listEntries.bind(changes);
    let resume = (): void => undefined;
    const hasRead = new Promise<void>((resolve) => {
      jest.spyOn(changes, 'listEntries').mockImplementationOnce(async (...given) => {
        const entries = await listEntries(...given);
        resolve();
        await new Promise<void>((go) => (resume = go));
        return entries;
      });
    });
    const before = page(`?cursor=${cursor}`);
    await hasRead;
    await createRows(1);
    const after = page(`?cursor=${cursor}`);
    await eventually(() => pages.mock.calls.length === 2);
    resume();
    expect([(await before).data, (await after).data.map(short)]).toEqual([[], [['set', 1, 1]]]);
  });

  it('continues after the datagrid was restored from the trash', async () => {
    await createRows(1);
    const cursor = await latest();
    const { api } = team.owner;
    await api.delete(datagrid);
    expectFailure(await get(`?cursor=${cursor}`), 'not_found');
    await api.post(`/trash/${datagrid.split('/')[2] ?? ''}/restore`);
    await createRows(1, 5);
    const { items } = await readOn(cursor);
    expect(items.map(short)).toEqual([
      ['schema', 1],
      ['set', 2, 4],
    ]);
  });

  it('returns rows of any size, as many as fit on a page', async () => {
    const cursor = await latest();
    const text = 'x'.repeat(900_000);
    for (let n = 0; n < 4; n += 1) await post('/rows', { values: { sku: `${String(n)}${text}` } });
    const { items } = await readOn(cursor);
    expect(items.map(short)).toEqual([1, 2, 3, 4].map((n) => ['set', n, n]));
    const whole = await readOn('');
    expect(whole.items.slice(1).map(short)).toEqual([1, 2, 3, 4].map((n) => ['set', n, n]));
  });
});

describe('a cursor whose changes are missing', () => {
  const expired = async (cursor: string): Promise<void> => {
    const response = await get(`?cursor=${cursor}`);
    expectFailure(response, 'cursor_expired');
    expect(response.headers.get('cache-control')).toBe('no-store');
  };
  const change = (sql: string): Promise<unknown> => app.sql.query(sql, [datagrid.split('/')[2]]);

  it('returns 410 if entries after it were deleted', async () => {
    await createRows(1);
    const cursor = await latest();
    await createRows(1, 1);
    await createRows(1, 2);
    await change('DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND revision = 2');
    await expired(cursor);
    await change('DELETE FROM datagrid_changes WHERE datagrid_id = $1');
    await expired(cursor);
    const copy = new DatagridCopy();
    copy.apply((await readOn('')).items);
    expect(copy.list()).toEqual(await allRows());
  });

  it('returns 410 if the last write has no entry', async () => {
    await createRows(1);
    const cursor = await latest();
    await change('UPDATE datagrid_counters SET revision = 2 WHERE datagrid_id = $1');
    await expired(cursor);
    await change('UPDATE datagrid_counters SET revision = 1 WHERE datagrid_id = $1');
  });

  it('returns 410 if the database was restored to an earlier state', async () => {
    await createRows(1);
    await createRows(1, 1);
    const cursor = await latest();
    await change('DELETE FROM rows WHERE datagrid_id = $1 AND id = 2');
    await change('DELETE FROM unique_values WHERE datagrid_id = $1 AND row_id = 2');
    await change('DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND revision = 2');
    await change(
      'UPDATE datagrid_counters SET revision = 1, last_row_id = 1, row_count = 1 WHERE datagrid_id = $1',
    );
    await expired(cursor);
    await createRows(1, 7);
    await expired(cursor);
    await createRows(1, 8);
    await expired(cursor);
  });
});

describe('a request for changes', () => {
  it.each<[string, string, string]>([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=1001', 'limit', 'out_of_range'],
    ['limit=x', 'limit', 'invalid_format'],
    ['wait=31', 'wait', 'out_of_range'],
    ['wait=1.5', 'wait', 'invalid_format'],
    ['wait=1&wait=2', 'wait', 'duplicate_parameter'],
    ['cursor=abc', 'cursor', 'invalid_format'],
    ['cursor=a&cursor=b', 'cursor', 'duplicate_parameter'],
    [`cursor=${'x'.repeat(300)}`, 'cursor', 'invalid_format'],
    ['page=1', 'page', 'unknown_parameter'],
  ])('returns 400 for %s', async (query, field, code) => {
    expectFailure(await get(`?${query}`), 'invalid_request', [`${field} ${code}`]);
  });

  it.each(['=', '=x', '=01', '=-1', '=1=2', `=${'9'.repeat(17)}`])(
    'returns 400 for a cursor that ends with the version %s of the columns',
    async (end) => {
      const [cursor = ''] = (await latest()).split('=');
      expect((await get(`?cursor=${cursor}=1`)).status).toBe(200);
      const wrong = await get(`?cursor=${cursor}${end}`);
      expectFailure(wrong, 'invalid_request', ['cursor invalid_format']);
    },
  );

  it.each([
    ['an offset that no entry has', ':c:2:0:3000000000:0:'],
    ['an offset at the end of the integers', ':c:2:0:2147483647:0:'],
    ['too few numbers', ':c:2:0:1:'],
  ])('returns 400 for a cursor with %s', async (_name, rest) => {
    await createRows(1);
    await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n: 2 } });
    const text = `1:${datagrid.slice(-12)}${rest}`;
    const cursor = Buffer.from(text).toString('base64url');
    expectFailure(await get(`?cursor=${cursor}`), 'invalid_request', ['cursor invalid_format']);
  });

  it('returns 410 for a cursor with the largest numbers that it may have', async () => {
    const id = datagrid.slice(-12);
    const max = String(Number.MAX_SAFE_INTEGER);
    for (const rest of [
      `c:${max}:2147483647:1000000000:${max}:${max}`,
      `r:${max}:${max}:${max}:`,
    ]) {
      const cursor = Buffer.from(`1:${id}:${rest}`).toString('base64url');
      expectFailure(await get(`?cursor=${cursor}&limit=1000`), 'cursor_expired');
    }
  });

  it('returns 400 for a cursor of another datagrid', async () => {
    const cursor = await latest();
    const other = await newDatagrid(team.owner.api, COLUMNS);
    const response = await team.viewer.api.get(`${other}/changes?cursor=${cursor}`);
    expectFailure(response, 'invalid_request', ['cursor cursor_mismatch']);
  });

  it('returns 404 for a datagrid of another account or none', async () => {
    const stranger = await app.newAccount();
    const cursor = await latest();
    for (const path of [datagrid, `/datagrids/${NO_ID}`]) {
      for (const query of ['', '?cursor=latest']) {
        const response = await stranger.api.get(`${path}/changes${query}`);
        expectFailure(response, 'not_found');
      }
    }
    const response = await stranger.api.get(`${datagrid}/changes?cursor=${cursor}&wait=30`);
    expectFailure(response, 'not_found');
  });
});

describe('a page of large rows', () => {
  it('ends after the time for it, with at least one row', async () => {
    for (const n of [1, 2, 3]) await post('/rows', { values: { n, sku: `${String(n)}${LONG}` } });
    const start = (await page('')).meta.nextCursor;
    for (const n of [4, 5]) await post('/rows', { values: { n, sku: `${String(n)}${LONG}` } });
    const readLargeRows = changes.readLargeRows.bind(changes);
    const read = jest
      .spyOn(changes, 'readLargeRows')
      .mockImplementation((accountId, datagridId, rows, separator, bounds) =>
        readLargeRows(accountId, datagridId, rows, separator, { ...bounds, maxMs: 0 }),
      );
    const all = await readOn('');
    expect(all.items.map(short)).toEqual([
      ['schema', 5],
      ...[1, 2, 3, 4, 5].map((id) => ['set', id, id]),
    ]);
    expect(read).toHaveBeenCalledTimes(5);
    expect((await readOn(start)).items.map(short)).toEqual([
      ['set', 4, 4],
      ['set', 5, 5],
    ]);
    expect(read).toHaveBeenCalledTimes(7);
  });

  it('returns 503 if PostgreSQL takes too long for it', async () => {
    await post('/rows', { values: { n: 1, sku: LONG } });
    jest.spyOn(changes, 'readLargeRows').mockRejectedValue(new QueryTimeoutError('slow'));
    const response = await get();
    expectFailure(response, 'unavailable');
    expect(response.headers.get('retry-after')).not.toBeNull();
  });
});
