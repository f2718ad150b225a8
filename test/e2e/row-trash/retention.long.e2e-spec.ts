import { VersionTrimService } from '../../../src/history/version-trim.service';
import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const MAX_ROWS = 20;
const MAX_BYTES = 4_000;

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      QUOTA_ROWS: String(MAX_ROWS),
      MAX_HISTORY_VERSIONS: '10',
      maxUndoBytes: MAX_BYTES,
    },
  });
});

beforeEach(async () => {
  team = await newTeam(app);
  datagrid = await newDatagrid(team.owner.api, [{ key: 'text', type: 'text' }]);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const restore = (ids: readonly number[]): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}/trash/rows/restore`, { ids });
const trim = (): Promise<number> => app.nest.get(VersionTrimService, { strict: false }).runOnce();

const createRows = async (count: number, text = 'x'): Promise<void> => {
  const rows = Array.from({ length: count }, () => ({ values: { text } }));
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
};
const deleteAll = async (): Promise<void> => {
  dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
};

const age = (days: number): Promise<unknown> =>
  app.sql.query(
    `UPDATE row_versions SET replaced_at = now() - make_interval(days => $2)
    WHERE datagrid_id = $1`,
    [datagrid.split('/')[2], days],
  );

async function storedIds(): Promise<number[]> {
  const { rows } = await app.sql.query<{ id: number }>(
    `SELECT row_id::int AS id FROM row_versions WHERE datagrid_id = $1
    ORDER BY replaced_revision, row_id`,
    [datagrid.split('/')[2]],
  );
  return rows.map(({ id }) => id);
}

const trashedIds = async (): Promise<number[]> => {
  const found = dataOf(await team.viewer.api.get(`${datagrid}/trash/rows`), 200);
  return (found as { id: number }[]).map(({ id }) => id);
};

describe('the retention of deleted rows', () => {
  it('ends after TRASH_RETENTION_DAYS: rows cannot be restored, and are purged', async () => {
    await createRows(3);
    await deleteAll();
    await age(6);
    await trim();
    expect(await trashedIds()).toEqual([3, 2, 1]);
    await age(8);
    expect(await trashedIds()).toEqual([]);
    expectFailure(await restore([1]), 'conflict', ['ids.0 conflicting_rows']);
    expect(await storedIds()).toEqual([1, 2, 3]);
    await trim();
    expect(await storedIds()).toEqual([]);
  });

  it('keeps versions of deleted rows for HISTORY_RETENTION_DAYS if history is on', async () => {
    dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
    await createRows(1);
    await deleteAll();
    await age(8);
    await trim();
    expect(await trashedIds()).toEqual([]);
    expect(await storedIds()).toEqual([1]);
    dataOf(await team.editor.api.post(`${datagrid}/rows/1/restore`, { revision: 1 }), 200);
    await age(91);
    await trim();
    expect(await storedIds()).toEqual([]);
  });

  it('deletes the oldest rows of a trash that has more than MAX_HISTORY_VERSIONS', async () => {
    await createRows(8);
    await deleteAll();
    await createRows(7);
    await deleteAll();
    await trim();
    expect(await trashedIds()).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6]);
  });
});

describe('the limits of a restoration of deleted rows', () => {
  it('return 403 if the account would exceed its quota of rows', async () => {
    await createRows(5);
    await deleteAll();
    await createRows(16);
    const rejected = await restore([1, 2, 3, 4, 5]);
    expectFailure(rejected, 'quota_exceeded');
    expect(dataOf(await restore([1, 2, 3, 4]), 200)).toMatchObject({ restored: 4 });
    expectFailure(await restore([5]), 'quota_exceeded');
  });

  it('return 409 if the values exceed the maximum size of an undo, though they are stored compressed', async () => {
    await createRows(5, 'x'.repeat(1_000));
    await deleteAll();
    const rejected = await restore([1, 2, 3, 4, 5]);
    expectFailure(rejected, 'conflict');
    expect(rejected.body.error.message).toBe(
      `The deleted rows are too large together. At most ${String(MAX_BYTES)} bytes can be restored in one request.`,
    );
    dataOf(await restore([1, 2, 3]), 200);
    dataOf(await restore([4, 5]), 200);
  });

  it('allow rows whose values are read in several steps', async () => {
    const large = await TestApp.shared();
    const { api } = await large.newAccount();
    datagrid = await newDatagrid(api, [{ key: 'text', type: 'text' }]);
    // Compressed to a few kilobytes each, but counted with the size that they may have.
    const rows = Array.from({ length: 6 }, () => ({ values: { text: 'x'.repeat(900_000) } }));
    for (const row of rows) dataOf(await api.post(`${datagrid}/rows`, row), 201);
    dataOf(await api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const restored = await api.post(`${datagrid}/trash/rows/restore`, {
      ids: [1, 2, 3, 4, 5, 6],
    });
    expect(dataOf(restored, 200)).toEqual({ restored: 6, revision: 8 });
    expect(dataOf(await api.get(datagrid), 200).rowCount).toBe(6);
    expect(await problemsOf(large)).toEqual([]);
    await large.close();
  });
});
