import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import {
  completed,
  importCsv,
  importNdjson,
  numbered,
  rejections,
  reportOf,
  valuesOf,
} from './sending';

const BATCH_ROWS = 10;

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: String(BATCH_ROWS) });
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  expect(await stagedLines()).toBe(0);
  await app.close();
});

async function stagedLines(): Promise<number> {
  const { rows } = await app.sql.query(
    `SELECT count(*)::int AS count FROM import_lines
    WHERE datagrid_id IN (SELECT datagrid_id FROM imports WHERE account_id = ANY($1))`,
    [app.accountIds],
  );
  return rows[0].count;
}

/** Returns the number of rows of each revision. */
async function rowsOfRevisions(grid: string): Promise<number[]> {
  const { rows } = await app.sql.query(
    'SELECT count(*)::int AS count FROM rows WHERE datagrid_id = $1 GROUP BY revision ORDER BY revision',
    [grid.slice('/datagrids/'.length)],
  );
  return rows.map(({ count }) => count);
}

const N = [{ key: 'n', type: 'integer' }];

describe('an import that fits in one batch', () => {
  it('writes all rows in one revision', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const report = dataOf(await importNdjson(api, grid, numbered(1, BATCH_ROWS)), 201);
    expect(report).toMatchObject({ firstRevision: 1, lastRevision: 1 });
    expect(await rowsOfRevisions(grid)).toEqual([BATCH_ROWS]);
    expect((await api.get(grid)).body.data).toMatchObject({ rowCount: BATCH_ROWS, revision: 1 });
  });

  it('returns 400, writes nothing and names all rejected lines', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const response = await importCsv(api, grid, 'n\n1\na\n3\nb\n5\n');
    expectFailure(response, 'invalid_request', [
      'lines.3.n invalid_format',
      'lines.5.n invalid_format',
    ]);
    const report = await reportOf(api, response);
    expect(report).toMatchObject({ state: 'failed', rowsRead: 5, rejected: 2, created: 0 });
    expect(report).toMatchObject({ committedRows: 0, nextLine: 1 });
    expect(report).toMatchObject({ firstRevision: null, lastRevision: null });
    expect(report.failure).toEqual({
      code: 'invalid_request',
      message: response.body.error.message,
    });
    expect(rejections(report)).toEqual(['3 n invalid_format', '5 n invalid_format']);
    expect((await api.get(grid)).body.data).toMatchObject({ rowCount: 0, revision: 0 });
  });
});

describe('an import of several batches', () => {
  it('raises the revision by one with each batch', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const data = dataOf(await importNdjson(api, grid, numbered(1, 25)), 201);
    expect(data).toMatchObject({ created: 25, committedRows: 25, nextLine: null });
    expect(await rowsOfRevisions(grid)).toEqual([10, 10, 5]);
    const { body } = await api.get(`${grid}/rows?limit=200`);
    expect((body.data as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
  });

  it('returns 400, keeps the batches before the rejected line and names the line to continue from', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const lines = numbered(1, 35).split('\n');
    lines[27] = '{"n":"bad"}';
    const response = await importNdjson(api, grid, lines.join('\n'));
    expectFailure(response, 'invalid_request', ['lines.28.n wrong_type']);
    const report = await reportOf(api, response);
    expect(report.state).toBe('failed');
    // A batch that waited when the line was read is not written.
    expect([10, 20]).toContain(report.committedRows);
    expect(report.nextLine).toBe(Number(report.committedRows) + 1);
    lines[27] = '{"n":28}';
    const rest = lines.slice(report.nextLine - 1).join('\n');
    dataOf(await importNdjson(api, grid, rest), 201);
    const values = await valuesOf(api, grid);
    expect(values.map(({ n }) => n)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  });

  it('skips rejected lines with onError=skip', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const lines = numbered(1, 35)
      .split('\n')
      .map((line, index) => (index % 7 === 6 ? '{}x' : line));
    const data = dataOf(await importNdjson(api, grid, lines.join('\n'), '?onError=skip'), 201);
    expect(data).toMatchObject({ rowsRead: 35, created: 30, rejected: 5, nextLine: null });
    expect(rejections(data)).toEqual(
      [7, 14, 21, 28, 35].map((line) => `${line} line malformed_json`),
    );
    const values = await valuesOf(api, grid);
    expect(values.map(({ n }) => n)).toEqual(
      Array.from({ length: 35 }, (_, index) => index + 1).filter((n) => n % 7 !== 0),
    );
    expect(await rowsOfRevisions(grid)).toEqual([10, 10, 10]);
  });

  it('reports the first 1,000 rejected lines and counts all', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const data = dataOf(await importNdjson(api, grid, '[]\n'.repeat(1_234), '?onError=skip'), 201);
    expect(data).toMatchObject({ rejected: 1_234, created: 0 });
    expect(data.errors).toHaveLength(1_000);
    expect(data.errors[999].line).toBe(1_000);
  });

  it('reports rejected lines in order, whether they were rejected when read or when written', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer', unique: true }]);
    const text = `{"n":1}\n{"n":1}\n${'[]\n'.repeat(1_100)}{"n":2}\n`;
    const data = dataOf(await importNdjson(api, grid, text, '?onError=skip'), 201);
    expect(data).toMatchObject({ rejected: 1_101, created: 2 });
    expect(rejections(data).slice(0, 2)).toEqual(['2 n duplicate', '3 line wrong_type']);
    expect(data.errors).toHaveLength(1_000);
    expect(data.errors[999].line).toBe(1_001);
  });

  it('does not block other writers, and counts all rows and revisions exactly', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const writes: Promise<unknown>[] = [];
    const importing = importNdjson(api, grid, numbered(1, 1_000));
    for (let n = 1; n <= 40; n += 1) {
      writes.push(api.post(`${grid}/rows`, { values: { n: -n } }).then((one) => dataOf(one, 201)));
    }
    await completed(api, await importing);
    await Promise.all(writes);
    const { rowCount, revision } = (await api.get(grid)).body.data;
    expect({ rowCount, revision }).toEqual({ rowCount: 1_040, revision: 140 });
  });

  it('runs concurrently with an import on another instance', async () => {
    const { api, key } = team.owner;
    const other = await TestApp.start({
      database: app.database,
      settings: { IMPORT_BATCH_ROWS: String(BATCH_ROWS) },
    });
    try {
      const grid = await newDatagrid(api, [{ key: 'n', type: 'integer', unique: true }]);
      const responses = await Promise.all([
        importNdjson(api, grid, numbered(1, 200), '?onError=skip'),
        importNdjson(other.api(key), grid, numbered(1, 200), '?onError=skip'),
      ]);
      const [first, second] = await Promise.all(
        responses.map((response) => completed(api, response)),
      );
      expect(Number(first.created) + Number(second.created)).toBe(200);
      expect(Number(first.rejected) + Number(second.rejected)).toBe(200);
    } finally {
      await other.close();
    }
  });
});
