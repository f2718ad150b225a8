import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

/** The first page caches how the datagrid is read. The cached entry must not be used after a change. */
let app: TestApp;
let team: Team;
let other: Team;

beforeAll(async () => {
  app = await TestApp.start();
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

/** Creates a datagrid of three rows and reads its page twice. */
async function readTwice(): Promise<string> {
  const columns = ['n', 'm'].map((key) => ({ key, type: 'integer' }));
  const datagrid = await newDatagrid(team.owner.api, columns);
  const rows = [1, 2, 3].map((n) => ({ values: { n, m: -n } }));
  dataOf(await team.owner.api.post(`${datagrid}/rows`, { rows }), 201);
  for (let time = 0; time < 2; time += 1) {
    expect((await team.viewer.api.get(`${datagrid}/rows?limit=2&page=2`)).body).toMatchObject({
      data: [{ id: 3, values: { n: 3, m: -3 } }],
      meta: { total: 3, page: 2, pageSize: 1, totalPages: 2 },
    });
  }
  return datagrid;
}

const page = async (datagrid: string): Promise<Row[]> =>
  dataOf(await team.viewer.api.get(`${datagrid}/rows`), 200) as Row[];

describe('a page of a datagrid whose metadata is cached', () => {
  it('returns 404 to another account, before and after', async () => {
    const datagrid = await readTwice();
    expectFailure(await other.owner.api.get(`${datagrid}/rows`), 'not_found');
    expect(await page(datagrid)).toHaveLength(3);
  });

  it('returns 404 once the datagrid is in the trash, and 200 once it is restored', async () => {
    const datagrid = await readTwice();
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
    const datagrid = await readTwice();
    const { workspaceId } = dataOf(await team.owner.api.get(datagrid), 200) as {
      workspaceId: string;
    };
    const workspace = `/workspaces/${workspaceId}?cascade=true`;
    expect((await team.owner.api.delete(workspace)).status).toBe(204);
    expectFailure(await team.viewer.api.get(`${datagrid}/rows`), 'not_found');
  });

  it('has no values of a deleted column', async () => {
    const datagrid = await readTwice();
    expect((await team.owner.api.delete(`${datagrid}/columns/m`)).status).toBe(204);
    expect((await page(datagrid)).map(({ values }) => values)).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
  });

  it('skips a deleted row and includes an appended one', async () => {
    const datagrid = await readTwice();
    expect((await team.owner.api.delete(`${datagrid}/rows/2`)).status).toBe(204);
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { values: { n: 4 } }), 201);
    expect((await page(datagrid)).map(({ id }) => id)).toEqual([1, 3, 4]);
    const second = await team.viewer.api.get(`${datagrid}/rows?limit=2&page=2`);
    expect(second.body).toMatchObject({ data: [{ id: 4 }], meta: { total: 3, pageSize: 1 } });
  });

  it('has the same createdAt and updatedAt as the single row and the export', async () => {
    const datagrid = await readTwice();
    dataOf(await team.owner.api.patch(`${datagrid}/rows/2`, { values: { n: 20 } }), 200);
    const [first, second] = await page(datagrid);
    expect(first?.updatedAt).toBe(first?.createdAt);
    expect(second?.updatedAt).not.toBe(second?.createdAt);
    expect(dataOf(await team.viewer.api.get(`${datagrid}/rows/2`), 200)).toEqual(second);
    const exported = await team.viewer.api.get(`${datagrid}/rows/export?format=ndjson&shape=row`);
    const lines = exported.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Row)).toEqual(await page(datagrid));
  });
});
