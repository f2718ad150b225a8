import type { Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, rejections, valuesOf } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const CREATE = '?createColumns=true';

describe('an import with createColumns', () => {
  it('creates columns from the header with types that preserve the values', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, [{ key: 'id', type: 'text' }]);
    const text = [
      'id,Order No,Preis (€),Weight,When,Paid?,At,Zip,Ümlaut,日本,empty,Local,Exp',
      '1,1,1.50,0.5,2024-01-31,TRUE,2024-01-31T10:00:00Z,00501,x,,,2024-01-31T10:00:00+02:00,1e5',
      '2,-20,3,7,2024-02-29,false,2024-01-31T10:00:00.5Z,94103,,y,,,',
      '3,,,,,,,,,,,,',
    ].join('\n');
    const data = dataOf(await importCsv(api, grid, text, CREATE), 201);
    const created = ['orderNo', 'preis', 'weight', 'when', 'paid', 'at', 'zip', 'umlaut', 'column'];
    expect(data.createdColumns).toEqual([...created, 'empty', 'local', 'exp']);
    const { columns } = (await api.get(grid)).body.data;
    expect((columns as Json[]).map(({ key, title, type }) => [key, title, type])).toEqual([
      ['id', 'id', 'text'],
      ['orderNo', 'Order No', 'integer'],
      ['preis', 'Preis (€)', 'decimal'],
      ['weight', 'Weight', 'number'],
      ['when', 'When', 'date'],
      ['paid', 'Paid?', 'boolean'],
      ['at', 'At', 'datetime'],
      ['zip', 'Zip', 'text'],
      ['umlaut', 'Ümlaut', 'text'],
      ['column', '日本', 'text'],
      ['empty', 'empty', 'text'],
      ['local', 'Local', 'text'],
      ['exp', 'Exp', 'text'],
    ]);
    expect((await valuesOf(api, grid))[0]).toEqual({
      id: '1',
      orderNo: 1,
      preis: '1.50',
      weight: 0.5,
      when: '2024-01-31',
      paid: true,
      at: '2024-01-31T10:00:00.000Z',
      zip: '00501',
      umlaut: 'x',
      local: '2024-01-31T10:00:00+02:00',
      exp: '1e5',
    });
    // The same header matches the new columns by their titles.
    const again = dataOf(await importCsv(api, grid, text, CREATE), 201);
    expect(again).toMatchObject({ created: 3, createdColumns: [] });
  });

  it('chooses types by the first 1,000 rows and rejects later values that do not fit', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, []);
    const text = `n\n${'1\n'.repeat(1_500)}x\n`;
    const data = dataOf(await importCsv(api, grid, text, `${CREATE}&onError=skip`), 201);
    expect(data).toMatchObject({ created: 1_500, createdColumns: ['n'] });
    expect(rejections(data)).toEqual(['1502 n invalid_format']);
  });

  it('returns 403 to a role that may not change columns', async () => {
    const grid = await newDatagrid(team.admin.api, []);
    expectFailure(await importCsv(team.editor.api, grid, 'a\n1\n', CREATE), 'forbidden');
    expect((await team.admin.api.get(grid)).body.data.columns).toEqual([]);
  });

  it('returns 400 for NDJSON and for more than 500 columns', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, []);
    const ndjson = await importNdjson(api, grid, '{}', CREATE);
    expectFailure(ndjson, 'invalid_request', ['createColumns incompatible_parameters']);
    const header = Array.from({ length: 501 }, (_, index) => `c${index}`).join(',');
    const response = await importCsv(api, grid, `${header}\n`, CREATE);
    expectFailure(response, 'invalid_request', ['columns out_of_range']);
    expect((await api.get(grid)).body.data.columns).toEqual([]);
  });
});

/** A question of a survey that is longer than the title of a column can be. */
const QUESTION = 'Please rate the opening hours of the pool nearest to your home. '
  .repeat(4)
  .trim();

/** The first 62 characters of the key of the question. */
const QUESTION_KEY = 'pleaseRateTheOpeningHoursOfThePoolNearestToYourHomePleaseRateT';

describe('a file that an import with createColumns has read before', () => {
  it.each([
    ['names that differ in case', ['ID', 'id'], ['id2', 'id']],
    ['names that differ in case, in the other order', ['id', 'ID'], ['id', 'id2']],
    ['names that differ in a ligature', ['ﬁle', 'file'], ['file2', 'file']],
    ['names that differ in a dot', ['İ', 'i'], ['i2', 'i']],
    ['a name like a numbered key', ['Name', 'name', 'name2'], ['name3', 'name', 'name2']],
    ['names without letters', ['日本', 'column', '%'], ['column2', 'column', 'column3']],
    [
      'long names with the same start',
      [`${QUESTION} (a)`, `${QUESTION} (b)`],
      ['h', '2'].map((end) => `${QUESTION_KEY}${end}`),
    ],
  ])('finds the columns of %s', async (_, names, keys) => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, []);
    const cells = names.map((name) => `below ${name}`);
    const send = async (header: string[], row: string[], query: string): Promise<Json> =>
      dataOf(await importCsv(api, grid, `${header.join()}\n${row.join()}\n`, query), 201);

    expect((await send(names, cells, CREATE)).createdColumns).toEqual(keys);
    await send(names.toReversed(), cells.toReversed(), CREATE);
    for (const [at, name] of names.entries()) await send([name], [cells[at] ?? ''], CREATE);

    const [first, second, ...others] = await valuesOf(api, grid);
    expect(first).toEqual(Object.fromEntries(keys.map((key, at) => [key, cells[at]])));
    expect(second).toEqual(first);
    expect(Object.assign({}, ...others)).toEqual(first);
    expect((await api.get(grid)).body.data.columns).toHaveLength(names.length);
  });

  it('updates the value below a name of more than 200 characters', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, [{ key: 'id', type: 'text', unique: true }]);
    const upsert = `${CREATE}&mode=upsert&matchOn=id`;
    for (const value of ['old', 'new']) {
      dataOf(await importCsv(api, grid, `id,${QUESTION}\na,${value}\n`, upsert), 201);
    }
    const rows = await valuesOf(api, grid);
    expect(rows.map((values) => Object.values(values))).toEqual([['a', 'new']]);
  });

  it('writes into the column with the title, and reads the keys of an export', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, [
      { key: 'name', type: 'text', title: 'Name' },
      { key: 'name2', type: 'text', title: 'name' },
    ]);
    dataOf(await importCsv(api, grid, 'name\nb\n'), 201);
    const file = (await api.get(`${grid}/rows/export?format=csv`)).text;
    expect(file).toBe('name,name2\n,b\n');
    dataOf(await importCsv(api, grid, file), 201);
    expect(await valuesOf(api, grid)).toEqual([{ name2: 'b' }, { name2: 'b' }]);
  });

  it('returns 400 for a name that can stand for several columns', async () => {
    const { api } = team.admin;
    const grid = await newDatagrid(api, [
      { key: 'a', type: 'text', title: 'b' },
      { key: 'b', type: 'text', title: 'a' },
      { key: 'c', type: 'text', title: 'Same' },
      { key: 'd', type: 'text', title: 'Same' },
    ]);
    const swapped = await importCsv(api, grid, 'a,b\n1,2\n', CREATE);
    expectFailure(swapped, 'invalid_request', [
      'header.0 unknown_column',
      'header.1 unknown_column',
    ]);
    expect(swapped.body.error.details[0].message).toBe(
      '"a" is the title of one column and the key of another; change the title',
    );
    const same = await importCsv(api, grid, 'Same,new\n1,2\n', CREATE);
    expectFailure(same, 'invalid_request', ['header.0 unknown_column']);
    expect((await api.get(grid)).body.data).toMatchObject({ rowCount: 0, columns: { length: 4 } });
  });
});
