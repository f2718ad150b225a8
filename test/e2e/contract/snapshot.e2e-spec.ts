import type { ApiClient } from '../../support/api-client';
import { dataOf, freshName, newDatagrid, newTeam, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

/** Each test reads at least so often, and until its writers have changed what it reads. */
const READS = 40;

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

const sequence = (length: number): number[] => Array.from({ length }, (_, n) => n);

/** Repeats `write` in several loops at once until `read` ends. */
async function whileWriting(write: () => Promise<void>, read: () => Promise<void>): Promise<void> {
  let isReading = true;
  const writers = sequence(3).map(async () => {
    while (isReading) await write();
  });
  await read().finally(() => {
    isReading = false;
  });
  await Promise.all(writers);
}

async function newRows(api: ApiClient): Promise<string> {
  return `${await newDatagrid(api, [{ key: 'n', type: 'integer' }])}/rows`;
}

describe('the rows and the total of a page', () => {
  it('agree while rows are appended', async () => {
    const { api } = (await newTeam(app)).owner;
    const rows = await newRows(api);
    const append = async (): Promise<void> => {
      dataOf(await api.post(rows, { rows: [{ values: {} }, { values: {} }, { values: {} }] }), 201);
    };
    let grown = 0;
    await whileWriting(append, async () => {
      let page = 1;
      for (let reads = 0; reads < READS || grown <= 30; reads += 1) {
        const { data, meta } = (await api.get(`${rows}?limit=7&page=${String(page)}`)).body;
        const expected = Math.max(0, Math.min(7, meta.total - (page - 1) * 7));
        expect([data.length, meta.pageSize]).toEqual([expected, expected]);
        expect(meta.total % 3).toBe(0);
        expect(meta.total).toBeGreaterThanOrEqual(grown);
        grown = meta.total;
        page = Math.max(1, meta.totalPages);
      }
    });
    const { rowCount } = dataOf(await api.get(rows.replace('/rows', '')), 200);
    const stored = await app.sql.query(
      'SELECT count(*)::int AS count FROM rows WHERE datagrid_id = $1',
      [rows.split('/')[2]],
    );
    expect(stored.rows).toEqual([{ count: rowCount }]);
  });

  it('agree while rows are deleted and created', async () => {
    const { api } = (await newTeam(app)).owner;
    const rows = await newRows(api);
    await api.post(rows, { rows: sequence(40).map((n) => ({ values: { n } })) });
    const replaceTwo = async (): Promise<void> => {
      const made = dataOf(await api.post(rows, { rows: [{ values: {} }, { values: {} }] }), 201);
      for (const { id } of made) expect((await api.delete(`${rows}/${id}`)).status).toBe(204);
    };
    const totals = new Set<number>();
    await whileWriting(replaceTwo, async () => {
      for (let reads = 0; reads < READS || totals.size < 2; reads += 1) {
        const { data, meta } = (await api.get(`${rows}?limit=200`)).body;
        expect(data).toHaveLength(meta.total);
        totals.add(meta.total);
      }
    });
    expect((await api.get(rows)).body.meta.total).toBe(40);
  });

  it('include every row once over all pages while rows are appended', async () => {
    const { api } = (await newTeam(app)).owner;
    const rows = await newRows(api);
    await api.post(rows, { rows: sequence(100).map((n) => ({ values: { n } })) });
    const append = async (): Promise<void> => {
      dataOf(await api.post(rows, { values: {} }), 201);
    };
    await whileWriting(append, async () => {
      const seen: number[] = [];
      for (let page = 1, totalPages = 1; page <= totalPages && page < 40; page += 1) {
        const { data, meta } = (await api.get(`${rows}?limit=10&page=${String(page)}`)).body;
        seen.push(...(data as { id: number }[]).map(({ id }) => id));
        totalPages = meta.totalPages;
      }
      expect(seen.length).toBeGreaterThanOrEqual(100);
      expect(seen).toEqual(sequence(seen.length).map((n) => n + 1));
    });
  });

  it.each<[string, (api: ApiClient) => Promise<string>, string]>([
    ['workspaces', () => Promise.resolve('/workspaces'), '/workspaces'],
    ['datagrids', async (api) => `/workspaces/${await newWorkspace(api)}/datagrids`, '/datagrids'],
  ])('agree while %s are created and deleted', async (_, listOf, itemsAt) => {
    const { api } = (await newTeam(app)).owner;
    const list = await listOf(api);
    const makeAndDelete = async (): Promise<void> => {
      const { id } = dataOf(await api.post(list, { name: freshName() }), 201);
      expect((await api.delete(`${itemsAt}/${id}`)).status).toBe(204);
    };
    const totals = new Set<number>();
    await whileWriting(makeAndDelete, async () => {
      for (let reads = 0; reads < READS || totals.size < 2; reads += 1) {
        const { data, meta } = (await api.get(`${list}?limit=200`)).body;
        expect(data).toHaveLength(meta.total);
        totals.add(meta.total);
      }
    });
  });
});
