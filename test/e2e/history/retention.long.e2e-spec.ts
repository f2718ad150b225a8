import { PurgeService } from '../../../src/rows/purge/purge.service';
import { VersionTrimService } from '../../../src/history/version-trim.service';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { MAX_HISTORY_VERSIONS: '2500' } });
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
  dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
});

afterAll(() => app.close());

const idOf = (path: string): string => path.split('/')[2] ?? '';
const trim = (): Promise<number> => app.nest.get(VersionTrimService, { strict: false }).runOnce();

async function replacedRevisions(): Promise<number[]> {
  const { rows } = await app.sql.query<{ revision: number }>(
    `SELECT replaced_revision::int AS revision FROM row_versions
    WHERE datagrid_id = $1 ORDER BY replaced_revision, row_id`,
    [idOf(datagrid)],
  );
  return rows.map(({ revision }) => revision);
}

const age = (revision: number, days: number): Promise<unknown> =>
  app.sql.query(
    `UPDATE row_versions SET replaced_at = now() - make_interval(days => $3)
    WHERE datagrid_id = $1 AND replaced_revision <= $2`,
    [idOf(datagrid), revision, days],
  );

const write = async (count: number): Promise<void> => {
  const { api } = team.editor;
  const { id } = dataOf(await api.post(`${datagrid}/rows`, { values: { n: 0 } }), 201);
  for (let n = 1; n <= count; n += 1) {
    dataOf(await api.patch(`${datagrid}/rows/${String(id)}`, { values: { n } }), 200);
  }
};

describe('the retention of earlier versions of rows', () => {
  it('deletes versions that were replaced before HISTORY_RETENTION_DAYS', async () => {
    await write(5);
    await age(3, 91);
    await trim();
    expect(await replacedRevisions()).toEqual([4, 5, 6]);
    await age(6, 89);
    await trim();
    expect(await replacedRevisions()).toEqual([4, 5, 6]);
    const { data } = (await team.viewer.api.get(`${datagrid}/rows/1/history`)).body;
    expect(data).toMatchObject([
      { revision: 6 },
      { revision: 5 },
      { revision: 4 },
      { revision: 3 },
    ]);
    expectFailure(
      await team.editor.api.post(`${datagrid}/rows/1/restore`, { revision: 2 }),
      'not_found',
    );
    expectFailure(await team.editor.api.post(`${datagrid}/rows/undo`, { revision: 2 }), 'conflict');
  });

  it('deletes the oldest versions of a datagrid that has more than MAX_HISTORY_VERSIONS', async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ values: { n } }));
    for (let n = 0; n < 3; n += 1) {
      dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
    }
    dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    await write(10);
    await trim();
    const left = await replacedRevisions();
    expect(left).toHaveLength(2_500);
    expect(left.slice(-11)).toEqual([4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  it('does not outlast the datagrid', async () => {
    await write(3);
    expect((await team.owner.api.delete(datagrid)).status).toBe(204);
    expect((await team.owner.api.delete(`/trash/${idOf(datagrid)}`)).status).toBe(204);
    await app.nest.get(PurgeService, { strict: false }).runOnce();
    expect(await replacedRevisions()).toEqual([]);
  });
});
