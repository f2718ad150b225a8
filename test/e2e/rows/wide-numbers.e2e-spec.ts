import type { ApiResponse } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let target: string;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  const { api } = owner;
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'n', type: 'number' },
    { key: 'j', type: 'json' },
    { key: 't', type: 'text' },
  ];
  target = await newDatagrid(api, columns, workspaceId);
  const link = { datagridId: target.slice('/datagrids/'.length) };
  grid = await newDatagrid(
    api,
    [...columns, { key: 'l', type: 'link', options: link }],
    workspaceId,
  );
  dataOf(await api.patch(grid, { history: true }), 200);
  const shown = { key: 'shown', type: 'lookup', options: { link: 'l', column: 'n' } };
  dataOf(await api.post(`${grid}/columns`, shown), 201);
  const values = '{"n":1e22,"j":{"a":[-1e308,1e-7]},"t":"a, 10000000000000000000000, b"}';
  dataOf(await api.post(`${target}/rows`, `{"values":${values}}`), 201);
  const linked = values.replace('{', '{"l":1,');
  for (const _ of [1, 2, 3]) dataOf(await api.post(`${grid}/rows`, `{"values":${linked}}`), 201);
  dataOf(await api.patch(`${grid}/rows/2`, '{"values":{"n":2e22}}'), 200);
  expect((await api.delete(`${grid}/rows/3`)).status).toBe(204);
});

afterAll(() => app.close());

/** Numbers of a text outside of its strings. */
const numbersIn = (text: string): string[] =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.e+-]*/g) ?? [];

describe('a number that JavaScript prints with an exponent', () => {
  const get = (path: string): Promise<ApiResponse> => owner.api.get(path);
  const post = (path: string, body: object): Promise<ApiResponse> => owner.api.post(path, body);
  const lines = { accept: 'application/x-ndjson' };
  const aggregates = ['min', 'max'].map((name) => ({ function: name, column: 'n' }));

  it.each<[string, () => Promise<ApiResponse>]>([
    ['a page', () => get(`${grid}/rows`)],
    ['a page that is read again', () => get(`${grid}/rows`)],
    ['a page with some columns', () => get(`${grid}/rows?fields=n,j`)],
    ['a query', () => post(`${grid}/rows/query`, { filter: { n: { $gt: 1e21 } }, sort: 'n' })],
    ['a page by cursor', () => get(`${grid}/rows?cursor=start`)],
    ['a row', () => get(`${grid}/rows/1`)],
    ['linked rows and lookups', () => get(`${grid}/rows?fields=l,shown&expand=l`)],
    ['an update', () => owner.api.patch(`${grid}/rows/1`, { values: { t: 'x' } })],
    ['the history of a row', () => get(`${grid}/rows/2/history`)],
    ['deleted rows', () => get(`${grid}/trash/rows`)],
    ['changes', () => get(`${grid}/changes`)],
    ['changes as lines', () => owner.api.get(`${grid}/changes`, lines)],
    ['an export', () => get(`${grid}/rows/export`)],
    ['an export of values', () => get(`${grid}/rows/export?shape=values&filter={"n":1e22}`)],
    [
      'aggregates',
      () => post(`${grid}/rows/aggregate`, { aggregates, groupBy: [{ column: 'n' }] }),
    ],
  ])('is printed with one in %s', async (_what, read) => {
    const { status, text } = await read();
    expect(status).toBe(200);
    const numbers = numbersIn(text);
    expect(numbers.some((number) => number === '1e+22' || number === '2e+22')).toBe(true);
    expect(numbers.filter((number) => number.replace(/^-?0?/, '').length > 16)).toEqual([]);
    expect(numbers.filter((number) => number.startsWith('0.0000001'))).toEqual([]);
  });

  it('stays as it is in a text', async () => {
    const { values } = dataOf(await get(`${target}/rows/1`), 200);
    expect(values.t).toBe('a, 10000000000000000000000, b');
    expect(values.j).toEqual({ a: [-1e308, 1e-7] });
  });
});
