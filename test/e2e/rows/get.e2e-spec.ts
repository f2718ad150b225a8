import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

/** Of a new datagrid with two. */
async function newRows(): Promise<string> {
  const path = `${await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
  await team.owner.api.post(path, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
  return path;
}

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  rows = await newRows();
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}/rows/{rowId}', () => {
  it.each(['owner', 'admin', 'editor', 'viewer'] as const)('200: is for %s', async (role) => {
    const { status, body, headers } = await team[role].api.get(`${rows}/2`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    expect(body.data).toEqual({
      id: 2,
      values: { n: 2 },
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: body.data.createdAt,
    });
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect((await team[role].api.get(rows)).body.data[1]).toEqual(body.data);
  });

  describe('304', () => {
    it('where this row has not changed, whatever others did', async () => {
      const own = await newRows();
      const etag = (await team.viewer.api.get(`${own}/1`)).headers.get('etag') ?? '';
      const conditional = { 'if-none-match': etag };
      dataOf(await team.editor.api.patch(`${own}/2`, { values: { n: 5 } }), 200);
      const same = await team.viewer.api.get(`${own}/1`, conditional);
      expect([same.status, same.text]).toEqual([304, '']);
      dataOf(await team.editor.api.patch(`${own}/1`, { values: { n: 6 } }), 200);
      const changed = await team.viewer.api.get(`${own}/1`, conditional);
      expect(changed.body.data.values).toEqual({ n: 6 });
    });

    it('never for what is not found', async () => {
      const answer = await team.viewer.api.get(`${rows}/77`, { 'if-none-match': '*' });
      expectFailure(answer, 'not_found');
    });
  });

  it('400: takes no parameters', async () => {
    const answer = await team.viewer.api.get(`${rows}/1?fields=n`);
    expectFailure(answer, 'invalid_request', ['fields unknown_parameter']);
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().get(`${rows}/1`), 'unauthenticated');
  });

  it.each([
    '0',
    '3',
    '-1',
    '01',
    '1.0',
    '1e0',
    '+1',
    '%201',
    'x',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775808',
    '99999999999999999999999999',
    NO_ID,
    '%EF%BC%91',
  ])('404: finds no row %s', async (id) => {
    expectFailure(await team.owner.api.get(`${rows}/${id}`), 'not_found');
  });

  it('404: finds no datagrid', async () => {
    expectFailure(await team.owner.api.get(`/datagrids/${NO_ID}/rows/1`), 'not_found');
  });
});
