import { DatagridSchemaService } from '../../../src/datagrids/schema/datagrid-schema.service';
import { encodeCursor } from '../../../src/rows/query/cursor';
import { queryRequest } from '../../../src/rows/query/query-request';
import { queryPlans } from '../../../src/rows/read/row-plan';
import { querySql } from '../../../src/rows/read/query-page.repository';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const ROWS = 6_000;
/** Several pages of each value. */
const FEW_ROWS = 700;
const LIMIT = 20;

let app: TestApp;
let owner: Member;
let path: string;
/** A datagrid with the same rows, which is newer than the statistics of PostgreSQL. */
let newer: string;
/** A datagrid of FEW_ROWS rows. */
let small: string;

beforeAll(async () => {
  app = await TestApp.alone('It reads plans, which depend on the statistics of whole tables.');
  owner = await app.newAccount();
  path = await newFilledDatagrid();
  small = await newFilledDatagrid(FEW_ROWS);
  await app.sql.query('VACUUM (ANALYZE)');
  newer = await newFilledDatagrid();
});

/** Creates columns with two values, each in half of the rows. */
async function newFilledDatagrid(rows = ROWS): Promise<string> {
  const path = await newDatagrid(owner.api, [
    { key: 'flag', type: 'boolean' },
    { key: 'count', type: 'integer' },
    { key: 'word', type: 'text' },
  ]);
  const id = path.slice('/datagrids/'.length);
  await app.sql.query(
    `INSERT INTO rows SELECT $1, n, jsonb_build_object('flag', n % 2 = 0, 'count', n % 2,
       'word', 'word' || n % 2), 1, now(), now() FROM generate_series(1, $2::int) n`,
    [id, rows],
  );
  await app.sql.query(
    'UPDATE datagrid_counters SET last_row_id = $2, row_count = $2 WHERE datagrid_id = $1',
    [id, rows],
  );
  for (const key of ['flag', 'count', 'word']) {
    await owner.api.patch(`${path}/columns/${key}`, { indexed: true });
  }
  await app.nest.get(IndexBuildService, { strict: false }).runOnce();
  return path;
}

afterAll(() => app.close());

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Counts the rows and entries that a plan has read. */
function rowsRead(plan: Plan): number {
  const each = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === undefined ? 0 : each * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), own);
}

/** Returns the number of rows that the database reads for one page of a keyset scan. */
async function cost(
  sort: string,
  after: [string, number] | null,
  datagrid = path,
): Promise<number> {
  const id = datagrid.slice('/datagrids/'.length);
  const schema = await app.nest.get(DatagridSchemaService).get(owner.accountId, id);
  const paging = { page: 1, limit: LIMIT };
  const asked = {
    paging,
    sort: sort === '' ? undefined : sort,
    filter: undefined,
    fields: undefined,
    q: undefined,
    view: undefined,
  };
  const { sort: keys } = queryRequest(schema, { ...asked, cursor: '' }, null);
  const cursor = after
    ? encodeCursor(id, keys, { values: keys.map(() => after[0]), rowId: after[1] }, null)
    : '';
  const request = queryRequest(schema, { ...asked, cursor }, null);
  const way = queryPlans(request).find((plan) => plan.kind !== 'columnar');
  if (!way) throw new Error('The query has no plan.');
  const { text, values } = querySql(owner.accountId, schema, request, 1_000_000, 'allRows', way);
  const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
  const { rows } = await app.sql.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...values]);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('There is no plan.');
  return rowsRead(plan);
}

it.each<[string, [string, number] | null]>([
  ['_id', null],
  ['-_id', null],
  ['_id', ['3000', 3_000]],
  ['-_id', ['3000', 3_000]],
])('reads no more than a few pages of rows: sort=%s, after %j', async (sort, after) => {
  expect(await cost(sort, after)).toBeLessThan(10 * LIMIT);
});

describe('a page of a datagrid that is newer than the statistics', () => {
  it.each<[string, [string, number] | null]>([
    ['', null],
    ['', ['', ROWS / 2]],
    ['_id', ['3000', ROWS / 2]],
    ['flag', null],
    ['-flag', ['true', ROWS / 2]],
    ['word', ['word0', ROWS / 2]],
  ])('reads no more than a few pages of rows: sort=%j, after %j', async (sort, after) => {
    expect(await cost(sort, after, newer)).toBeLessThan(10 * LIMIT);
  });
});

describe('a page sorted by an indexed column with many equal values', () => {
  it.each<[string, [string, number] | null]>([
    ['flag', null],
    ['-flag', null],
    ['count', null],
    ['-count', null],
    ['word', null],
    ['-word', null],
    ['flag', ['false', ROWS / 2]],
    ['-flag', ['true', ROWS / 2]],
    ['count', ['0', ROWS - 5]],
    ['-count', ['1', ROWS - 5]],
    ['word', ['word0', ROWS / 2]],
    ['-word', ['word1', ROWS - 5]],
  ])('reads no more than a few pages of rows: sort=%s, after %j', async (sort, after) => {
    expect(await cost(sort, after)).toBeLessThan(10 * LIMIT);
  });

  it.each([
    ['flag', 1],
    ['-flag', 0],
    ['count', 0],
    ['-count', 1],
    ['word', 0],
    ['-word', 1],
  ])('is the same by cursor and by page number: sort=%s', async (sort, firstRemainder) => {
    const byNumber: number[] = [];
    for (let page = 1; page <= Math.ceil(FEW_ROWS / 100); page += 1) {
      const { body } = await owner.api.get(`${small}/rows?sort=${sort}&limit=100&page=${page}`);
      byNumber.push(...(body.data as { id: number }[]).map(({ id }) => id));
    }
    const byCursor: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `sort=${sort}&limit=85&cursor=${cursor}`;
      const { body } = await owner.api.get(`${small}/rows?${query}`);
      byCursor.push(...(body.data as { id: number }[]).map(({ id }) => id));
      cursor = body.meta.nextCursor;
    }
    const ids = Array.from({ length: FEW_ROWS }, (_, i) => i + 1);
    const isFirst = (id: number): boolean => id % 2 === firstRemainder;
    const expected = [...ids.filter(isFirst), ...ids.filter((id) => !isFirst(id))];
    expect(byCursor).toEqual(expected);
    expect(byNumber).toEqual(expected);
  });
});
