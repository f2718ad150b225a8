import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('q on a datagrid without a text column', () => {
  let path: string;

  beforeAll(async () => {
    const columns = [
      { key: 'n', type: 'integer', indexed: true },
      { key: 'flag', type: 'boolean' },
    ];
    path = `${await newDatagrid(team.owner.api, columns)}/rows`;
    const rows = [{ values: { n: 1, flag: true } }, { values: { n: 2 } }];
    expect((await team.owner.api.post(path, { rows })).status).toBe(201);
  });

  const sorted = { total: 0, page: 1, pageSize: 0, totalPages: 0 };
  const page = { ...sorted, nextCursor: null };
  const cursorMeta = { pageSize: 0, nextCursor: null };

  it.each([
    ['alone', {}, page],
    ['with fields', { fields: 'flag' }, page],
    ['with a filter', { filter: { flag: true } }, page],
    ['with a filter on an indexed column', { filter: { n: { $gte: 0 } } }, page],
    ['with a sort by an indexed column', { sort: '-n' }, sorted],
    ['with a sort by another column', { sort: 'flag' }, sorted],
    ['with a cursor', { cursor: '' }, cursorMeta],
    ['with a cursor and a sort', { cursor: '', sort: 'n', fields: 'n' }, cursorMeta],
    ['with all of them', { filter: { n: 1 }, sort: '-n,flag', fields: 'n' }, sorted],
  ])('returns no rows %s', async (_, rowQuery, meta) => {
    const { filter, ...others } = rowQuery as { filter?: object };
    const parameters = { q: 'x', ...others, ...(filter && { filter: JSON.stringify(filter) }) };
    const responses = [
      await team.viewer.api.get(`${path}?${new URLSearchParams(parameters).toString()}`),
      await team.viewer.api.post(`${path}/query`, { q: 'x', ...rowQuery }),
    ];
    for (const { status, body } of responses) {
      expect({ status, body }).toEqual({ status: 200, body: { data: [], meta } });
    }
  });

  it('returns no rows from a cursor to the end', async () => {
    const first = await team.viewer.api.get(`${path}?cursor=&limit=1`);
    const cursor = String(first.body.meta.nextCursor);
    const next = await team.viewer.api.get(`${path}?q=x&cursor=${cursor}`);
    expect({ status: next.status, body: next.body }).toEqual({
      status: 200,
      body: { data: [], meta: cursorMeta },
    });
  });
});

describe('q', () => {
  it.each(['%00', 'a%00b'])('returns 400 for the NUL character in %s', async (text) => {
    const path = await newDatagrid(team.owner.api, [{ key: 't', type: 'text' }]);
    const response = await team.viewer.api.get(`${path}/rows?q=${text}`);
    expectFailure(response, 'invalid_request', ['q invalid_text']);
  });
});
