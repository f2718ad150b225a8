import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { LeftoverRepository, type Leftovers } from '../../../src/rows/index/leftover.repository';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const ROWS = 4_500;

let app: TestApp;
let owner: Member;
let path: string;
let id: string;

beforeAll(async () => {
  app = await TestApp.alone('It runs the jobs of indexes itself.');
  // The tests start each cleanup themselves.
  await app.stop(IndexBuildService);
  owner = await app.newAccount();
});

/** Creates an indexed column `n` and a unique column `t`. Row r has r and its text. */
beforeEach(async () => {
  path = await newDatagrid(owner.api, [
    { key: 'n', type: 'integer', indexed: true },
    { key: 't', type: 'text', unique: true },
  ]);
  id = path.replace('/datagrids/', '');
  for (let from = 1; from <= ROWS; from += 900) {
    const rows = Array.from({ length: 900 }, (_, i) => {
      return { values: { n: from + i, t: `t${String(from + i)}` } };
    });
    expect((await owner.api.post(`${path}/rows`, { rows })).status).toBe(201);
  }
});

afterEach(async () => {
  expect(await problemsOf(app)).toEqual([]);
});

afterAll(() => app.close());

/** Runs the maintenance of a newly started replica. */
async function maintenance(): Promise<void> {
  const replica = await TestApp.start({ database: app.database });
  await replica.nest.get(IndexBuildService, { strict: false }).runOnce();
  await replica.close();
}

/** Counts the number entries, text entries and unique claims. */
async function stored(): Promise<number[]> {
  const tables = ['number_index_entries', 'text_index_entries', 'unique_values'];
  const counts = tables.map(async (table) => {
    const sql = `SELECT FROM ${table} WHERE datagrid_id = $1`;
    return (await app.sql.query(sql, [id])).rowCount ?? -1;
  });
  return Promise.all(counts);
}

const change = async (key: string, body: object): Promise<object> =>
  dataOf(await owner.api.patch(`${path}/columns/${key}`, body), 200);

const find = async (query: string): Promise<[number, number[]]> => {
  const { data, meta } = (await owner.api.get(`${path}/rows?${query}`)).body;
  return [meta.total, (data as { id: number }[]).map((row) => row.id)];
};

const patch = async (row: number, values: object): Promise<void> => {
  expect((await owner.api.patch(`${path}/rows/${String(row)}`, { values })).status).toBe(200);
};

describe('a dropped index', () => {
  it('has its entries deleted in steps and is not read in the meantime', async () => {
    expect(await change('n', { indexed: false })).not.toHaveProperty('indexing');
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    await patch(7, { n: -1 });
    await owner.api.delete(`${path}/rows/9`);
    expect(await find('filter={"n":7}')).toEqual([0, []]);
    expect(await find('filter={"n":{"$lt":0}}')).toEqual([1, [7]]);
    expect(await find('sort=n&limit=3')).toEqual([ROWS - 1, [7, 1, 2]]);
    expect(await problemsOf(app)).toEqual([]);
    await maintenance();
    expect(await stored()).toEqual([0, ROWS - 1, ROWS - 1]);
  });

  it('is correct if the column is indexed again before the cleanup has finished', async () => {
    await change('n', { indexed: false });
    await patch(7, { n: 10_000 });
    expect(await change('n', { indexed: true })).toMatchObject({ indexing: { progress: 0 } });
    await patch(8, { n: 10_001 });
    await owner.api.delete(`${path}/rows/9`);
    const expected = [2, [8, 7]];
    expect(await find('filter={"n":{"$gte":10000}}&sort=-n')).toEqual(expected);
    expect(await problemsOf(app)).toEqual([]);
    await maintenance();
    expect(dataOf(await owner.api.get(`${path}/columns/n`), 200)).not.toHaveProperty('indexing');
    expect(await stored()).toEqual([ROWS - 1, ROWS - 1, ROWS - 1]);
    expect(await find('filter={"n":{"$gte":10000}}&sort=-n')).toEqual(expected);
    expect(await find('filter={"n":{"$in":[7,8,9]}}')).toEqual([0, []]);
  });

  it('is built again in another table if the new type compares differently', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'd', type: 'decimal', indexed: true }]);
    const rows = ['10', '9', '-1'].map((d) => ({ values: { d } }));
    await owner.api.post(`${grid}/rows`, { rows });
    const sorted = async (): Promise<unknown> => {
      const { data } = (await owner.api.get(`${grid}/rows?sort=d`)).body;
      return (data as { id: number }[]).map((row) => row.id);
    };
    expect(await sorted()).toEqual([3, 2, 1]);
    const changed = await owner.api.patch(`${grid}/columns/d`, { type: 'text' });
    expect(dataOf(changed, 200)).toMatchObject({ indexing: { progress: 0 } });
    expect(await sorted()).toEqual([3, 1, 2]);
    expect(await problemsOf(app)).toEqual([]);
    await maintenance();
    expect(await sorted()).toEqual([3, 1, 2]);
    id = grid.replace('/datagrids/', '');
    expect(await stored()).toEqual([0, 3, 0]);
  });

  it('is deleted with its column and has no entries for a new column with the same key', async () => {
    expect((await owner.api.delete(`${path}/columns/t`)).status).toBe(204);
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    const column = { key: 't', type: 'text', unique: true };
    expect((await owner.api.post(`${path}/columns`, column)).status).toBe(201);
    await patch(3, { t: 't4' });
    await maintenance();
    expect(await stored()).toEqual([ROWS, ROWS, 1]);
    expect(await find('filter={"t":"t4"}')).toEqual([1, [3]]);
  });

  it('leaves no entries if there was never a row', async () => {
    const empty = await newDatagrid(owner.api, [{ key: 'n', type: 'integer', indexed: true }]);
    await owner.api.patch(`${empty}/columns/n`, { indexed: false });
    const marked = await owner.api.patch(`${empty}/columns/n`, { indexed: true });
    expect(dataOf(marked, 200)).not.toHaveProperty('indexing');
    expect(await app.nest.get(LeftoverRepository, { strict: false }).list()).toEqual([]);
  });
});

describe('a column that is no longer unique', () => {
  it('accepts duplicate values at once and has its claims deleted later', async () => {
    await change('t', { unique: false });
    await patch(2, { t: 't1' });
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    await maintenance();
    expect(await stored()).toEqual([ROWS, 0, 0]);
  });

  it('is correct if it becomes unique again before the cleanup has finished', async () => {
    await change('t', { unique: false });
    await patch(2, { t: 'other' });
    await patch(3, { t: 't2' });
    await change('t', { unique: true });
    expect((await stored())[2]).toBe(ROWS);
    await maintenance();
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    const taken = await owner.api.patch(`${path}/rows/4`, { values: { t: 't2' } });
    expectFailure(taken, 'conflict', ['values.t duplicate']);
    await patch(4, { t: 't3' });
  });
});

describe('cleanup of column leftovers', () => {
  const leftovers = (): LeftoverRepository => app.nest.get(LeftoverRepository, { strict: false });

  async function only(): Promise<Leftovers> {
    const all = await leftovers().list();
    const [left, ...others] = all.filter(({ datagridId }) => datagridId === id);
    if (!left || others.length > 0) throw new Error('Expected exactly one leftover.');
    return left;
  }

  it('deletes at most the given number of rows at a time', async () => {
    await change('n', { indexed: false });
    const left = await only();
    const [, numbers] = leftovers().tablesOf(left);
    if (!numbers) throw new Error('There is no table of numbers.');
    const { isLocked, next } = await leftovers().clear(left, numbers, numbers.start, 2_000);
    expect([isLocked, await stored()]).toEqual([true, [ROWS - 2_000, ROWS, ROWS]]);
    expect(next).toEqual([false, '2000', 2_000]);
    await maintenance();
  });

  it('skips a column that another replica is cleaning up', async () => {
    await change('n', { indexed: false });
    const left = await only();
    const holder = await app.sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM datagrid_columns WHERE datagrid_id = $1 FOR UPDATE', [id]);
    for (const table of leftovers().tablesOf(left)) {
      const step = await leftovers().clear(left, table, table.start, 2_000);
      expect(step).toEqual({ isLocked: false, next: null });
    }
    await holder.query('COMMIT');
    holder.release();
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    await maintenance();
    expect(await stored()).toEqual([0, ROWS, ROWS]);
  });

  it('does not touch a later index if it was already done', async () => {
    await change('n', { indexed: false });
    const before = await only();
    await change('n', { indexed: true });
    await maintenance();
    await change('n', { indexed: false });
    for (const table of leftovers().tablesOf(before)) {
      expect((await leftovers().clear(before, table, table.start, 2_000)).isLocked).toBe(false);
    }
    await leftovers().finish(before);
    expect(await stored()).toEqual([ROWS, ROWS, ROWS]);
    expect(await only()).not.toEqual(before);
    await maintenance();
    expect(await stored()).toEqual([0, ROWS, ROWS]);
  });
});
