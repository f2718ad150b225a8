import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const MAX_BYTES = 4_000;
const LARGE = 'x'.repeat(1_000);

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared({ maxUndoBytes: MAX_BYTES });
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, [{ key: 'text', type: 'text' }]);
  dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

async function createLarge(count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => ({ values: { text: LARGE } }));
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
}

const clearAll = (ids: readonly number[]): object => ({
  mode: 'atomic',
  operations: ids.map((id) => ({ op: 'update', id, values: { text: null } })),
});

describe('an undo of large values', () => {
  it.each([
    ['deleted', 'rows/delete', { filter: {} }],
    ['updated', 'rows/batch', clearAll([1, 2, 3, 4, 5])],
  ])(
    'returns 409 and changes nothing if the rows that were %s exceed the maximum size',
    async (_, path, body) => {
      await createLarge(5);
      dataOf(await team.editor.api.post(`${datagrid}/${path}`, body), 200);
      const before = await team.viewer.api.get(`${datagrid}/rows`);
      const rejected = await team.editor.api.post(`${datagrid}/rows/undo`, { revision: 2 });
      expectFailure(rejected, 'conflict');
      expect(rejected.body.error.message).toBe(
        `The values before this write are too large together. At most ${String(MAX_BYTES)} bytes can be undone.`,
      );
      expect((await team.viewer.api.get(`${datagrid}/rows`)).body).toEqual(before.body);
      expect(dataOf(await team.viewer.api.get(datagrid), 200).revision).toBe(2);
    },
  );

  it('is possible up to the maximum size, and for created rows of any size', async () => {
    await createLarge(3);
    dataOf(await team.editor.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
    const undone = await team.editor.api.post(`${datagrid}/rows/undo`, { revision: 2 });
    expect(dataOf(undone, 200)).toMatchObject({ restored: 3 });
    await createLarge(5);
    const created = await team.editor.api.post(`${datagrid}/rows/undo`, { revision: 4 });
    expect(dataOf(created, 200)).toMatchObject({ deleted: 5 });
  });
});
