import { LARGE_ROWS_PAGE } from '../../../src/rows/row.repository';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

/** Lengths of texts in bytes: stored in the row, compressed, stored out of line, and stored out of line compressed. */
const LENGTHS = [10, 3_000, 200_000, 20, 5_000, 1_000_000, 30];

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.alone('It reads plans, which depend on the statistics of whole tables.');
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Creates rows of all sizes and deletes one of them. */
async function newRows(): Promise<string> {
  const grid = await newDatagrid(owner.api, [
    { key: 'n', type: 'integer', indexed: true },
    { key: 'text', type: 'text' },
    { key: 'other', type: 'text' },
  ]);
  for (const [n, length] of [...LENGTHS, ...LENGTHS].entries()) {
    const values = { n, text: 'ä"'.repeat(length / 4), other: `Row ${String(n)}` };
    dataOf(await owner.api.post(`${grid}/rows`, { values }), 201);
  }
  expect((await owner.api.delete(`${grid}/rows/4`)).status).toBe(204);
  return grid;
}

interface Row {
  readonly values: { readonly n: number };
}

async function rowsOneByOne(grid: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let id = 1; id <= 2 * LENGTHS.length; id += 1) {
    const { status, body } = await owner.api.get(`${grid}/rows/${String(id)}`);
    if (status === 200) rows.push(body.data as Row);
  }
  return rows;
}

describe.each(['with all of its columns', 'after a column was deleted'])(
  'a datagrid with rows of all sizes, %s',
  (state) => {
    it('returns the same rows by page as one by one', async () => {
      const grid = await newRows();
      if (state !== 'with all of its columns') {
        expect((await owner.api.delete(`${grid}/columns/other`)).status).toBe(204);
      }
      const rows = await rowsOneByOne(grid);
      expect(rows).toHaveLength(13);
      // The first request formats rows together. Later ones format them one by one, because some are large.
      for (const query of ['limit=20', 'limit=20', 'sort=n&limit=20', 'cursor=&limit=20']) {
        expect(dataOf(await owner.api.get(`${grid}/rows?${query}`), 200)).toEqual(rows);
      }
      const second = await owner.api.get(`${grid}/rows?limit=5&page=2`);
      expect(second.body.data).toEqual(rows.slice(5, 10));
      expect(second.body.meta.total).toBe(13);
      expect(dataOf(await owner.api.get(`${grid}/rows?limit=5&page=9`), 200)).toEqual([]);
      const named = await owner.api.get(`${grid}/rows?fields=n&limit=20`);
      expect(named.body.data).toEqual(
        rows.map(({ values: { n }, ...row }) => ({ ...row, values: { n } })),
      );
    });
  },
);

it('reads no more large rows than fit into a page', async () => {
  const grid = await newDatagrid(owner.api, [{ key: 'text', type: 'text' }]);
  const values = { text: 'a'.repeat(1_000_000) };
  for (let row = 0; row < 40; row += 1) {
    dataOf(await owner.api.post(`${grid}/rows`, { values }), 201);
  }
  expectFailure(await owner.api.get(`${grid}/rows?limit=40`), 'invalid_request', [
    'limit too_large',
  ]);
  expect(dataOf(await owner.api.get(`${grid}/rows?limit=30`), 200)).toHaveLength(30);
  const id = grid.slice('/datagrids/'.length);
  const { rows } = await app.sql.query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${LARGE_ROWS_PAGE}`,
    [id, owner.accountId, 0, 40, 10_000_000],
  );
  // The initial row, the ten that fit, and the first that does not.
  expect(JSON.stringify(rows[0]?.['QUERY PLAN'])).toMatch(
    /"Node Type":"Recursive Union"[^{}]*"Actual Rows":1[01](\.0+)?,/,
  );
});
