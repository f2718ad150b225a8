import { StepSize } from '../../../src/platform/background/step-size';
import { IndexBuildRepository } from '../../../src/rows/index/index-build.repository';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import type { VerifyReport } from '../../../src/verification/problem';
import { NO_ID, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { verifierOf } from '../../support/verify';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.alone('It runs the jobs of indexes itself, and verifies the whole database.');
  // Stops index builds, so that indexes stay incomplete.
  await app.stop(IndexBuildService);
  owner = await app.newAccount();
});

afterAll(() => app.close());

const verify = (repair = false): Promise<VerifyReport> => verifierOf(app).verify(repair);

/** Creates a datagrid of ten rows, sets column `n` (1) to indexed afterwards, and returns the id. */
async function newHalfIndexed(type: string, valueOf: (n: number) => unknown): Promise<string> {
  const path = await newDatagrid(owner.api, [{ key: 'n', type }]);
  const rows = Array.from({ length: 10 }, (_, i) => ({
    values: i === 6 ? {} : { n: valueOf(i + 1) },
  }));
  expect((await owner.api.post(`${path}/rows`, { rows })).status).toBe(201);
  expect((await owner.api.patch(`${path}/columns/n`, { indexed: true })).status).toBe(200);
  return path.replace('/datagrids/', '');
}

const entries = async (table: string, datagridId: string): Promise<unknown[][]> => {
  const sql = `SELECT row_id, is_empty, value FROM ${table} WHERE datagrid_id = $1 ORDER BY row_id`;
  const { rows } = await app.sql.query<Record<string, unknown>>(sql, [datagridId]);
  return rows.map((row) => [Number(row['row_id']), row['is_empty'], row['value']]);
};

describe('verify of an index that is being built', () => {
  it('reports no missing entries beyond its progress, and accepts those of concurrent writes', async () => {
    const id = await newHalfIndexed('decimal', (n) => `${String(n)}.50`);
    await owner.api.patch(`/datagrids/${id}/rows/4`, { values: { n: '44.0' } });
    await owner.api.post(`/datagrids/${id}/rows`, { values: {} });
    expect(await entries('number_index_entries', id)).toEqual([
      [4, false, '44.0'],
      [11, true, '0'],
    ]);
    expect(await verify()).toMatchObject({ ok: true, problems: [] });
  });

  it('reports and repairs problems up to its progress, and wrong entries beyond it', async () => {
    const id = await newHalfIndexed('integer', (n) => n);
    await app.sql.query('UPDATE datagrid_columns SET indexed_to = 5 WHERE datagrid_id = $1', [id]);
    await app.sql.query(
      `INSERT INTO number_index_entries VALUES ($1, 1, false, 1, 1), ($1, 1, false, 2, 2),
        ($1, 1, false, 4, 4), ($1, 1, false, 6, 5), ($1, 1, true, 0, 7), ($1, 1, false, 9, 8)`,
      [id],
    );
    const problems = [
      { kind: 'index_missing', figures: { column: 'n', entries: 1, firstRowId: 3 } },
      { kind: 'index_wrong', figures: { column: 'n', entries: 2, firstRowId: 5 } },
    ];
    expect((await verify()).problems).toMatchObject(problems);
    expect(await verify(true)).toMatchObject({ problems, repaired: 2 });
    expect((await verify()).problems).toEqual([]);
    const first = [1, 2, 3, 4, 5].map((n) => [n, false, String(n)]);
    expect(await entries('number_index_entries', id)).toEqual([...first, [7, true, '0']]);

    const size = new StepSize();
    const index = { datagridId: id, columnId: 1 };
    while ((await app.nest.get(IndexBuildRepository).step(index, size)) === 'more');
    expect((await verify()).problems).toEqual([]);
    const sorted = await owner.api.get(`/datagrids/${id}/rows?sort=-n`);
    const ids = (sorted.body.data as { id: number }[]).map((row) => row.id);
    expect(ids).toEqual([10, 9, 8, 6, 5, 4, 3, 2, 1, 7]);
  });
});

describe('verify of entries whose datagrid does not exist', () => {
  it.each([
    ['text_index_entries', "'x'"],
    ['number_index_entries', '1'],
  ])('reports and does not delete those in %s', async (table, value) => {
    await app.sql.query(`INSERT INTO ${table} VALUES ($1, 1, false, ${value}, 1)`, [NO_ID]);
    const orphan = { datagridId: NO_ID, kind: 'orphan', figures: { table }, repaired: false };
    expect((await verify(true)).problems).toMatchObject([orphan]);
    const removed = await app.sql.query(`DELETE FROM ${table} WHERE datagrid_id = $1`, [NO_ID]);
    expect(removed.rowCount).toBe(1);
  });
});
