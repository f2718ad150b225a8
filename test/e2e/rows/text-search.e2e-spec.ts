import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const MAX_CHARACTERS = 256;
const NEEDLE = '.*[Zürich](\\d)^É';
/** More columns than are read one by one. */
const MANY_COLUMNS = 70;
const LONG_CHARACTERS = 1_040_000;

let app: TestApp;
/** An instance whose time limit every search of long values exceeds. */
let hurried: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  hurried = await TestApp.start({
    database: app.database,
    settings: { QUERY_TIMEOUT_MS: '20' },
  });
  owner = await app.newAccount();
});

afterAll(async () => {
  await hurried.close();
  await app.close();
});

/** Creates a datagrid of columns `a0` …, with rows that alternate between values for `a0` and for the last column. */
async function newRows(columns: number, texts: readonly string[]): Promise<string> {
  const keys = Array.from({ length: columns }, (_, index) => `a${String(index)}`);
  const path = await newDatagrid(
    owner.api,
    keys.map((key) => ({ key, type: 'text' })),
  );
  for (const [index, text] of texts.entries()) {
    const key = index % 2 === 0 ? 'a0' : `a${String(columns - 1)}`;
    dataOf(await owner.api.post(`${path}/rows`, { values: { [key]: text } }), 201);
  }
  return `${path}/rows`;
}

async function idsOf(rows: string, rowQuery: object): Promise<number[]> {
  const data = dataOf(await owner.api.post(`${rows}/query`, rowQuery), 200) as { id: number }[];
  return data.map(({ id }) => id);
}

describe('text search', () => {
  it.each([1, MANY_COLUMNS])(
    'finds text with any characters, ignoring case, in short and long values of %d columns',
    async (columns) => {
      const long = 'x'.repeat(200_000);
      const rows = await newRows(columns, [
        NEEDLE,
        `${long}${NEEDLE.toUpperCase()}${long}`,
        `${long}${NEEDLE.replace('.', '!')}`,
        NEEDLE.replace('É', 'E'),
        `${NEEDLE.toLowerCase()}${long}`,
      ]);
      const needle = NEEDLE.toLowerCase();
      expect(await idsOf(rows, { q: needle, sort: 'a0', fields: 'a0' })).toEqual([1, 5, 2]);
      const first = { a0: { $contains: needle } };
      expect(await idsOf(rows, { filter: first, fields: 'a0' })).toEqual(
        columns === 1 ? [1, 2, 5] : [1, 5],
      );
    },
  );

  it('ends after its time limit, whatever it searches in a row of 1 MB', async () => {
    const rows = await newRows(1, ['a'.repeat(LONG_CHARACTERS)]);
    const needles = Array.from({ length: 20 }, (_, n) =>
      `b${String(n)}`.padEnd(MAX_CHARACTERS, 'a'),
    );
    const filter = { $or: needles.map(($contains) => ({ a0: { $contains } })) };
    const api = hurried.api(owner.key);
    for (const search of [
      (): Promise<ApiResponse> => api.post(`${rows}/query`, { filter }),
      (): Promise<ApiResponse> => api.post(`${rows}/delete`, { filter, dryRun: true }),
      (): Promise<ApiResponse> => api.post(`${rows}/delete`, { filter }),
    ]) {
      expectFailure(await search(), 'query_too_expensive', ['a0 not_indexed']);
    }
  });

  it('reports that no index serves q and which filters help if q times out', async () => {
    const rows = await newRows(2, Array<string>(4).fill('a'.repeat(LONG_CHARACTERS)));
    const api = hurried.api(owner.key);
    const response = await api.get(`${rows}?q=${'b'.repeat(MAX_CHARACTERS)}`);
    expectFailure(response, 'query_too_expensive', ['q not_indexed']);
    expect(response.body.error.message).toBe(
      'The query timed out. No index serves q. Add a filter with $eq, $in, $startsWith or a range on an indexed column.',
    );
  });

  describe('a text search that exceeds a limit', () => {
    const search = (length: number): object => ({ a0: { $contains: '\u{1f600}'.repeat(length) } });
    let rows: string;

    beforeAll(async () => {
      rows = await newRows(1, []);
    });

    it('returns 400 for a text that is too long', async () => {
      const longest = await owner.api.post(`${rows}/query`, {
        filter: search(MAX_CHARACTERS),
        q: 'é'.repeat(MAX_CHARACTERS),
      });
      expect(longest.status).toBe(200);
      const filter = search(MAX_CHARACTERS + 1);
      for (const path of ['query', 'delete']) {
        const response = await owner.api.post(`${rows}/${path}`, { filter });
        expectFailure(response, 'invalid_request', ['filter.a0.$contains out_of_range']);
      }
      const q = 'q'.repeat(MAX_CHARACTERS + 1);
      for (const path of [`${rows}?q=${q}`, `${rows}/export?q=${q}`]) {
        expectFailure(await owner.api.get(path), 'invalid_request', ['q out_of_range']);
      }
    });

    it('returns 400 before the query runs if it is too expensive', async () => {
      const filter = { $or: Array.from({ length: 21 }, () => search(1)) };
      for (const path of ['query', 'delete']) {
        const response = await owner.api.post(`${rows}/${path}`, { filter });
        expectFailure(response, 'query_too_expensive', ['filter too_many']);
      }
      const inUrl = encodeURIComponent(JSON.stringify(filter));
      const response = await owner.api.get(`${rows}/export?filter=${inUrl}`);
      expectFailure(response, 'query_too_expensive', ['filter too_many']);
    });
  });
});
