import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  const columns = [
    { key: 'n', type: 'number' },
    { key: 't', type: 'text', indexed: true },
  ];
  path = `${await newDatagrid(team.owner.api, columns)}/rows`;
  const rows = [{ values: { n: -5e-324, t: 'a' } }, { values: { n: -1e308 } }, { values: {} }];
  expect((await team.owner.api.post(path, { rows })).status).toBe(201);
});

afterAll(() => app.close());

const cursorOf = (...parts: readonly string[]): string =>
  parts.map((part) => Buffer.from(part).toString('base64url')).join('.');

describe('the cursor "start"', () => {
  it('begins each list that has a cursor, like an empty one', async () => {
    const { api } = team.owner;
    const datagrid = path.slice(0, -'/rows'.length);
    const workspace = `/workspaces/${dataOf(await api.get(datagrid), 200).workspaceId as string}`;
    const lists = [
      path,
      `${path}?sort=-n`,
      `${path}/1/history`,
      `${datagrid}/trash/rows`,
      `${datagrid}/changes`,
      `${workspace}/changes`,
    ];
    for (const list of lists) {
      const at = (cursor: string): Promise<ApiResponse> =>
        api.get(`${list}${list.includes('?') ? '&' : '?'}cursor=${cursor}&limit=1`);
      const { status, body } = await at('start');
      expect([list, status]).toEqual([list, 200]);
      expect(body).toEqual((await at('')).body);
    }
    const { body } = await api.post(`${path}/query`, { cursor: 'start', limit: 2 });
    expect(body.data).toHaveLength(2);
    const next = await api.get(`${path}?limit=2&cursor=${body.meta.nextCursor as string}`);
    expect(next.body.data).toMatchObject([{ id: 3 }]);
    expect(next.body.meta.nextCursor).toBeNull();
  });
});

describe('a cursor of another datagrid', () => {
  let other: string;

  beforeAll(async () => {
    // The columns have the same ids as those of the first datagrid.
    other = await newDatagrid(team.owner.api, [{ key: 'n', type: 'number' }]);
    const rows = [{ values: { n: 9e307 } }, { values: { n: 0 } }];
    dataOf(await team.owner.api.post(`${other}/rows`, { rows }), 201);
  });

  it.each(['', 'sort=n', 'sort=_id', 'fields=n'])('returns 400: %s', async (query) => {
    const { body } = await team.viewer.api.get(`${path}?${query}&limit=2&cursor=start`);
    const cursor = body.meta.nextCursor as string;
    const next = await team.viewer.api.get(`${path}?${query}&limit=2&cursor=${cursor}`);
    expect(next.body.data).toHaveLength(1);
    const rejected = await team.viewer.api.get(`${other}/rows?${query}&limit=2&cursor=${cursor}`);
    expectFailure(rejected, 'invalid_request', ['cursor cursor_mismatch']);
    expect(rejected.body.error.message).toBe('cursor: was issued for another datagrid');
  });

  it('returns 400 also if it is of a page by number', async () => {
    const { body } = await team.viewer.api.get(`${path}?limit=2`);
    const cursor = body.meta.nextCursor as string;
    const rejected = await team.viewer.api.get(`${other}/rows?cursor=${cursor}`);
    expectFailure(rejected, 'invalid_request', ['cursor cursor_mismatch']);
  });

  it('is told apart by the id, whatever the case in which the path has it', async () => {
    const upper = path.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
    for (const query of ['', 'sort=n&']) {
      const { body } = await team.viewer.api.get(`${upper}?${query}limit=2&cursor=start`);
      const cursor = body.meta.nextCursor as string;
      const next = await team.viewer.api.get(`${path}?${query}limit=2&cursor=${cursor}`);
      expect(next.body.data).toHaveLength(1);
    }
  });

  it('is read without its datagrid, as earlier releases print and read cursors', async () => {
    const { body } = await team.viewer.api.get(`${path}?sort=n&limit=2&cursor=start`);
    const [head = '', value = ''] = (body.meta.nextCursor as string).split('.');
    const earlier = `${head.split('=')[0] ?? ''}.${value}`;
    expect(Buffer.from(head, 'base64url')).toEqual(
      Buffer.from(earlier.split('.')[0] ?? '', 'base64url'),
    );
    const next = await team.viewer.api.get(`${path}?sort=n&limit=2&cursor=${earlier}`);
    expect(next.body.data).toMatchObject([{ id: 3 }]);
  });
});

describe('the cursor of a page by number', () => {
  let grid: string;

  beforeAll(async () => {
    const columns = [
      { key: 'n', type: 'integer' },
      { key: 'i', type: 'integer', indexed: true },
      { key: 't', type: 'text' },
    ];
    grid = await newDatagrid(team.owner.api, columns);
    const rows = Array.from({ length: 25 }, (_, n) => ({ values: { n, i: 25 - n, t: 'a' } }));
    dataOf(await team.owner.api.post(`${grid}/rows`, { rows }), 201);
  });

  /** Reads a list as a program does that sends a cursor only once it has one. */
  async function walk(path: string, query: object = {}): Promise<number[]> {
    const ids: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const parameters = { limit: '4', ...query, ...(cursor !== undefined && { cursor }) };
      const { body } = await team.viewer.api.get(
        `${path}?${new URLSearchParams(parameters as Record<string, string>).toString()}`,
      );
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id));
      cursor = body.meta.nextCursor as string | null;
    }
    return ids;
  }

  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('continues the list to its end, in the order of IDs', async () => {
    expect(await walk(`${grid}/rows`)).toEqual(range(1, 25));
    expect(await walk(`${grid}/rows`, { limit: '25' })).toEqual(range(1, 25));
    expect(await walk(`${grid}/rows`, { page: '3', limit: '25' })).toEqual([]);
    expect(await walk(`${grid}/records`, { fields: 't' })).toEqual(range(1, 25));
    expect(await walk(`${grid}/rows`, { filter: '{"n":{"$gte":9}}' })).toEqual(range(10, 25));
    expect(await walk(`${grid}/rows`, { filter: '{"i":{"$lte":9}}' })).toEqual(range(17, 25));
    expect(await walk(`${grid}/rows`, { q: 'A' })).toEqual(range(1, 25));
    expect(await walk(`${grid}/rows`, { q: 'b' })).toEqual([]);
  });

  it('continues a view, with its filter', async () => {
    const view = await newView(team.owner.api, grid, { filter: { n: { $lt: 10 } } });
    expect(await walk(`${grid}/rows`, { view })).toEqual(range(1, 10));
  });

  it('continues after any page, whose number it does not need', async () => {
    const { body } = await team.viewer.api.post(`${grid}/rows/query`, { page: 3, limit: 5 });
    expect(body.meta).toMatchObject({ page: 3, totalPages: 5 });
    const rest = await team.viewer.api.get(`${grid}/rows?cursor=${body.meta.nextCursor as string}`);
    expect((rest.body.data as { id: number }[]).map(({ id }) => id)).toEqual(range(16, 25));
  });

  it('continues after deletions, large rows and removed columns', async () => {
    const { api } = team.owner;
    const ids = (): number[] => [...range(1, 3), ...range(8, 24)];
    for (const id of [4, 5, 6, 7, 25]) {
      expect((await api.delete(`${grid}/rows/${String(id)}`)).status).toBe(204);
    }
    // The starts of pages are remembered after the first reads.
    for (let time = 0; time < 3; time += 1) expect(await walk(`${grid}/rows`)).toEqual(ids());
    const t = Array.from({ length: 20_000 }, (_, n) => String(n % 977)).join(' ');
    dataOf(await api.patch(`${grid}/rows/2`, { values: { t } }), 200);
    for (let time = 0; time < 2; time += 1) {
      expect(await walk(`${grid}/rows`)).toEqual(ids());
      expect(await walk(`${grid}/rows`, { filter: '{"n":{"$gte":0}}' })).toEqual(ids());
    }
    await api.delete(`${grid}/columns/t`);
    expect(await walk(`${grid}/rows`)).toEqual(ids());
  });

  it('is missing from a sorted list, whose cursors begin with "start"', async () => {
    const { body } = await team.viewer.api.get(`${grid}/rows?sort=-n&limit=2`);
    expect(body.meta).not.toHaveProperty('nextCursor');
  });
});

describe('an invalid cursor', () => {
  it.each([
    ['not base64url', 'n', '%00'],
    ['no head', 'n', 'AAAA'],
    ['another version', 'n', cursorOf('1:1:1', '=1')],
    ['a long head', 'n', cursorOf(`2:${'1,'.repeat(500_000)}:1`, '=1')],
    ['no marker before a value', 'n', cursorOf('2:1:1', '1')],
    ['text for a number', 'n', cursorOf('2:1:1', '=abc')],
    ['NaN for a number', 'n', cursorOf('2:1:1', '=NaN')],
    ['a number too large', 'n', cursorOf('2:1:1', '=1e999999')],
    ['a number of too many digits', 'n', cursorOf('2:1:1', `=${'9'.repeat(200_000)}`)],
    ['NUL in a text', 't', cursorOf('2:2:1', '=a\0')],
    ['a row id that is too large', 'n', cursorOf(`2:1:${String(2 ** 53)}`, '=1')],
    ['row zero', 'n', cursorOf('2:1:0', '=1')],
  ])('returns 400: %s', async (_, sort, cursor) => {
    const decoded = decodeURIComponent(cursor);
    const response = await team.viewer.api.post(`${path}/query`, { sort, cursor: decoded });
    const code = decoded === '\0' ? 'invalid_text' : 'invalid_format';
    expectFailure(response, 'invalid_request', [`cursor ${code}`]);
  });
});

it.each([
  ['another sort order', cursorOf('2:-1:1', '=1')],
  ['too few values', cursorOf('2:1:1')],
  ['millions of values', cursorOf('2:1:1', '=1') + '.'.repeat(3_000_000)],
])('returns 400 for a cursor that was issued for a different sort order: %s', async (_, cursor) => {
  const response = await team.viewer.api.post(`${path}/query`, { sort: 'n', cursor });
  expectFailure(response, 'invalid_request', ['cursor cursor_mismatch']);
});

it.each([
  ['sort', { sort: ','.repeat(5_000_000) }, 'sort too_many'],
  ['fields', { fields: 'n,'.repeat(2_500_000) }, 'fields too_many'],
])('returns 400 for a list of millions of names: %s', async (_, query, detail) => {
  const response = await team.viewer.api.post(`${path}/query`, query);
  expectFailure(response, 'invalid_request', [detail]);
});

describe('a cursor', () => {
  it.each(['n', '-n', 't', '-t', 'n,t'])('returns the next page, sorted by %s', async (sort) => {
    const ids: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ sort, cursor, limit: '1' });
      const { status, body } = await team.viewer.api.get(`${path}?${query.toString()}`);
      expect(status).toBe(200);
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id));
      cursor = body.meta.nextCursor;
    }
    const last = sort.startsWith('n') ? [2, 1, 3] : [1, 2, 3];
    expect(ids).toEqual(last);
  });
});

describe('a cursor over texts that are too long for an index', () => {
  const start = 'ä'.repeat(600);
  const texts = [
    `${start}b`,
    'x',
    `${start}a`,
    undefined,
    start,
    `${start}b`,
    `${start}a`,
    'x',
    start,
  ];
  const inOrder = [2, 8, 5, 9, 3, 7, 1, 6, 4];

  it.each([
    ['t', inOrder],
    ['-t', [1, 6, 3, 7, 5, 9, 2, 8, 4]],
  ])('returns all rows in order, sorted by %s, for pages of any size', async (sort, expected) => {
    const grid = await newDatagrid(team.owner.api, [{ key: 't', type: 'text', indexed: true }]);
    const rows = texts.map((t) => ({ values: t === undefined ? {} : { t } }));
    expect((await team.owner.api.post(`${grid}/rows`, { rows })).status).toBe(201);
    for (let limit = 1; limit <= texts.length; limit += 1) {
      const ids: number[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const body = { sort, cursor, limit };
        const response = await team.viewer.api.post(`${grid}/rows/query`, body);
        ids.push(...(response.body.data as { id: number }[]).map(({ id }) => id));
        cursor = response.body.meta.nextCursor;
      }
      expect(ids).toEqual(expected);
      const pages = Math.ceil(texts.length / limit);
      const byNumber: number[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const asked = `sort=${sort}&limit=${String(limit)}&page=${String(page)}`;
        const { body } = await team.viewer.api.get(`${grid}/rows?${asked}`);
        byNumber.push(...(body.data as { id: number }[]).map(({ id }) => id));
      }
      expect(byNumber).toEqual(expected);
    }
  });
});
