import { parse } from 'csv-parse/sync';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { download } from './download';

/** The largest MAX_COLUMNS. PostgreSQL writes a line of CSV from at most 1,664 columns. */
const COLUMNS = 1_600;

let app: TestApp;
let owner: Member;
let grid: string;

const keys = Array.from({ length: COLUMNS }, (_, index) => `c${String(index)}`);
const values = Object.fromEntries(keys.map((key, index) => [key, `v${String(index)}`]));

beforeAll(async () => {
  app = await TestApp.shared({ MAX_COLUMNS: String(COLUMNS) });
  owner = await app.newAccount();
  grid = await newDatagrid(
    owner.api,
    keys.map((key) => ({ key, type: 'text' })),
  );
  dataOf(await owner.api.post(`${grid}/rows`, { values }), 201);
});

afterAll(() => app.close());

describe('an export of the highest number of columns that MAX_COLUMNS allows', () => {
  it.each(['', '&sort=c0,c1,-c2', '&filter=%7B%22c1%22%3A%22v1%22%7D'])(
    'contains every column as CSV (query: %j)',
    async (query) => {
      const got = await download(app, owner, `${grid}/rows/export?format=csv${query}`);
      expect([got.status, got.isWhole, got.trailers['export-status']]).toEqual([
        200,
        true,
        'complete',
      ]);
      expect(parse(got.text)).toEqual([keys, Object.values(values)]);
    },
  );
});
