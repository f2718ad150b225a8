import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { completed, importCsv } from '../import/sending';

let app: TestApp;
let owner: Member;
let grid: string;

const NAME = { key: 'name', type: 'text', options: { ignoreCase: true } };

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const NAMES = ['Beta', 'alpha', 'ALPHA', 'Straße', 'STRASSE', 'İzmir', 'ΑΣ', 'ας', 'a_b', 'A%b'];

async function newGrid(column: object, names: readonly string[] = NAMES): Promise<void> {
  grid = await newDatagrid(owner.api, [
    { ...NAME, ...column },
    { key: 'n', type: 'integer' },
  ]);
  const rows = names.map((name, n) => ({ values: { name, n } }));
  dataOf(await owner.api.post(`${grid}/rows`, { rows }), 201);
}

const namesOf = async (query: string): Promise<unknown[]> => {
  const rows = dataOf(await owner.api.get(`${grid}/rows?limit=200&${query}`), 200);
  return (rows as unknown as { values: { name?: string } }[]).map(({ values }) => values.name);
};

const filtered = (name: unknown): Promise<unknown[]> =>
  namesOf(`filter=${encodeURIComponent(JSON.stringify({ name }))}`);

describe.each([[{}], [{ indexed: true }]])('a column that ignores case, with %j', (column) => {
  beforeAll(() => newGrid(column));

  it('keeps the case of its values', async () => {
    expect(await namesOf('')).toEqual(NAMES);
  });

  it.each([
    ['alpha', ['alpha', 'ALPHA']],
    [{ $eq: 'ALPHa' }, ['alpha', 'ALPHA']],
    [{ $in: ['BETA', 'straßE'] }, ['Beta', 'Straße']],
    [{ $startsWith: 'AL' }, ['alpha', 'ALPHA']],
    [{ $startsWith: 'AZ' }, []],
    [{ $startsWith: 'a%' }, ['A%b']],
    [{ $endsWith: 'PHA' }, ['alpha', 'ALPHA']],
    [{ $endsWith: 'İZMIR' }, ['İzmir']],
    [{ $eq: 'İZMIR' }, ['İzmir']],
    [{ $eq: 'ας' }, ['ΑΣ', 'ας']],
    [{ $endsWith: 'Σ' }, ['ΑΣ', 'ας']],
    [{ $startsWith: 'ασ' }, ['ΑΣ', 'ας']],
    [{ $contains: 'σ' }, ['ΑΣ', 'ας']],
    [{ $contains: 'TRA' }, ['Straße', 'STRASSE']],
    [{ $gte: 'B', $lt: 'C' }, ['Beta']],
    [{ $nin: ['beta', 'ALPHA'] }, NAMES.slice(3)],
    [{ $ne: 'BETA' }, NAMES.slice(1)],
  ])('finds by %j', async (condition, expected) => {
    expect((await filtered(condition)).sort()).toEqual([...expected].sort());
  });

  it('sorts without case, and pages by cursor in this order', async () => {
    const sorted = await namesOf('sort=name');
    expect(sorted.slice(0, 5)).toEqual(['A%b', 'a_b', 'alpha', 'ALPHA', 'Beta']);
    const walked: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await owner.api.get(`${grid}/rows?sort=name&limit=3&cursor=${cursor}`);
      for (const { values } of page.body.data) walked.push(values.name);
      cursor = page.body.meta.nextCursor;
    }
    expect(walked).toEqual(sorted);
    expect((await namesOf('sort=-name')).slice(-3)).toEqual(['ALPHA', 'a_b', 'A%b']);
  });

  const aggregated = async (body: object): Promise<unknown> =>
    dataOf(await owner.api.post(`${grid}/rows/aggregate`, body), 200);

  it('counts groups and distinct values without case, and names groups by a value of a row', async () => {
    const body = {
      groupBy: [{ column: 'name' }],
      aggregates: [{ function: 'count' }, { function: 'countDistinct', column: 'name' }],
      sort: 'name',
    };
    const groups = await aggregated(body);
    expect(groups).toEqual(
      [
        ['A%b', 1],
        ['a_b', 1],
        ['ALPHA', 2],
        ['Beta', 1],
        ['İzmir', 1],
        ['STRASSE', 1],
        ['Straße', 1],
        ['ΑΣ', 2],
      ].map(([name, count]) => ({
        group: { name },
        values: { count, countDistinct_name: 1 },
      })),
    );
  });

  it('returns the least and the greatest value as rows have them, in the order without case', async () => {
    const aggregates = [
      { function: 'min', column: 'name' },
      { function: 'max', column: 'name' },
    ];
    const of = async (name: object): Promise<unknown> =>
      aggregated({ aggregates, filter: { name } });
    const values = (min: string | null, max: string | null): unknown => [
      { group: {}, values: { min_name: min, max_name: max } },
    ];
    expect(await of({ $isNull: false })).toEqual(values('A%b', 'ας'));
    expect(await of({ $in: ['beta', 'alpha'] })).toEqual(values('ALPHA', 'Beta'));
    expect(await of({ $eq: 'ΑΣ' })).toEqual(values('ΑΣ', 'ας'));
    expect(await of({ $isNull: true })).toEqual(values(null, null));
    const groupBy = [{ column: 'n' }];
    const filter = { n: { $lt: 4 } };
    const sorted = await aggregated({ aggregates, groupBy, sort: '-max_name', filter });
    expect(sorted).toMatchObject(
      ['Straße', 'Beta', 'alpha', 'ALPHA'].map((name) => ({ values: { max_name: name } })),
    );
  });
});

it('ignores the case of every script that has one in Unicode 10', async () => {
  const small = ['ÿ', 'ώ', 'џ', 'ֆ', 'ⴀ', 'ꭰ', 'ⰰ', 'ⲁ', '𐐨', '𐓘', '𐳀', '𑣀', '𞤢'];
  await newGrid({}, small);
  const capital = small.map((letter) => letter.toUpperCase());
  expect(capital.filter((letter, index) => letter === small[index])).toEqual([]);
  for (const [index, letter] of capital.entries()) {
    expect(await filtered(letter)).toEqual([small[index]]);
  }
});

it('has a group without a value last', async () => {
  grid = await newDatagrid(owner.api, [NAME]);
  const rows = [{ values: {} }, { values: { name: 'b' } }, { values: { name: 'B' } }];
  dataOf(await owner.api.post(`${grid}/rows`, { rows }), 201);
  const body = {
    groupBy: [{ column: 'name' }],
    aggregates: [{ function: 'count' }],
    sort: '-name',
  };
  expect(dataOf(await owner.api.post(`${grid}/rows/aggregate`, body), 200)).toEqual([
    { group: { name: 'B' }, values: { count: 2 } },
    { group: { name: null }, values: { count: 1 } },
  ]);
});

describe('long values of a column that ignores case', () => {
  const long = (end: string): string => `${'Ab'.repeat(400)}${end}`;

  beforeAll(() => newGrid({ indexed: true }, [long('X'), long('y'), 'İ'.repeat(590)]));

  it('are found by values and beginnings that the index truncates', async () => {
    expect(await filtered(long('x').toUpperCase())).toEqual([long('X')]);
    expect(await filtered({ $startsWith: 'AB'.repeat(200) })).toHaveLength(2);
    expect(await filtered('İ'.repeat(590))).toHaveLength(1);
    expect(await namesOf('sort=-name')).toEqual(['İ'.repeat(590), long('y'), long('X')]);
  });
});

describe('a unique column that ignores case', () => {
  beforeEach(() => newGrid({ unique: true }, ['Alpha', 'Beta']));

  it('rejects a value that differs from another only in case', async () => {
    const { api } = owner;
    const values = { name: 'ALPHA' };
    expectFailure(await api.post(`${grid}/rows`, { values }), 'conflict', [
      'values.name duplicate',
    ]);
    expectFailure(await api.patch(`${grid}/rows/2`, { values }), 'conflict', [
      'values.name duplicate',
    ]);
    // A row may change the case of its own value.
    dataOf(await api.patch(`${grid}/rows/1`, { values }), 200);
    expect(await namesOf('')).toEqual(['ALPHA', 'Beta']);
  });

  it('matches rows of upserts and imports without case', async () => {
    const upsert = { matchOn: ['name'], rows: [{ values: { name: 'ALPHA', n: 7 } }] };
    dataOf(await owner.api.put(`${grid}/rows`, upsert), 200);
    const csv = 'name,n\nbETA,8\n';
    const sent = await importCsv(owner.api, grid, csv, '?mode=upsert&matchOn=name');
    expect(await completed(owner.api, sent)).toMatchObject({ updated: 1, created: 0 });
    expect(await namesOf('')).toEqual(['ALPHA', 'bETA']);
    const twice = { matchOn: ['name'], rows: ['x', 'X'].map((name) => ({ values: { name } })) };
    expect((await owner.api.put(`${grid}/rows`, twice)).status).toBe(400);
  });

  it('stays whole through changes, deletions and a check of the database', async () => {
    dataOf(await owner.api.patch(`${grid}/rows/1`, { values: { name: 'GAMMA' } }), 200);
    await owner.api.delete(`${grid}/rows/2`);
    dataOf(await owner.api.post(`${grid}/rows`, { values: { name: 'beta' } }), 201);
    dataOf(await owner.api.post(`${grid}/rows`, { values: { name: 'alpha' } }), 201);
    expect(await problemsOf(app)).toEqual([]);
  });
});

describe('options.ignoreCase', () => {
  it('can be set later, if no unique values become equal', async () => {
    const { api } = owner;
    await newGrid({ options: {}, unique: true, indexed: true }, ['a', 'A', 'b']);
    const set = { options: { ignoreCase: true } };
    expectFailure(await api.patch(`${grid}/columns/name`, set), 'conflict', [
      'unique conflicting_rows',
    ]);
    expect(await filtered('B')).toEqual([]);
    dataOf(await api.patch(`${grid}/rows/2`, { values: { name: 'C' } }), 200);
    dataOf(await api.patch(`${grid}/columns/name`, set), 200);
    expect(await filtered('B')).toEqual(['b']);
    expect(await filtered('c')).toEqual(['C']);
    dataOf(await api.patch(`${grid}/columns/name`, { options: {} }), 200);
    expect(await filtered('c')).toEqual([]);
    dataOf(await api.post(`${grid}/rows`, { values: { name: 'B' } }), 201);
    expect(await problemsOf(app)).toEqual([]);
  });

  it('ends with a change to a type that does not have it', async () => {
    const { api } = owner;
    await newGrid({}, ['a', 'b']);
    const body = { type: 'select', convert: true };
    expect(dataOf(await api.post(`${grid}/columns/name/preview`, body), 200)).toMatchObject({
      conflicting: 0,
      choices: ['a', 'b'],
    });
    const { options } = dataOf(await api.patch(`${grid}/columns/name`, body), 200);
    expect(options).toEqual({ choices: ['a', 'b'] });
  });

  it.each([
    [{ type: 'integer', options: { ignoreCase: true } }, 'options.ignoreCase unknown_property'],
    [{ type: 'text', options: { ignoreCase: 1 } }, 'options.ignoreCase wrong_type'],
  ])('is rejected in %j', async (column, detail) => {
    const failed = await owner.api.post(`${grid}/columns`, { key: 'other', ...column });
    expectFailure(failed, 'invalid_request', [detail]);
  });

  it('applies to email addresses', async () => {
    await newGrid({ type: 'email', unique: true }, ['Ann@Example.com']);
    const values = { name: 'ann@example.COM' };
    expectFailure(await owner.api.post(`${grid}/rows`, { values }), 'conflict', [
      'values.name duplicate',
    ]);
  });
});
