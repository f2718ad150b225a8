import { QueryPool } from '../../../src/platform/database/query-pool';
import type { Json } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { completed, importCsv } from '../import/sending';

interface Row {
  readonly id: number;
  readonly revision: number;
  readonly updatedAt: string;
}

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  grid = await writtenInEveryWay();
});

afterAll(() => app.close());

/** Creates a datagrid whose rows were written in every way that there is. */
async function writtenInEveryWay(): Promise<string> {
  const { api } = owner;
  const workspace = await newWorkspace(api);
  const targets = await newDatagrid(api, [{ key: 't', type: 'text' }], workspace);
  await api.post(`${targets}/rows`, { rows: [{ values: {} }, { values: {} }] });
  const made = await newDatagrid(
    api,
    [
      { key: 'no', type: 'integer', unique: true },
      { key: 'name', type: 'text' },
      {
        key: 'to',
        type: 'link',
        options: { datagridId: targets.replace('/datagrids/', ''), onDelete: 'clear' },
      },
    ],
    workspace,
  );
  const rows = `${made}/rows`;
  dataOf(await api.patch(made, { history: true }), 200);
  const numbered = (from: number, to: number): { values: Json }[] =>
    Array.from({ length: to - from + 1 }, (_none, at) => ({
      values: { no: from + at, name: `n${from + at}` },
    }));
  await api.post(rows, { rows: numbered(1, 40) });
  // Creations at the same time share an entry of the log with several revisions.
  await Promise.all(numbered(41, 50).map((row) => api.post(rows, row)));
  dataOf(await api.patch(`${rows}/3`, { values: { name: 'x', to: 1 } }), 200);
  dataOf(await api.put(`${rows}/4`, { values: { no: 4, to: 2 } }), 200);
  await api.post(`${rows}/batch`, {
    operations: [
      { op: 'create', values: { no: 60 } },
      { op: 'update', id: 5, values: { name: 'y' } },
      { op: 'delete', id: 6 },
    ],
  });
  await api.post(`${rows}/upsert`, {
    matchOn: ['no'],
    rows: [{ values: { no: 7, name: 'z' } }, { values: { no: 70 } }],
  });
  const upsert = '?mode=upsert&matchOn=no';
  await completed(api, await importCsv(api, made, 'no,name\n8,i\n80,i\n', upsert));
  await completed(api, await importCsv(api, made, 'no\n81\n82\n'));
  await api.post(`${rows}/delete`, { filter: { no: { $in: [9, 10] } } });
  const restored = await api.post(`/datagrids/${made.slice(11)}/trash/rows/restore`, { ids: [9] });
  expect(restored.status).toBeLessThan(300);
  await api.delete(`${targets}/rows/1`);
  await api.patch(`${made}/columns/name`, { type: 'json', convert: true });
  await api.delete(`${made}/columns/name`);
  dataOf(await api.patch(`${rows}/11`, { values: { no: 111 } }), 200);
  return made;
}

async function allRows(): Promise<Row[]> {
  return (await owner.api.get(`${grid}/rows?limit=200`)).body.data as Row[];
}

/** Returns the response to a query, and how its statements found the rows. */
async function found(query: object): Promise<{ ids: number[]; meta: Json; plans: string[] }> {
  const run = jest.spyOn(app.nest.get(QueryPool), 'runForText');
  try {
    const { body } = await owner.api.post(`${grid}/rows/query`, { limit: 200, ...query });
    expect(body.error).toBeUndefined();
    const plans = run.mock.calls.map(([, text]) => (text.includes('changed AS') ? 'log' : 'scan'));
    return { ids: (body.data as Row[]).map(({ id }) => id), meta: body.meta, plans };
  } finally {
    run.mockRestore();
  }
}

const idsOf = (rows: readonly Row[]): number[] => rows.map(({ id }) => id);

describe('the rows that were written since a revision or a time', () => {
  it('are found by the change log alone, whatever wrote them', async () => {
    const rows = await allRows();
    const revision = (await owner.api.get(grid)).body.data.revision as number;
    expect(new Set(rows.map((row) => row.revision)).size).toBeGreaterThan(15);
    for (let since = 0; since <= revision + 1; since += 1) {
      const { ids, meta, plans } = await found({ filter: { _revision: { $gt: since } } });
      const expected = idsOf(rows.filter((row) => row.revision > since));
      expect({ since, ids, total: meta.total, plans }).toEqual({
        since,
        ids: expected,
        total: expected.length,
        plans: ['log'],
      });
    }
    for (const { updatedAt } of rows) {
      const since = rows.filter((row) => row.updatedAt >= updatedAt);
      const query = { filter: { _updatedAt: { $gte: updatedAt } }, sort: '-_updatedAt,_id' };
      const { ids, plans } = await found(query);
      const ordered = since.sort(
        (a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || a.id - b.id,
      );
      expect({ ids, plans }).toEqual({ ids: idsOf(ordered), plans: ['log'] });
      const same = await found({ filter: { _updatedAt: updatedAt, no: { $gte: 5 } } });
      expect(same.plans).toEqual(['log']);
      expect((await found({ filter: { _updatedAt: updatedAt, no: 5 } })).plans).toEqual(['scan']);
      expect(await found({ filter: { _updatedAt: { $gt: updatedAt } } })).toMatchObject({
        ids: idsOf(rows.filter((row) => row.updatedAt > updatedAt)),
        plans: ['log'],
      });
    }
  });

  it.each(['_revision', '_updatedAt'])(
    'are read in the order of %s from a cursor, without the rows before it',
    async (sort) => {
      const { ids: all } = await found({ sort });
      const read: number[] = [];
      const used: string[] = [];
      let cursor: string | null = 'start';
      while (cursor !== null) {
        const { ids, meta, plans } = await found({ sort, cursor, limit: 20 });
        read.push(...ids);
        used.push(...plans);
        cursor = meta.nextCursor as string | null;
      }
      expect(read).toEqual(all);
      expect(used).toEqual(['scan', ...used.slice(1).map(() => 'log')]);
    },
  );

  it.each(['revision', 'updatedAt'] as const)(
    'are the first pages of the latest rows in the order of %s',
    async (attribute) => {
      const rows = await allRows();
      const value = (row: Row): number => Number(new Date(row[attribute]));
      const expected = idsOf([...rows].sort((a, b) => value(b) - value(a) || a.id - b.id));
      const sort = `-_${attribute}`;
      for (const [page, limit] of [
        [1, 1],
        [1, 2],
        [3, 1],
        [2, 4],
        [1, 200],
      ] as const) {
        const part = expected.slice((page - 1) * limit, page * limit);
        expect(await found({ sort, page, limit })).toMatchObject({
          ids: part,
          meta: { total: rows.length },
          plans: ['log'],
        });
      }
      const first = await found({ sort, limit: 3, cursor: 'start', filter: { no: { $gt: 1 } } });
      const others = expected.filter((id) => id !== 1).slice(0, 3);
      expect(first).toMatchObject({ ids: others, plans: ['log'] });
      const counted = await found({ sort, limit: 3, filter: { no: { $gt: 1 } } });
      expect(counted).toMatchObject({ ids: others, plans: ['scan'] });
    },
  );

  it('are found by a scan if the log does not name all of them', async () => {
    const rows = await allRows();
    const id = grid.replace('/datagrids/', '');
    const revisionOf = (id: number): number => rows.find((row) => row.id === id)?.revision ?? NaN;
    const [early, last] = [revisionOf(1), revisionOf(11)];
    const query = (since: number): Promise<unknown> =>
      found({ filter: { _revision: { $gte: since } } });
    const before = (since: number): number[] => idsOf(rows.filter((row) => row.revision >= since));
    const { rows: entries } = await app.sql.query(
      'SELECT DISTINCT revision::int FROM datagrid_changes WHERE datagrid_id = $1 ORDER BY 1',
      [id],
    );
    const middle = (entries as { revision: number }[])[5]?.revision ?? 0;
    // Expired entries, and one that a release without the log has not written.
    for (const removed of [`revision <= ${String(early)}`, `revision = ${String(middle)}`]) {
      const kept = await app.sql.query(
        `DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND ${removed} RETURNING *`,
        [id],
      );
      expect(kept.rowCount).toBeGreaterThan(0);
      expect(await query(early)).toMatchObject({
        ids: before(early),
        plans: ['log', 'scan'],
      });
      expect(await query(last)).toMatchObject({
        ids: before(last),
        plans: ['log'],
      });
      const ordered = idsOf([...rows].sort((a, b) => b.revision - a.revision || a.id - b.id));
      expect(await found({ sort: '-_revision', limit: 1 })).toMatchObject({
        ids: ordered.slice(0, 1),
        plans: ['log'],
      });
      expect(await found({ sort: '-_revision' })).toMatchObject({
        ids: ordered,
        plans: ['log', 'scan'],
      });
      for (const row of kept.rows) {
        const names = Object.keys(row);
        const places = names.map((_none, at) => `$${String(at + 1)}`).join();
        await app.sql.query(
          `INSERT INTO datagrid_changes (${names.join()}) VALUES (${places})`,
          Object.values(row),
        );
      }
    }
  });
});
