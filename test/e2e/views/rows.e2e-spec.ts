import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
];

let app: TestApp;
let team: Team;
let datagrid: string;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  rows = `${datagrid}/rows`;
  const values = [
    { name: 'Ann', amount: '1.10', paid: false },
    { name: 'Bob', amount: '20.00', paid: true },
    { name: 'Cy', amount: '3', paid: false },
    { name: 'Dan', amount: '12.5', paid: false },
    { name: 'Ann B', paid: true },
  ];
  await team.editor.api.post(rows, { rows: values.map((each) => ({ values: each })) });
});

afterAll(() => app.close());

const newViewOf = (body: object): Promise<string> => newView(team.editor.api, datagrid, body);

/** Returns the values of the rows that a query returns, which must succeed. */
async function valuesOf(query: string): Promise<object[]> {
  const { status, body } = await team.viewer.api.get(`${rows}?${query}`);
  expect(status).toBe(200);
  return (body.data as { values: object }[]).map(({ values }) => values);
}

async function namesOf(query: string): Promise<unknown[]> {
  return (await valuesOf(query)).map((values) => (values as { name?: string }).name);
}

describe('rows of a view', () => {
  it('match its filter, in its order, with its visible columns', async () => {
    const view = await newViewOf({
      filter: { paid: false },
      sort: '-amount',
      columns: [{ key: 'amount' }, { key: 'paid', hidden: true }],
    });
    const expected = [
      { amount: '12.5', name: 'Dan' },
      { amount: '3', name: 'Cy' },
      { amount: '1.10', name: 'Ann' },
    ];
    expect(await valuesOf(`view=${view}`)).toEqual(expected);
    const { body } = await team.viewer.api.post(`${rows}/query`, { view, limit: 2 });
    expect(body.meta).toMatchObject({ total: 3 });
    expect(body.data).toHaveLength(2);
  });

  it('are all rows with all values for a view without settings', async () => {
    const view = await newViewOf({});
    const { body } = await team.viewer.api.get(`${rows}?view=${view}`);
    const all = await team.viewer.api.get(rows);
    expect(body).toEqual(all.body);
  });

  it('are narrowed by the filter of the request, and reordered by its sort', async () => {
    const view = await newViewOf({
      ...{ filter: { $or: [{ paid: false }, { amount: { $gt: '15' } }] }, sort: 'name' },
    });
    const filter = JSON.stringify({ $or: [{ name: 'Bob' }, { amount: '3' }, { name: 'Ann B' }] });
    const narrowed = `view=${view}&filter=${encodeURIComponent(filter)}`;
    expect(await namesOf(narrowed)).toEqual(['Bob', 'Cy']);
    expect(await namesOf(`${narrowed}&sort=-name`)).toEqual(['Cy', 'Bob']);
    expect(await namesOf(`view=${view}&q=an`)).toEqual(['Ann', 'Dan']);
    expect(await valuesOf(`${narrowed}&fields=paid`)).toEqual([{ paid: true }, { paid: false }]);
  });

  it('are searched, and the search of the request replaces that of the view', async () => {
    const view = await newViewOf({ q: 'ANN' });
    expect(await namesOf(`view=${view}`)).toEqual(['Ann', 'Ann B']);
    expect(await namesOf(`view=${view}&q=bob`)).toEqual(['Bob']);
  });

  it('have no values if all columns are hidden', async () => {
    const view = await newViewOf({ columns: COLUMNS.map(({ key }) => ({ key, hidden: true })) });
    expect(await valuesOf(`view=${view}&limit=2`)).toEqual([{}, {}]);
  });

  it('cost as much as a query of the same parts', async () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ name: { $contains: String(at) } }));
    const view = await newViewOf({ filter: { $or: many } });
    const filter = encodeURIComponent(JSON.stringify({ $or: many }));
    expect(await namesOf(`view=${view}`)).toEqual([]);
    const response = await team.viewer.api.get(`${rows}?view=${view}&filter=${filter}`);
    expectFailure(response, 'query_too_expensive', ['filter too_many']);
  });

  it('are exported in the order of its columns', async () => {
    const view = await newViewOf({
      ...{ filter: { paid: true }, sort: '-name' },
      columns: [{ key: 'amount' }, { key: 'paid', hidden: true }, { key: 'name' }],
    });
    const { text } = await team.viewer.api.get(`${rows}/export?format=csv&view=${view}`);
    expect(text).toBe('amount,name\n20.00,Bob\n,Ann B\n');
  });

  it('have an ETag that changes with the view', async () => {
    const view = await newViewOf({ filter: { paid: false } });
    const { api } = team.editor;
    const path = `${rows}?view=${view}`;
    const etag = (await api.get(path)).headers.get('etag') ?? '';
    const known = { 'if-none-match': etag };
    expect((await api.get(path, known)).status).toBe(304);
    await api.patch(`${datagrid}/views/${view}`, { filter: { paid: true } });
    const { status, body } = await api.get(path, known);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(2);
  });
});

describe('a view whose columns change', () => {
  it('does not apply to a new column that has the key of a removed one', async () => {
    const view = await newViewOf({
      ...{ filter: { paid: false }, columns: [{ key: 'paid', width: 90 }] },
    });
    const { api } = team.owner;
    await api.delete(`${datagrid}/columns/paid`);
    await api.post(`${datagrid}/columns`, { key: 'paid', type: 'boolean' });
    expect(dataOf(await api.get(`${datagrid}/views/${view}`), 200)).toMatchObject({
      ...{ filter: { 'paid~3': false }, columns: [] },
    });
    expectFailure(await api.get(`${rows}?view=${view}`), 'conflict', ['view unknown_column']);
  });

  it.each([
    ['filters', { filter: { $not: { amount: '3' } } }, { filter: { $not: { 'amount~2': '3' } } }],
    ['sorts', { sort: '_id,-amount' }, { sort: '_id,-amount~2' }],
  ])('names itself and the removed column by which it %s', async (_, query, shown) => {
    const view = await newViewOf({ name: 'Small', ...query });
    await namesOf(`view=${view}`);
    await team.owner.api.delete(`${datagrid}/columns/amount`);
    const message =
      'The view "Small" filters or sorts by the column "amount", which was removed. Change the view.';
    for (const path of [`${rows}?view=${view}`, `${rows}/export?view=${view}`]) {
      const response = await team.viewer.api.get(path);
      expectFailure(response, 'conflict', ['view unknown_column']);
      expect(response.body.error.message).toBe(message);
    }
    const read = dataOf(await team.viewer.api.get(`${datagrid}/views/${view}`), 200);
    expect(read).toMatchObject(shown);
    const cleared = { filter: null, sort: null };
    await team.editor.api.patch(`${datagrid}/views/${view}`, cleared);
    expect(await namesOf(`view=${view}`)).toHaveLength(5);
  });

  it('leaves a removed column out of its layout', async () => {
    const view = await newViewOf({ columns: [{ key: 'paid' }, { key: 'amount', hidden: true }] });
    await team.owner.api.delete(`${datagrid}/columns/paid`);
    const read = dataOf(await team.viewer.api.get(`${datagrid}/views/${view}`), 200);
    expect(read.columns).toEqual([{ key: 'amount', hidden: true }]);
    expect(await valuesOf(`view=${view}&limit=1`)).toEqual([{ name: 'Ann' }]);
  });

  it('returns 409 if its filter does not fit the type of a column anymore', async () => {
    const view = await newViewOf({ name: 'Small', filter: { amount: { $lt: '5' } } });
    await team.owner.api.patch(`${datagrid}/columns/amount`, { type: 'boolean', convert: true });
    const response = await team.viewer.api.get(`${rows}?view=${view}`);
    expectFailure(response, 'conflict', ['view.filter.amount.$lt unknown_operator']);
    expect(response.body.error.message).toContain('The view "Small" does not fit the columns');
  });
});

describe('a cursor of a view', () => {
  async function firstCursor(query: string): Promise<string> {
    const { body } = await team.viewer.api.get(`${rows}?${query}&limit=1&cursor=`);
    return String(body.meta.nextCursor);
  }

  it('reads each row once, and stays valid if only the name or the layout changes', async () => {
    const view = await newViewOf({ filter: { paid: false }, sort: '-amount' });
    const names: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await team.viewer.api.get(`${rows}?view=${view}&limit=1&cursor=${cursor}`);
      names.push(...(body.data as { values: { name: string } }[]).map(({ values }) => values.name));
      cursor = body.meta.nextCursor;
      const change = {
        name: `After ${String(names.length)}`,
        columns: [{ key: 'name', width: 99 }],
      };
      dataOf(await team.editor.api.patch(`${datagrid}/views/${view}`, change), 200);
    }
    expect(names).toEqual(['Dan', 'Cy', 'Ann']);
  });

  it('is rejected by another version of the query, another view, and without the view', async () => {
    const view = await newViewOf({ filter: { paid: false }, sort: 'name' });
    const other = await newViewOf({ filter: { paid: false }, sort: 'name' });
    const cursor = await firstCursor(`view=${view}`);
    const plain = await firstCursor('sort=name');
    const expectMismatch = async (query: string): Promise<void> => {
      const response = await team.viewer.api.get(`${rows}?${query}`);
      expectFailure(response, 'invalid_request', ['cursor cursor_mismatch']);
    };
    await expectMismatch(`view=${other}&cursor=${cursor}`);
    await expectMismatch(`sort=name&cursor=${cursor}`);
    await expectMismatch(`view=${view}&cursor=${plain}`);
    await team.editor.api.patch(`${datagrid}/views/${view}`, { filter: { paid: true } });
    await expectMismatch(`view=${view}&cursor=${cursor}`);
  });
});
