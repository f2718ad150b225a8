import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
  rows = `${datagrid}/rows`;
  const three = [1, 2, 3].map((n) => ({ values: { n } }));
  dataOf(await team.owner.api.post(rows, { rows: three }), 201);
});

afterAll(() => app.close());

const idsOf = async (): Promise<number[]> =>
  ((await team.viewer.api.get(rows)).body.data as { id: number }[]).map(({ id }) => id);

describe('DELETE /datagrids/{datagridId}/rows/{rowId}', () => {
  it('deletes one row and returns 204 without a body', async () => {
    const response = await team.editor.api.delete(`${rows}/2`);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectFailure(await team.viewer.api.get(`${rows}/2`), 'not_found');
    expect(await idsOf()).toEqual([1, 3]);
  });

  it('never assigns the id of a deleted row again, not even the last one', async () => {
    for (const id of [1, 2, 3]) await team.editor.api.delete(`${rows}/${String(id)}`);
    expect((await team.viewer.api.get(rows)).body).toEqual({
      data: [],
      meta: { total: 0, page: 1, pageSize: 0, totalPages: 0, nextCursor: null },
    });
    expect(dataOf(await team.editor.api.post(rows, { values: {} }), 201).id).toBe(4);
  });

  it('returns 204 for one of several concurrent calls and 404 for the others', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => team.editor.api.delete(`${rows}/1`)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, 404, 404, 404, 404, 404]);
    expect((await team.viewer.api.get(datagrid)).body.data.rowCount).toBe(2);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.editor.api.delete(`${rows}/1?force=true`);
    expectFailure(response, 'invalid_request', ['force unknown_parameter']);
    expect(await idsOf()).toEqual([1, 2, 3]);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().delete(`${rows}/1`), 'unauthenticated');
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(await team.viewer.api.delete(`${rows}/1`), 'forbidden');
    expect(await idsOf()).toEqual([1, 2, 3]);
  });

  it('returns 404 for a deleted row, an invalid id and a missing datagrid', async () => {
    await team.editor.api.delete(`${rows}/1`);
    for (const path of [`${rows}/1`, `${rows}/0`, `${rows}/x`, `/datagrids/${NO_ID}/rows/1`]) {
      expectFailure(await team.editor.api.delete(path), 'not_found');
    }
    expect((await team.viewer.api.get(datagrid)).body.data).toMatchObject({
      rowCount: 2,
      revision: 2,
    });
  });
});
