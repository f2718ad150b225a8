import { ChangeReader, copyState, datagridState } from '../../support/change-reader';
import type { Json } from '../../support/api-client';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'integer' },
];

let app: TestApp;
let team: Team;
let datagrid: string;
let reader: ChangeReader;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  reader = new ChangeReader(team.viewer.key, datagrid);
});

afterAll(() => app.close());

async function create(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({ values: { a: `x${String(n)}`, b: n } }));
  dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
}

async function rename(key: string, newKey: string): Promise<void> {
  const column = `${datagrid}/columns`;
  dataOf(await team.admin.api.patch(`${column}/${key}`, { key: newKey }), 200);
  dataOf(await team.admin.api.patch(`${column}/${newKey}`, { releaseKeys: [key] }), 200);
}

async function page(cursor: string, more = ''): Promise<{ items: Json[]; cursor: string }> {
  const { body } = await team.viewer.api.get(`${datagrid}/changes?limit=1&cursor=${cursor}${more}`);
  return { items: body.data, cursor: body.meta.nextCursor };
}

const short = ({ op, row, columns }: Json): unknown =>
  op === 'schema' ? (columns as Json[]).map(({ key }) => key as string) : row?.values;

/** Reads pages of one row. */
const expectEqual = async (): Promise<void> => {
  await reader.catchUp(app.origin, 1);
  expect(copyState(reader)).toEqual(await datagridState(team.viewer.api, datagrid));
};

describe('a reader of changes, when the type of a column changes', () => {
  it('is told that the values are kept, and reads rows only if values are converted', async () => {
    await create(3);
    await reader.catchUp(app.origin);
    const columns = `${datagrid}/columns`;
    dataOf(await team.admin.api.patch(`${columns}/b`, { type: 'number' }), 200);
    const retyped = await page(reader.cursor ?? '');
    expect(retyped.items).toMatchObject([
      { op: 'schema', values: 'kept', columns: [{ type: 'text' }, { id: 2, type: 'number' }] },
    ]);
    dataOf(await team.admin.api.patch(`${columns}/b`, { type: 'text', convert: true }), 200);
    const converted = await page(retyped.cursor);
    expect(converted.items).toMatchObject([
      { op: 'schema', values: 'kept', columns: [{ type: 'text' }, { id: 2, type: 'text' }] },
      { op: 'set', row: { id: 1, values: { b: '0' } } },
    ]);
    await expectEqual();
  });
});

describe('a reader of changes, when the key of a column changes', () => {
  it('has the columns before rows that were written before the change and are read after it', async () => {
    await reader.catchUp(app.origin);
    await create(3);
    await rename('a', 'c');
    const { items } = await page(reader.cursor ?? '');
    expect(items.map(short)).toEqual([['c', 'b'], { c: 'x0', b: 0 }]);
    await expectEqual();
  });

  it('keeps all values if the key changes during the first load', async () => {
    await create(5);
    const session = { origin: app.origin, form: 'pages', limit: 2, pages: 1 } as const;
    await reader.read({ ...session, end: AbortSignal.abort() });
    await rename('a', 'c');
    await expectEqual();
  });

  it('tells the keys of two columns apart that were exchanged', async () => {
    await create(3);
    await reader.catchUp(app.origin);
    await create(3);
    await rename('a', 'c');
    await rename('b', 'a');
    await rename('c', 'b');
    await expectEqual();
  });

  it('keeps the value of a column that got the key of a removed one', async () => {
    await create(3);
    await reader.catchUp(app.origin);
    await create(3);
    expect((await team.admin.api.delete(`${datagrid}/columns/a`)).status).toBe(204);
    await rename('b', 'a');
    await expectEqual();
  });

  it('is told who made a change when it comes to it, if it asks for authors', async () => {
    await reader.catchUp(app.origin);
    await create(1);
    await rename('a', 'c');
    const by = (items: Json[]): unknown =>
      items.map(({ op, changedBy }) => [op, changedBy?.userId]);
    const first = await page(reader.cursor ?? '', '&include=author');
    expect(by(first.items)).toEqual([
      ['schema', undefined],
      ['set', team.editor.userId],
    ]);
    const second = await page(first.cursor, '&include=author');
    expect(by(second.items)).toEqual([['schema', team.admin.userId]]);
  });

  it('is told the columns if its cursor is of a release that did not note them', async () => {
    await create(1);
    await reader.catchUp(app.origin);
    await create(1);
    const [earlier = ''] = (reader.cursor ?? '').split('=');
    const { items } = await page(earlier);
    expect(items.map(({ op }) => op)).toEqual(['schema', 'set']);
  });
});
