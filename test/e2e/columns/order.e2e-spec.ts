import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

beforeEach(async () => {
  const columns = ['a', 'b', 'c', 'd'].map((key) => ({ key, type: 'text' }));
  grid = await newDatagrid(owner.api, columns);
});

afterAll(() => app.close());

const move = async (key: string, position: unknown): Promise<void> => {
  dataOf(await owner.api.patch(`${grid}/columns/${key}`, { position }), 200);
};

/** Returns the keys of the columns in order. */
async function order(): Promise<string> {
  const { columns } = dataOf(await owner.api.get(grid), 200) as { columns: { key: string }[] };
  return columns.map(({ key }) => key).join('');
}

describe('a column', () => {
  it.each([
    ['d', 0, 'dabc'],
    ['a', 1, 'bacd'],
    ['a', 3, 'bcda'],
    ['b', 10_000, 'acdb'],
    ['c', 2, 'abcd'],
  ])('%s moves to position %i', async (key, position, expected) => {
    await move(key, position);
    expect(await order()).toBe(expected);
  });

  it('keeps its place when others are moved, added, removed and restored', async () => {
    await move('d', 0);
    await move('c', 1);
    expect(await order()).toBe('dcab');
    dataOf(await owner.api.post(`${grid}/columns`, { key: 'e', type: 'text' }), 201);
    expect(await order()).toBe('dcabe');
    await owner.api.delete(`${grid}/columns/c`);
    expect(await order()).toBe('dabe');
    const [trashed] = dataOf(await owner.api.get(`${grid}/trash/columns`), 200);
    dataOf(await owner.api.post(`${grid}/trash/columns/restore`, { id: trashed.id }), 200);
    expect(await order()).toBe('dcabe');
  });

  it('is exported in its place', async () => {
    dataOf(await owner.api.post(`${grid}/rows`, { values: { a: '1', d: '4' } }), 201);
    await move('d', 0);
    const { text } = await owner.api.get(`${grid}/rows/export?format=csv`);
    expect(text.split(/\r?\n/)[0]).toMatch(/d,a,b,c/);
  });

  it('changes the ETag of the datagrid when it moves, and not when it is where it should be', async () => {
    const etag = async (): Promise<string | null> =>
      (await owner.api.get(grid)).headers.get('etag');
    const before = await etag();
    await move('b', 1);
    expect(await etag()).toBe(before);
    await move('b', 0);
    expect(await etag()).not.toBe(before);
  });

  it('moves together with a change of its title', async () => {
    const body = { title: 'Last', position: 3 };
    expect(dataOf(await owner.api.patch(`${grid}/columns/a`, body), 200).title).toBe('Last');
    expect(await order()).toBe('bcda');
  });

  it('keeps its place if another part of the change is rejected', async () => {
    const body = { position: 3, options: { choices: ['x'] } };
    expectFailure(await owner.api.patch(`${grid}/columns/a`, body), 'invalid_request', [
      'options.choices unknown_property',
    ]);
    expect(await order()).toBe('abcd');
  });

  it.each([-1, 1.5, '1', null, 10_001])('does not move to %j', async (position) => {
    const response = await owner.api.patch(`${grid}/columns/a`, { position });
    expectFailure(response, 'invalid_request', ['position out_of_range']);
  });
});

describe('moves at the same time', () => {
  it('leave every column in the list once', async () => {
    await Promise.all(['a', 'b', 'c', 'd', 'a', 'b'].map((key, index) => move(key, index % 4)));
    expect((await order()).length).toBe(4);
    for (const key of ['a', 'b', 'c', 'd']) expect(await order()).toContain(key);
  });
});
