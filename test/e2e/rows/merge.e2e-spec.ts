import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

const columns = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'text' },
  { key: 'j', type: 'json' },
  { key: 'must', type: 'integer', required: true },
  { key: 'u', type: 'text', unique: true },
];

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, columns)}/rows`;
});

afterAll(() => app.close());

/** A new row's path. */
async function newRow(values: object): Promise<string> {
  const { id } = dataOf(await team.editor.api.post(rows, { values: { must: 1, ...values } }), 201);
  return `${rows}/${id}`;
}

describe('PATCH /datagrids/{datagridId}/rows/{rowId}', () => {
  describe('200', () => {
    it('changes what is sent, keeps the rest and clears what is null', async () => {
      const row = await newRow({ a: 'x', b: 'y' });
      const before = (await team.viewer.api.get(row)).body.data;
      const after = dataOf(await team.editor.api.patch(row, { values: { a: 'z', b: null } }), 200);
      expect(after).toEqual({
        ...before,
        values: { must: 1, a: 'z' },
        revision: Number(before.revision) + 1,
        updatedAt: expect.any(String),
      });
      expect(after.updatedAt >= before.updatedAt).toBe(true);
      expect((await team.viewer.api.get(row)).body.data).toEqual(after);
    });

    it('replaces a json value as a whole', async () => {
      const row = await newRow({ j: { a: 1, b: 2 } });
      const { values } = dataOf(
        await team.editor.api.patch(row, { values: { j: { c: null } } }),
        200,
      );
      expect(values.j).toEqual({ c: null });
    });

    it('takes no values for no change', async () => {
      const row = await newRow({ a: 'x' });
      const { values } = dataOf(await team.editor.api.patch(row, { values: {} }), 200);
      expect(values).toEqual({ must: 1, a: 'x' });
    });

    it('goes on with a row of just 1 MB, as it was created', async () => {
      const a = 'x'.repeat(1024 * 1024 - '{"must":1,"a":"","b":""}'.length);
      const row = await newRow({ a, b: '' });
      dataOf(await team.editor.api.patch(row, { values: { b: null } }), 200);
      dataOf(await team.editor.api.patch(row, { values: { b: '' } }), 200);
      const answer = await team.editor.api.patch(row, { values: { b: 'y' } });
      expectFailure(answer, 'payload_too_large', ['values too_large']);
    });

    it('loses nothing of concurrent calls', async () => {
      const row = await newRow({});
      const changes = [{ a: '1' }, { b: '2' }, { j: [3] }, { must: 4 }, { u: 'five' }];
      const answers = await Promise.all(
        changes.map((values) => team.editor.api.patch(row, { values })),
      );
      const revisions = answers.map((answer) => Number(dataOf(answer, 200).revision));
      const { values, revision } = (await team.viewer.api.get(row)).body.data;
      expect(values).toEqual({ a: '1', b: '2', j: [3], must: 4, u: 'five' });
      expect(new Set(revisions).size).toBe(5);
      expect(revision).toBe(Math.max(...revisions));
    });
  });

  describe('400', () => {
    it.each<[string, unknown, string]>([
      ['a bad value', { values: { a: 1 } }, 'values.a wrong_type'],
      ['an unknown column', { values: { c: 1 } }, 'values.c unknown_column'],
      ['null in a required column', { values: { must: null } }, 'values.must required'],
      ['no values', {}, 'values required'],
      ['values without the object around', { a: 'x' }, 'a unknown_property'],
      ['many rows', { rows: [{ values: {} }] }, 'rows unknown_property'],
      ['a list', [{ op: 'add' }], 'body wrong_type'],
    ])('refuses %s and changes nothing', async (_, body, detail) => {
      const row = await newRow({ a: 'x' });
      const before = (await team.viewer.api.get(row)).body;
      expectFailure(await team.editor.api.patch(row, body), 'invalid_request', [detail]);
      expect((await team.viewer.api.get(row)).body).toEqual(before);
    });
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().patch(`${rows}/1`, { values: {} }), 'unauthenticated');
  });

  it('403: is not for viewers', async () => {
    expectFailure(await team.viewer.api.patch(`${rows}/1`, { values: {} }), 'forbidden');
  });

  it('404: finds nothing', async () => {
    for (const path of [`${rows}/0`, `${rows}/9999`, `${rows}/x`, `/datagrids/${NO_ID}/rows/1`]) {
      expectFailure(await team.owner.api.patch(path, { values: {} }), 'not_found');
    }
  });

  it('409: does not take the unique value of another row', async () => {
    await newRow({ u: 'taken' });
    const row = await newRow({ u: 'mine', a: 'x' });
    const before = (await team.viewer.api.get(row)).body;
    const answer = await team.editor.api.patch(row, { values: { a: 'y', u: 'taken' } });
    expectFailure(answer, 'conflict', ['values.u duplicate']);
    expect((await team.viewer.api.get(row)).body).toEqual(before);
  });

  it('413: refuses what would make the row larger than 1 MB, and changes nothing', async () => {
    const half = 'x'.repeat(600_000);
    const row = await newRow({ a: half });
    const answer = await team.editor.api.patch(row, { values: { b: half } });
    expectFailure(answer, 'payload_too_large', ['values too_large']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, a: half });
    dataOf(await team.editor.api.patch(row, { values: { a: null, b: half } }), 200);
  });

  it('200: does not count what a removed column has left', async () => {
    const half = 'x'.repeat(600_000);
    const two = ['gone', 'b'].map((key) => ({ key, type: 'text' }));
    const datagrid = await newDatagrid(team.owner.api, two);
    await team.editor.api.post(`${datagrid}/rows`, { values: { gone: half } });
    expect((await team.owner.api.delete(`${datagrid}/columns/gone`)).status).toBe(204);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { b: half } }), 200);
  });
});
