import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

/** Creates a datagrid with two rows and returns the path of its rows. */
async function newRows(): Promise<string> {
  const path = `${await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
  await team.owner.api.post(path, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
  return path;
}

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  rows = await newRows();
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}/rows/{rowId}', () => {
  it.each(['owner', 'admin', 'editor', 'viewer'] as const)(
    'returns the row to the role %s',
    async (role) => {
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
    },
  );

  it('returns 304 until this row changes, even if another row changes', async () => {
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

  it('returns 404 and not 304 for a missing row', async () => {
    const response = await team.viewer.api.get(`${rows}/77`, { 'if-none-match': '*' });
    expectFailure(response, 'not_found');
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.viewer.api.get(`${rows}/1?fields=n`);
    expectFailure(response, 'invalid_request', ['fields unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
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
  ])('returns 404 for the row %s', async (id) => {
    expectFailure(await team.owner.api.get(`${rows}/${id}`), 'not_found');
  });

  it('returns 404 if the datagrid does not exist', async () => {
    expectFailure(await team.owner.api.get(`/datagrids/${NO_ID}/rows/1`), 'not_found');
  });
});
