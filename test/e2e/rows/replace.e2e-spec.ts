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

describe('PUT /datagrids/{datagridId}/rows/{rowId}', () => {
  describe('200', () => {
    it('leaves nothing of the values before', async () => {
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

    it('gives the same again for the same again, but for the revision', async () => {
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
  });

  describe('400', () => {
    it.each<[string, unknown, string]>([
      ['a required column missing', { values: { a: 'x' } }, 'values.must required'],
      ['a required column null', { values: { must: null } }, 'values.must required'],
      ['a bad value', { values: { must: 1, a: 1 } }, 'values.a wrong_type'],
      ['an unknown column', { values: { must: 1, c: 1 } }, 'values.c unknown_column'],
      ['no values', {}, 'values required'],
      ['the whole row', { id: 1, values: { must: 1 } }, 'id unknown_property'],
    ])('refuses %s and changes nothing', async (_, body, detail) => {
      const row = await newRow({ a: 'x' });
      const before = (await team.viewer.api.get(row)).body;
      expectFailure(await team.editor.api.put(row, body), 'invalid_request', [detail]);
      expect((await team.viewer.api.get(row)).body).toEqual(before);
    });
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().put(`${rows}/1`, { values: {} }), 'unauthenticated');
  });

  it('403: is not for viewers', async () => {
    expectFailure(await team.viewer.api.put(`${rows}/1`, { values: {} }), 'forbidden');
  });

  it('404: finds nothing, and makes nothing', async () => {
    const { total } = (await team.viewer.api.get(rows)).body.meta;
    for (const path of [`${rows}/0`, `${rows}/9999`, `${rows}/x`, `/datagrids/${NO_ID}/rows/1`]) {
      expectFailure(await team.owner.api.put(path, { values: { must: 1 } }), 'not_found');
    }
    expect((await team.viewer.api.get(rows)).body.meta.total).toBe(total);
  });

  it('409: does not take the unique value of another row', async () => {
    await newRow({ u: 'taken' });
    const row = await newRow({ u: 'mine' });
    const answer = await team.editor.api.put(row, { values: { must: 1, u: 'taken' } });
    expectFailure(answer, 'conflict', ['values.u duplicate']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, u: 'mine' });
  });

  it('413: refuses a row larger than 1 MB, and changes nothing', async () => {
    const row = await newRow({ a: 'x' });
    const values = { must: 1, a: 'x'.repeat(1024 * 1024) };
    const answer = await team.editor.api.put(row, { values });
    expectFailure(answer, 'payload_too_large', ['values too_large']);
    expect((await team.viewer.api.get(row)).body.data.values).toEqual({ must: 1, a: 'x' });
  });
});
