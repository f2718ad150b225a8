import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

/** Fewer than fit in one page of a table, so that the order on the page is that of the inserts. */
const ROWS = 40;

const COLUMNS = [
  { key: 'name', type: 'text', indexed: true },
  { key: 'n', type: 'integer', indexed: true },
  { key: 'city', type: 'text', indexed: true },
];

/** Values that differ from row to row, in no order. Some rows have no value. */
const ROW_VALUES = Array.from({ length: ROWS }, (_, i) => ({
  ...(i % 9 !== 4 && { name: `Name ${String((i * 7) % 10)}` }),
  n: (i * 17) % ROWS,
  city: `City ${String((i * 11) % ROWS)}`,
}));

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.alone('It reads the order on disk, which other files would change.');
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Returns the entries of both tables, one per line, in the order on disk and in that of the index. */
async function entries(path: string): Promise<{ stored: string[]; sorted: string[] }> {
  const read = async (order: string): Promise<string[]> => {
    const lists = await Promise.all(
      ['text_index_entries', 'number_index_entries'].map((table) =>
        app.sql.query<{ entry: string }>(
          `SELECT (column_id, is_empty, value, row_id)::text AS entry FROM ${table}
           WHERE datagrid_id = $1 ORDER BY ${order}`,
          [path.replace('/datagrids/', '')],
        ),
      ),
    );
    return lists.flatMap(({ rows }) => rows.map(({ entry }) => entry));
  };
  return { stored: await read('ctid'), sorted: await read('column_id, is_empty, value, row_id') };
}

async function expectIndexOrder(path: string): Promise<void> {
  const { stored, sorted } = await entries(path);
  expect(stored).toHaveLength(3 * ROWS);
  expect(stored).toEqual(sorted);
}

describe('the entries of an index', () => {
  it('are stored in the order of the index when rows are imported', async () => {
    const path = await newDatagrid(owner.api, COLUMNS);
    const lines = ROW_VALUES.map((values) => JSON.stringify(values)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await owner.api.post(`${path}/rows/import`, lines, headers)).status).toBe(201);
    await expectIndexOrder(path);
  });

  it('are stored in the order of the index when it is built for existing rows', async () => {
    const path = await newDatagrid(
      owner.api,
      COLUMNS.map((column) => ({ ...column, indexed: false })),
    );
    const rows = ROW_VALUES.map((values) => ({ values }));
    expect((await owner.api.post(`${path}/rows`, { rows })).status).toBe(201);
    for (const { key } of COLUMNS) {
      const changed = await owner.api.patch(`${path}/columns/${key}`, { indexed: true });
      expect(changed.status).toBe(200);
    }
    await app.nest.get(IndexBuildService, { strict: false }).runOnce();
    const complete = 'SELECT FROM datagrid_columns WHERE datagrid_id = $1 AND indexed_to = -1';
    const { rowCount } = await app.sql.query(complete, [path.replace('/datagrids/', '')]);
    expect(rowCount).toBe(COLUMNS.length);
    await expectIndexOrder(path);
  });
});
