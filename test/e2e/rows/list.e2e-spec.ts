import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, RFC3339, type Team } from '../../support/fixture';
import { describePaging } from '../../support/paging-contract';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let whole: string;
let torn: string;

/** Creates a datagrid with ids 1 to 45 and values `n` of 0 to 44, and returns the path of its rows. */
async function fortyFiveRows(): Promise<string> {
  const rows = `${await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
  const sent = Array.from({ length: 45 }, (_, n) => ({ values: { n } }));
  dataOf(await team.owner.api.post(rows, { rows: sent }), 201);
  return rows;
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

async function idsOn(path: string): Promise<number[]> {
  const { body } = await team.viewer.api.get(path);
  return (body.data as { id: number }[]).map(({ id }) => id);
}

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  whole = await fortyFiveRows();
  torn = await fortyFiveRows();
  for (const id of [1, 2, 20, 21, 22, 45]) {
    expect((await team.editor.api.delete(`${torn}/${String(id)}`)).status).toBe(204);
  }
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}/rows', () => {
  it('returns rows with their values, revision and times', async () => {
    const { body, headers } = await team.viewer.api.get(whole);
    expect(body.data[4]).toEqual({
      id: 5,
      values: { n: 4 },
      revision: 1,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: body.data[4].createdAt,
    });
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(await idsOn(whole)).toEqual(range(1, 20));
  });

  it('returns an empty page for a datagrid without rows', async () => {
    const empty = await newDatagrid(team.owner.api, []);
    const { body, headers } = await team.viewer.api.get(`${empty}/rows`);
    const meta = { total: 0, page: 1, pageSize: 0, totalPages: 0, nextCursor: null };
    expect(body).toEqual({ data: [], meta });
    expect(headers.get('link')).toBeNull();
  });

  it('skips deleted rows and fills the pages', async () => {
    expect(await idsOn(`${torn}?limit=10`)).toEqual(range(3, 12));
    expect(await idsOn(`${torn}?limit=10&page=2`)).toEqual([...range(13, 19), ...range(23, 25)]);
    expect(await idsOn(`${torn}?limit=10&page=4`)).toEqual(range(36, 44));
  });

  it('returns the same page while rows are appended', async () => {
    const rows = await fortyFiveRows();
    const before = await idsOn(`${rows}?page=2`);
    dataOf(await team.editor.api.post(rows, { values: { n: 99 } }), 201);
    expect(await idsOn(`${rows}?page=2`)).toEqual(before);
    expect(await idsOn(`${rows}?page=3`)).toEqual(range(41, 46));
  });

  it('returns a changed row at its place', async () => {
    const rows = await fortyFiveRows();
    const changed = dataOf(await team.editor.api.patch(`${rows}/7`, { values: { n: null } }), 200);
    const { body } = await team.viewer.api.get(rows);
    expect(body.data[6]).toEqual(changed);
    expect(body.data[6].values).toEqual({});
  });

  describe('a datagrid without deleted rows', () => {
    describePaging(() => ({ api: team.viewer.api, path: whole, total: 45, hasCursor: true }));
  });

  describe('a datagrid with deleted rows', () => {
    describePaging(() => ({ api: team.viewer.api, path: torn, total: 39, hasCursor: true }));
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get(whole), 'unauthenticated');
  });

  it.each([NO_ID, 'x', '1'])('returns 404 for the datagrid %s', async (id) => {
    expectFailure(await team.owner.api.get(`/datagrids/${id}/rows`), 'not_found');
  });
});
