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
  app = await TestApp.shared();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, columns)}/rows`;
});

afterAll(() => app.close());

/** Creates a row and returns its path. */
async function newRow(values: object): Promise<string> {
  const { id } = dataOf(await team.editor.api.post(rows, { values: { must: 1, ...values } }), 201);
  return `${rows}/${id}`;
}

describe('PATCH /datagrids/{datagridId}/rows/{rowId}', () => {
  it('changes the sent values, leaves the others and clears those that are null', async () => {
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

  it('changes no value if none is sent', async () => {
    const row = await newRow({ a: 'x' });
    const { values } = dataOf(await team.editor.api.patch(row, { values: {} }), 200);
    expect(values).toEqual({ must: 1, a: 'x' });
  });

  it('accepts changes to a row of exactly 1 MB', async () => {
    const a = 'x'.repeat(1024 * 1024 - '{"must":1,"a":"","b":""}'.length);
    const row = await newRow({ a, b: '' });
    dataOf(await team.editor.api.patch(row, { values: { b: null } }), 200);
    dataOf(await team.editor.api.patch(row, { values: { b: '' } }), 200);
    const response = await team.editor.api.patch(row, { values: { b: 'y' } });
    expectFailure(response, 'payload_too_large', ['values too_large']);
  });

  it('applies all concurrent calls', async () => {
    const row = await newRow({});
    const changes = [{ a: '1' }, { b: '2' }, { j: [3] }, { must: 4 }, { u: 'five' }];
    const responses = await Promise.all(
      changes.map((values) => team.editor.api.patch(row, { values })),
    );
    const revisions = responses.map((response) => Number(dataOf(response, 200).revision));
    const { values, revision } = (await team.viewer.api.get(row)).body.data;
    expect(values).toEqual({ a: '1', b: '2', j: [3], must: 4, u: 'five' });
    expect(new Set(revisions).size).toBe(5);
    expect(revision).toBe(Math.max(...revisions));
  });

  it.each<[string, unknown, string]>([
    ['an invalid value', { values: { a: 1 } }, 'values.a wrong_type'],
    ['an unknown column', { values: { c: 1 } }, 'values.c unknown_column'],
    ['null in a required column', { values: { must: null } }, 'values.must required'],
    ['no values', {}, 'values required'],
    ['values outside the values property', { a: 'x' }, 'a unknown_property'],
    ['many rows', { rows: [{ values: {} }] }, 'rows unknown_property'],
    ['a list', [{ op: 'add' }], 'body wrong_type'],
  ])('returns 400 for %s and changes nothing', async (_, body, detail) => {
    const row = await newRow({ a: 'x' });
    const before = (await team.viewer.api.get(row)).body;
    expectFailure(await team.editor.api.patch(row, body), 'invalid_request', [detail]);
    expect((await team.viewer.api.get(row)).body).toEqual(before);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().patch(`${rows}/1`, { values: {} }), 'unauthenticated');
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(await team.viewer.api.patch(`${rows}/1`, { values: {} }), 'forbidden');
  });

  it('returns 404 for a missing row, an invalid id and a missing datagrid', async () => {
    for (const path of [`${rows}/0`, `${rows}/9999`, `${rows}/x`, `/datagrids/${NO_ID}/rows/1`]) {
      expectFailure(await team.owner.api.patch(path, { values: {} }), 'not_found');
    }
  });

  it('returns 409 for the unique value of another row', async () => {
    await newRow({ u: 'taken' });
    const row = await newRow({ u: 'mine', a: 'x' });
    const before = (await team.viewer.api.get(row)).body;
    const response = await team.editor.api.patch(row, { values: { a: 'y', u: 'taken' } });
    expectFailure(response, 'conflict', ['values.u duplicate']);
    expect((await team.viewer.api.get(row)).body).toEqual(before);
  });

  it('returns 413 if the row would become larger than 1 MB, and changes nothing', async () => {
    const half = 'x'.repeat(600_000);
    const row = await newRow({ a: half });
    const response = await team.editor.api.patch(row, { values: { b: half } });
    expectFailure(response, 'payload_too_large', ['values too_large']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, a: half });
    dataOf(await team.editor.api.patch(row, { values: { a: null, b: half } }), 200);
  });

  it('does not count values of a deleted column', async () => {
    const half = 'x'.repeat(600_000);
    const two = ['gone', 'b'].map((key) => ({ key, type: 'text' }));
    const datagrid = await newDatagrid(team.owner.api, two);
    await team.editor.api.post(`${datagrid}/rows`, { values: { gone: half } });
    expect((await team.owner.api.delete(`${datagrid}/columns/gone`)).status).toBe(204);
    dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { b: half } }), 200);
  });
});
