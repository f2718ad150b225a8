import { ApiClient, type ApiResponse, type Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

/** In every value, key and title of a hidden column. */
const CANARY = 'zebra';
/** Plus an index in hidden numbers. Long enough that no id contains it by chance. */
const NUMBER = 470_047_004_700;

const COLUMNS = [
  { key: 'name', type: 'text', title: 'Name' },
  { key: 'amount', type: 'decimal' },
  { key: `${CANARY}_key`, type: 'text', title: `Title ${CANARY}`, indexed: true },
  { key: `${CANARY}_number`, type: 'integer' },
];

const HIDDEN = [
  { key: `${CANARY}_key`, hidden: true },
  { key: `${CANARY}_number`, hidden: true },
];

let app: TestApp;
let team: Team;
let anybody: ApiClient;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  anybody = new ApiClient(app.origin, undefined, '');
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  const rows = Array.from({ length: 7 }, (_, n) => ({
    values: {
      name: `Row ${String(n)}`,
      amount: `${String(n)}.50`,
      [`${CANARY}_key`]: `${CANARY} ${String(9 - n)}`,
      [`${CANARY}_number`]: NUMBER + n,
    },
  }));
  dataOf(await team.owner.api.post(`${datagrid}/rows`, { rows }), 201);
});

afterAll(() => app.close());

interface Shared {
  readonly viewId: string;
  readonly path: string;
}

async function share(view: object): Promise<Shared> {
  const viewId = await newView(team.editor.api, datagrid, view);
  const created = await team.admin.api.post(`${datagrid}/views/${viewId}/link`, {});
  const { url } = dataOf(created, 201) as { url: string };
  return { viewId, path: new URL(url).pathname };
}

const read = (path: string, query = ''): Promise<ApiResponse> =>
  anybody.get(`${path}/rows${query}`);

async function namesOf(path: string, query = ''): Promise<string[]> {
  const { data } = (await read(path, query)).body;
  return (data as { name: string }[]).map(({ name }) => name);
}

/** Reads all pages and returns the responses. */
async function pagesOf(path: string, limit: number): Promise<Json[]> {
  const pages: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await read(path, `?limit=${String(limit)}&cursor=${cursor}`);
    expect(status).toBe(200);
    pages.push(body);
    ({ nextCursor: cursor } = body.meta);
  }
  return pages;
}

/** Expects that a response has nothing of a hidden column, in its text, headers or encoded values. */
function expectClean({ text, headers }: ApiResponse): void {
  const parts = text.match(/[\w-]{8,}/g) ?? [];
  const decoded = parts.map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  const everything = [text, ...decoded, ...[...headers].flat()].join('\n');
  const numbers = String(NUMBER).slice(0, -2);
  expect(everything).not.toMatch(new RegExp(`${CANARY}|${numbers}\\d\\d`, 'i'));
}

describe('the rows of a public link', () => {
  it('have the visible columns in the order of the view, and nothing else', async () => {
    const columns = [{ key: 'amount', width: 90 }, { key: 'name' }, ...HIDDEN];
    const { path } = await share({ name: 'Prices', columns });
    const response = await read(path, '?limit=2');
    expect(response.body).toEqual({
      data: [
        { name: 'Row 0', amount: '0.50' },
        { name: 'Row 1', amount: '1.50' },
      ],
      meta: {
        name: 'Prices',
        columns: [
          { key: 'amount', title: 'amount', type: 'decimal', width: 90 },
          { key: 'name', title: 'Name', type: 'text' },
        ],
        pageSize: 2,
        nextCursor: expect.stringMatching(/^[\w-]+$/),
      },
    });
    expectClean(response);
  });

  it('are those of the filter and the sort order, each once over all pages', async () => {
    const filter = { amount: { $gte: '2' } };
    const { path } = await share({ filter, sort: '-amount', columns: HIDDEN });
    const pages = await pagesOf(path, 2);
    const names = pages.flatMap(({ data }) => data as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['Row 6', 'Row 5', 'Row 4', 'Row 3', 'Row 2']);
    expect(pages.map(({ meta }) => meta.pageSize)).toEqual([2, 2, 1]);
  });

  it('have headers that keep them out of caches, search engines and referrers', async () => {
    const { path } = await share({ columns: HIDDEN });
    const { headers } = await read(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(['filter={"name":"x"}', 'sort=name', 'fields=name', 'q=x', 'view=1', 'page=2'])(
    'cannot be queried with %s',
    async (query) => {
      const { path } = await share({ columns: HIDDEN });
      const [name = ''] = query.split('=');
      const response = await read(path, `?${query}`);
      expectFailure(response, 'invalid_request', [`${name} unknown_parameter`]);
      expectClean(response);
    },
  );

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=a&cursor=b'])(
    'cannot be read with %s',
    async (query) => {
      const { path } = await share({ columns: HIDDEN });
      const response = await read(path, `?${query}`);
      expect([response.status, response.body.error.code]).toEqual([400, 'invalid_request']);
      expectClean(response);
    },
  );

  it('cannot be written, and the link opens no other route', async () => {
    const { path } = await share({ columns: HIDDEN });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await anybody.send(method, `${path}/rows`, { values: { name: 'x' } });
      expect(response.status).toBe(405);
    }
    for (const suffix of ['/rows/1', '/rows/export', '/columns', '/views', '/changes']) {
      expect((await anybody.get(path + suffix)).status).toBe(404);
    }
    const token = path.slice('/shared/'.length);
    for (const key of [token, `mk_${token}`]) {
      expectFailure(await app.api(key).get(`${datagrid}/rows`), 'unauthenticated');
    }
  });
});

describe('a hidden column', () => {
  it.each([
    ['no query', {}],
    ['a sort order', { sort: `-${CANARY}_number` }],
    ['a sort order by an index', { sort: `${CANARY}_key,-${CANARY}_number` }],
    ['a filter', { filter: { [`${CANARY}_key`]: { $contains: CANARY } } }],
    ['a search', { q: CANARY }],
    [
      'all of them',
      { q: CANARY, sort: `${CANARY}_key`, filter: { [`${CANARY}_number`]: { $gte: 1 } } },
    ],
  ])('is in no response to a view with %s', async (_, query) => {
    const { path } = await share({ ...query, columns: HIDDEN });
    let cursor: string | null = '';
    let count = 0;
    while (cursor !== null) {
      const response: ApiResponse = await read(path, `?limit=3&cursor=${cursor}`);
      expectClean(response);
      expect(response.status).toBe(200);
      count += (response.body.data as unknown[]).length;
      cursor = response.body.meta.nextCursor;
    }
    expect(count).toBe(7);
  });

  it('cannot be probed with a cursor of the API or of another link', async () => {
    const view = { sort: `${CANARY}_number`, columns: HIDDEN };
    const { viewId, path } = await share(view);
    const own = (await team.owner.api.get(`${datagrid}/rows?view=${viewId}&limit=2&cursor=`)).body;
    const other = (await read((await share(view)).path, '?limit=2&cursor=')).body;
    for (const cursor of [own.meta.nextCursor, other.meta.nextCursor]) {
      const response = await read(path, `?cursor=${String(cursor)}`);
      expectFailure(response, 'invalid_request', ['cursor invalid_format']);
      expectClean(response);
    }
  });

  it.each([
    [`${CANARY}_key`, { sort: `${CANARY}_key` }],
    [`${CANARY}_number`, { filter: { [`${CANARY}_number`]: { $gt: 1 } } }],
  ])('is in no error if it was removed and the view names it: %s', async (key, query) => {
    const { path } = await share({ ...query, columns: HIDDEN });
    expect((await team.admin.api.delete(`${datagrid}/columns/${key}`)).status).toBe(204);
    const response = await read(path);
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toBe(
      'This view cannot be displayed. Ask the person who shared it.',
    );
    expectClean(response);
  });

  it('disappears with the next request after somebody hides it', async () => {
    const { viewId, path } = await share({ columns: HIDDEN });
    expect((await read(path)).body.data[0]).toEqual({ name: 'Row 0', amount: '0.50' });
    const columns = [...HIDDEN, { key: 'amount', hidden: true }];
    dataOf(await team.editor.api.patch(`${datagrid}/views/${viewId}`, { columns }), 200);
    const { data, meta } = (await read(path)).body;
    expect(data[0]).toEqual({ name: 'Row 0' });
    expect(meta.columns).toEqual([{ key: 'name', title: 'Name', type: 'text' }]);
  });

  it('is not published by an editor who makes it visible, but by an admin who shares again', async () => {
    const { viewId, path } = await share({ columns: HIDDEN });
    dataOf(await team.editor.api.patch(`${datagrid}/views/${viewId}`, { columns: [] }), 200);
    expectClean(await read(path));
    const link = `${datagrid}/views/${viewId}/link`;
    expect(dataOf(await team.admin.api.get(link), 200)).toMatchObject({
      columns: ['name', 'amount'],
    });
    const again = dataOf(await team.admin.api.post(link, {}), 201) as { url: string };
    const { data } = (await read(new URL(again.url).pathname)).body;
    expect(Object.keys(data[0]).sort()).toEqual(COLUMNS.map(({ key }) => key).sort());
  });

  it('is not published if it is added later, also not under the key of a removed column', async () => {
    const { path } = await share({ columns: HIDDEN });
    const { api } = team.admin;
    dataOf(await api.post(`${datagrid}/columns`, { key: 'later', type: 'text' }), 201);
    expect((await api.delete(`${datagrid}/columns/amount`)).status).toBe(204);
    dataOf(await api.post(`${datagrid}/columns`, { key: 'amount', type: 'text' }), 201);
    dataOf(await api.patch(`${datagrid}/rows/1`, { values: { later: 'x', amount: 'new' } }), 200);
    const { data, meta } = (await read(path)).body;
    expect(data[0]).toEqual({ name: 'Row 0' });
    expect(meta.columns).toHaveLength(1);
  });

  it('is published again if it is restored, and stays hidden if the view hides it', async () => {
    const { path } = await share({ columns: HIDDEN });
    const before = (await read(path)).body;
    const hidden = HIDDEN[0]?.key ?? '';
    for (const key of ['amount', hidden]) {
      expect((await team.admin.api.delete(`${datagrid}/columns/${key}`)).status).toBe(204);
    }
    expect((await read(path)).body).not.toEqual(before);
    const trash = `${datagrid}/trash/columns`;
    for (const { id } of dataOf(await team.admin.api.get(trash), 200) as Json[]) {
      dataOf(await team.admin.api.post(`${trash}/restore`, { id }), 200);
    }
    expect((await read(path)).body).toEqual(before);
  });

  it('is all that a view has, so that rows are empty', async () => {
    const columns = COLUMNS.map(({ key }) => ({ key, hidden: true }));
    const { path } = await share({ columns });
    const { data, meta } = (await read(path, '?limit=2')).body;
    expect([data, meta.columns]).toEqual([[{}, {}], []]);
  });
});

it('A cursor of a public link is rejected after the view has got another sort order', async () => {
  const { viewId, path } = await share({ sort: 'name', columns: HIDDEN });
  const { nextCursor } = (await read(path, '?limit=2')).body.meta;
  expect(await namesOf(path, `?limit=2&cursor=${String(nextCursor)}`)).toEqual(['Row 2', 'Row 3']);
  dataOf(await team.editor.api.patch(`${datagrid}/views/${viewId}`, { sort: '-name' }), 200);
  const response = await read(path, `?cursor=${String(nextCursor)}`);
  expectFailure(response, 'invalid_request', ['cursor cursor_mismatch']);
});

it('A page of a public link that is too large says that fewer rows are possible', async () => {
  const text = 'x'.repeat(60_000);
  const rows = Array.from({ length: 20 }, () => ({ values: { name: text } }));
  dataOf(await team.owner.api.post(`${datagrid}/rows`, { rows }), 201);
  const { path } = await share({ filter: { name: text.slice(0, 1) }, columns: HIDDEN });
  expect((await read(path)).body.data).toEqual([]);
  const all = await share({ sort: '-_id', columns: HIDDEN });
  const response = await read(all.path, '?limit=20');
  expectFailure(response, 'invalid_request', ['limit too_large']);
  expect((await read(all.path, '?limit=10')).body.data).toHaveLength(10);
});

it('A page of a public link can have one row of the maximum size', async () => {
  const name = 'x'.repeat(1024 * 1024 - '{"name":""}'.length);
  dataOf(await team.owner.api.post(`${datagrid}/rows`, { values: { name } }), 201);
  const { path } = await share({ sort: '-_id', columns: HIDDEN });
  expectFailure(await read(path, '?limit=2'), 'invalid_request', ['limit too_large']);
  const { data, meta } = (await read(path, '?limit=1')).body;
  expect(data).toEqual([{ name }]);
  const after = `?limit=1&cursor=${String(meta.nextCursor)}`;
  expect((await read(path, after)).body.data).toEqual([{ name: 'Row 6', amount: '6.50' }]);
});
