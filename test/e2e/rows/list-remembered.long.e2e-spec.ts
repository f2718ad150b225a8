import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { SEED, seededRandom, withSeed } from '../../support/seeded-random';
import { TestApp } from '../../support/test-app';

/** The first page caches how the datagrid is read. The cached entry must not be used after a change. */
let app: TestApp;
let team: Team;
let other: Team;

beforeAll(async () => {
  app = await TestApp.alone('It restores whole tables.');
  team = await newTeam(app);
  other = await newTeam(app);
});

afterAll(() => app.close());

interface Row {
  readonly id: number;
  readonly values: Record<string, unknown>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const page = async (datagrid: string): Promise<Row[]> =>
  dataOf(await team.viewer.api.get(`${datagrid}/rows`), 200) as Row[];

describe.each([
  { state: 'that has never lost a row', lost: 0 },
  { state: 'that has lost rows', lost: 2 },
])('a page of a datagrid $state, and whose metadata is cached', ({ lost }) => {
  const [first, second, third] = [lost + 1, lost + 2, lost + 3];

  /** Creates a datagrid of three rows and reads its second page until its start is cached. */
  async function readOften(): Promise<string> {
    const columns = ['n', 'm'].map((key) => ({ key, type: 'integer' }));
    const datagrid = await newDatagrid(team.owner.api, columns);
    const numbers = [...Array<number>(lost).fill(0), 1, 2, 3];
    const rows = numbers.map((n) => ({ values: { n, m: -n } }));
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { rows }), 201);
    for (let id = 1; id <= lost; id += 1) {
      expect((await team.owner.api.delete(`${datagrid}/rows/${String(id)}`)).status).toBe(204);
    }
    for (let time = 0; time < 4; time += 1) {
      expect((await team.viewer.api.get(`${datagrid}/rows?limit=2&page=2`)).body).toMatchObject({
        data: [{ id: third, values: { n: 3, m: -3 } }],
        meta: { total: 3, page: 2, pageSize: 1, totalPages: 2 },
      });
      expect(await page(datagrid)).toHaveLength(3);
    }
    return datagrid;
  }

  it('returns 404 to another account, before and after', async () => {
    const datagrid = await readOften();
    expectFailure(await other.owner.api.get(`${datagrid}/rows`), 'not_found');
    expect(await page(datagrid)).toHaveLength(3);
  });

  it('returns 404 once the datagrid is in the trash, and 200 once it is restored', async () => {
    const datagrid = await readOften();
    expect((await team.owner.api.delete(datagrid)).status).toBe(204);
    expectFailure(await team.viewer.api.get(`${datagrid}/rows`), 'not_found');
    const id = datagrid.split('/').at(-1) ?? '';
    dataOf(await team.owner.api.post(`/trash/${id}/restore`), 200);
    expect(await page(datagrid)).toHaveLength(3);
    await team.owner.api.delete(datagrid);
    expect((await team.owner.api.delete(`/trash/${id}`)).status).toBe(204);
    expectFailure(await team.viewer.api.get(`${datagrid}/rows`), 'not_found');
  });

  it('returns 404 once its workspace is in the trash', async () => {
    const datagrid = await readOften();
    const { workspaceId } = dataOf(await team.owner.api.get(datagrid), 200) as {
      workspaceId: string;
    };
    const workspace = `/workspaces/${workspaceId}?cascade=true`;
    expect((await team.owner.api.delete(workspace)).status).toBe(204);
    expectFailure(await team.viewer.api.get(`${datagrid}/rows`), 'not_found');
  });

  it('has no values of a deleted column', async () => {
    const datagrid = await readOften();
    expect((await team.owner.api.delete(`${datagrid}/columns/m`)).status).toBe(204);
    expect((await page(datagrid)).map(({ values }) => values)).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
  });

  it('skips a deleted row and includes an appended one', async () => {
    const datagrid = await readOften();
    expect((await team.owner.api.delete(`${datagrid}/rows/${String(second)}`)).status).toBe(204);
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { values: { n: 4 } }), 201);
    expect((await page(datagrid)).map(({ id }) => id)).toEqual([first, third, third + 1]);
    const next = await team.viewer.api.get(`${datagrid}/rows?limit=2&page=2`);
    expect(next.body).toMatchObject({ data: [{ id: third + 1 }], meta: { total: 3, pageSize: 1 } });
  });

  it('has the same createdAt and updatedAt as the single row and the export', async () => {
    const datagrid = await readOften();
    const path = `${datagrid}/rows/${String(second)}`;
    dataOf(await team.owner.api.patch(path, { values: { n: 20 } }), 200);
    const [before, changed] = await page(datagrid);
    expect(before?.updatedAt).toBe(before?.createdAt);
    expect(changed?.updatedAt).not.toBe(changed?.createdAt);
    expect(dataOf(await team.viewer.api.get(path), 200)).toEqual(changed);
    const exported = await team.viewer.api.get(`${datagrid}/rows/export?format=ndjson&shape=row`);
    const lines = exported.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Row)).toEqual(await page(datagrid));
  });
});

describe('pages that are read again and again', () => {
  it('are right after a restored backup, if later writes get the revisions of those that were lost', async () => {
    const { api } = team.owner;
    const datagrid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const datagridId = datagrid.split('/').at(-1) ?? '';
    const rows = Array.from({ length: 4 }, (_, n) => ({ values: { n } }));
    dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
    expect((await api.delete(`${datagrid}/rows/3`)).status).toBe(204);
    const tables = ['rows', 'datagrid_counters', 'datagrid_changes', 'row_gaps'];
    for (const table of tables) {
      await app.sql.query(
        `CREATE TABLE backup_of_${table} AS SELECT * FROM ${table} WHERE datagrid_id = '${datagridId}'`,
      );
    }
    expect((await api.delete(`${datagrid}/rows/1`)).status).toBe(204);
    const ids = async (): Promise<number[]> => (await page(datagrid)).map(({ id }) => id);
    for (let time = 0; time < 3; time += 1) expect(await ids()).toEqual([2, 4]);
    for (const table of tables) {
      await app.sql.query(`
        DELETE FROM ${table} WHERE datagrid_id = '${datagridId}';
        INSERT INTO ${table} SELECT * FROM backup_of_${table};
        DROP TABLE backup_of_${table}`);
    }
    dataOf(await api.patch(`${datagrid}/rows/2`, { values: { n: 20 } }), 200);
    expect(await ids()).toEqual([1, 2, 4]);
  });

  it('are the same as the sorted rows, whatever was created, deleted, restored and changed', () =>
    withSeed(async () => {
      const { api } = team.owner;
      const datagrid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
      dataOf(await api.patch(datagrid, { history: true }), 200);
      const rows = Array.from({ length: 30 }, (_, n) => ({ values: { n } }));
      dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
      const ids = async (query: string): Promise<number[]> =>
        (dataOf(await api.get(`${datagrid}/rows?limit=200&${query}`), 200) as Row[]).map(
          ({ id }) => id,
        );
      const below = seededRandom(SEED);
      const deleted: number[] = [];
      for (let step = 0; step < 15; step += 1) {
        const expected = await ids('sort=_id');
        // The second and third reads use what the first has cached, also for the page that follows.
        for (let time = 0; time < 3; time += 1) {
          const numbers = Array.from({ length: Math.ceil(expected.length / 10) }, (_, n) => n + 1);
          // Backwards at first: a page also tells where the next one starts.
          if (time === 0) numbers.reverse();
          const pages = new Map<number, number[]>();
          for (const number of numbers) {
            const { body } = await api.get(`${datagrid}/rows?limit=10&page=${String(number)}`);
            expect(body.meta.total).toBe(expected.length);
            pages.set(
              number,
              (body.data as Row[]).map(({ id }) => id),
            );
          }
          const paged = numbers.sort((a, b) => a - b).flatMap((number) => pages.get(number) ?? []);
          expect({ step, time, paged }).toEqual({ step, time, paged: expected });
        }
        const id = expected[below(expected.length)] ?? 0;
        const kind = below(4);
        if (kind === 0) dataOf(await api.post(`${datagrid}/rows`, { values: { n: step } }), 201);
        if (kind === 1)
          dataOf(await api.patch(`${datagrid}/rows/${String(id)}`, { values: {} }), 200);
        if (kind === 2) {
          expect((await api.delete(`${datagrid}/rows/${String(id)}`)).status).toBe(204);
          deleted.push(id);
        }
        const restored = kind === 3 ? deleted.pop() : undefined;
        if (restored !== undefined) await restore(datagrid, restored);
      }
    }));

  /** Creates a deleted row again, with its id. */
  async function restore(datagrid: string, id: number): Promise<void> {
    const path = `${datagrid}/rows/${String(id)}`;
    const entries = dataOf(await team.owner.api.get(`${path}/history`), 200) as {
      revision: number;
      values?: object | null;
    }[];
    const body = { revision: entries.find(({ values }) => values)?.revision };
    dataOf(await team.owner.api.post(`${path}/restore`, body), 200);
  }
});
