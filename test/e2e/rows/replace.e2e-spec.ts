import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

const columns = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'text' },
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

describe('PUT /datagrids/{datagridId}/rows/{rowId}', () => {
  it('removes all previous values', async () => {
    const row = await newRow({ a: 'x', b: 'y', u: 'once' });
    const before = (await team.viewer.api.get(row)).body.data;
    const sent = { b: 'z', a: null, must: 2 };
    const after = dataOf(await team.editor.api.put(row, { values: sent }), 200);
    expect(after).toEqual({
      ...before,
      values: { b: 'z', must: 2 },
      revision: Number(before.revision) + 1,
      updatedAt: expect.any(String),
    });
    expect((await team.viewer.api.get(row)).body.data).toEqual(after);
  });

  it('returns the same row for the same request, with a higher revision', async () => {
    const row = await newRow({});
    const values = { must: 3, u: 'same' };
    const first = dataOf(await team.editor.api.put(row, { values }), 200);
    const second = dataOf(await team.editor.api.put(row, { values }), 200);
    expect(second).toEqual({
      ...first,
      revision: Number(first.revision) + 1,
      updatedAt: expect.any(String),
    });
  });

  it.each<[string, unknown, string]>([
    ['a missing required column', { values: { a: 'x' } }, 'values.must required'],
    ['null in a required column', { values: { must: null } }, 'values.must required'],
    ['an invalid value', { values: { must: 1, a: 1 } }, 'values.a wrong_type'],
    ['an unknown column', { values: { must: 1, c: 1 } }, 'values.c unknown_column'],
    ['no values', {}, 'values required'],
    ['the whole row', { id: 1, values: { must: 1 } }, 'id unknown_property'],
  ])('returns 400 for %s and changes nothing', async (_, body, detail) => {
    const row = await newRow({ a: 'x' });
    const before = (await team.viewer.api.get(row)).body;
    expectFailure(await team.editor.api.put(row, body), 'invalid_request', [detail]);
    expect((await team.viewer.api.get(row)).body).toEqual(before);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().put(`${rows}/1`, { values: {} }), 'unauthenticated');
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(await team.viewer.api.put(`${rows}/1`, { values: {} }), 'forbidden');
  });

  it('returns 404 for a missing row, an invalid id and a missing datagrid, and creates no row', async () => {
    const { total } = (await team.viewer.api.get(rows)).body.meta;
    for (const path of [`${rows}/0`, `${rows}/9999`, `${rows}/x`, `/datagrids/${NO_ID}/rows/1`]) {
      expectFailure(await team.owner.api.put(path, { values: { must: 1 } }), 'not_found');
    }
    expect((await team.viewer.api.get(rows)).body.meta.total).toBe(total);
  });

  it('returns 409 for the unique value of another row', async () => {
    await newRow({ u: 'taken' });
    const row = await newRow({ u: 'mine' });
    const response = await team.editor.api.put(row, { values: { must: 1, u: 'taken' } });
    expectFailure(response, 'conflict', ['values.u duplicate']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, u: 'mine' });
  });

  it('returns 413 for a row larger than 1 MB, and changes nothing', async () => {
    const row = await newRow({ a: 'x' });
    const values = { must: 1, a: 'x'.repeat(1024 * 1024) };
    const response = await team.editor.api.put(row, { values });
    expectFailure(response, 'payload_too_large', ['values too_large']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, a: 'x' });
  });
});
