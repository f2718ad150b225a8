import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;
let rows: string;

beforeAll(async () => {
  app = await TestApp.start();
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
  describe('204', () => {
    it('takes one row away, without a body', async () => {
      const answer = await team.editor.api.delete(`${rows}/2`);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expectFailure(await team.viewer.api.get(`${rows}/2`), 'not_found');
      expect(await idsOf()).toEqual([1, 3]);
    });

    it('never gives its id to another row, not even the last one', async () => {
      for (const id of [1, 2, 3]) await team.editor.api.delete(`${rows}/${String(id)}`);
      expect((await team.viewer.api.get(rows)).body).toEqual({
        data: [],
        meta: { total: 0, page: 1, pageSize: 0, totalPages: 0 },
      });
      expect(dataOf(await team.editor.api.post(rows, { values: {} }), 201).id).toBe(4);
    });

    it('is given to one of several concurrent calls', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => team.editor.api.delete(`${rows}/1`)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([204, 404, 404, 404, 404, 404]);
      expect((await team.viewer.api.get(datagrid)).body.data.rowCount).toBe(2);
    });
  });

  it('400: takes no parameters', async () => {
    const answer = await team.editor.api.delete(`${rows}/1?force=true`);
    expectFailure(answer, 'invalid_request', ['force unknown_parameter']);
    expect(await idsOf()).toEqual([1, 2, 3]);
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().delete(`${rows}/1`), 'unauthenticated');
  });

  it('403: is not for viewers', async () => {
    expectFailure(await team.viewer.api.delete(`${rows}/1`), 'forbidden');
    expect(await idsOf()).toEqual([1, 2, 3]);
  });

  it('404: finds nothing, and nothing twice', async () => {
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
