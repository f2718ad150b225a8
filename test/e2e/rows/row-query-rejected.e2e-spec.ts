import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const COLUMNS = [
  { key: 'a', type: 'text' },
  { key: 'b', type: 'text' },
  { key: 'n', type: 'integer' },
  { key: 'd', type: 'date' },
  { key: 'flag', type: 'boolean' },
  { key: 'state', type: 'select', options: { choices: ['open', 'done'] } },
  { key: 'tags', type: 'multiSelect', options: { choices: ['x', 'y'] } },
  { key: 'j', type: 'json' },
];

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, COLUMNS)}/rows`;
});

afterAll(() => app.close());

/** Returns a condition at a nesting depth of `depth`. */
const nested = (depth: number): unknown => (depth === 1 ? { n: 1 } : { $and: [nested(depth - 1)] });

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('a filter', () => {
  const REJECTED: [string, unknown, string][] = [
    ['not an object', [], 'filter wrong_type'],
    ['an unknown column', { x: 1 }, 'filter.x unknown_column'],
    ['the name of an inherited property', { constructor: 1 }, 'filter.constructor unknown_column'],
    ['an operator in place of a column', { $gt: 1 }, 'filter.$gt unknown_operator'],
    ['an unknown operator', { n: { $like: 1 } }, 'filter.n.$like unknown_operator'],
    [
      'an operator of text on an integer',
      { n: { $contains: '1' } },
      'filter.n.$contains unknown_operator',
    ],
    [
      'an operator of order on a select',
      { state: { $gt: 'a' } },
      'filter.state.$gt unknown_operator',
    ],
    ['an operator on json', { j: { $eq: 1 } }, 'filter.j.$eq unknown_operator'],
    ['a plain value of json', { j: 1 }, 'filter.j unknown_operator'],
    ['a value of another type', { n: '1' }, 'filter.n wrong_type'],
    ['a fraction for an integer', { n: { $gt: 1.5 } }, 'filter.n.$gt wrong_type'],
    ['a date that does not exist', { d: '2026-02-30' }, 'filter.d out_of_range'],
    ['null', { n: null }, 'filter.n wrong_type'],
    ['an unknown choice', { state: 'gone' }, 'filter.state not_a_choice'],
    [
      'an unknown choice in a list',
      { tags: { $contains: 'z' } },
      'filter.tags.$contains not_a_choice',
    ],
    ['$isNull without a boolean', { n: { $isNull: 1 } }, 'filter.n.$isNull wrong_type'],
    ['$in without a list', { n: { $in: 1 } }, 'filter.n.$in wrong_type'],
    ['an invalid value in a list', { n: { $in: [1, '2'] } }, 'filter.n.$in.1 wrong_type'],
    ['a list that is too long', { n: { $nin: many(1_001, Number) } }, 'filter.n.$nin too_many'],
    ['an empty condition', { n: {} }, 'filter.n required'],
    ['an empty nested condition', { $not: {} }, 'filter.$not required'],
    ['no conditions', { $or: [] }, 'filter.$or wrong_type'],
    ['a condition that is not an object', { $and: [{ n: 1 }, 2] }, 'filter.$and.1 wrong_type'],
    ['conditions that are too deep', nested(9), `filter${'.$and.0'.repeat(8)} too_deep`],
    ['too many conditions', { $or: many(101, (n) => ({ n })) }, 'filter.$or.100.n too_many'],
  ];

  it.each(REJECTED)(
    'returns 400 with its path, in the body and in the URL: %s',
    async (_, filter, place) => {
      expectFailure(await owner.api.post(`${rows}/query`, { filter }), 'invalid_request', [place]);
      const inUrl = `${rows}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
      expectFailure(await owner.api.get(inUrl), 'invalid_request', [place]);
    },
  );

  it('returns 200 with the maximum depth, length and number of conditions', async () => {
    const ofMany = { $or: many(99, (n) => ({ n })), a: { $in: many(1_000, String) } };
    for (const filter of [nested(8), ofMany, {}]) {
      expect((await owner.api.post(`${rows}/query`, { filter })).status).toBe(200);
    }
  });

  it('returns 400 if it is not JSON', async () => {
    expectFailure(await owner.api.get(`${rows}?filter={n:1}`), 'invalid_request', [
      'filter malformed_json',
    ]);
  });
});

describe('a row query', () => {
  it.each([
    ['filter={}&filter={}', 'filter duplicate_parameter'],
    ['sort=n&sort=a', 'sort duplicate_parameter'],
    ['sort=x', 'sort unknown_column'],
    ['sort=', 'sort unknown_column'],
    ['sort=--n', 'sort unknown_column'],
    ['sort=a,', 'sort unknown_column'],
    ['sort=j', 'sort incompatible_parameters'],
    ['sort=tags', 'sort incompatible_parameters'],
    ['sort=n,-n', 'sort duplicate_column'],
    ['sort=a,b,n,d,flag', 'sort too_many'],
    ['fields=x', 'fields unknown_column'],
    ['fields=', 'fields unknown_column'],
    ['fields=a,__proto__', 'fields unknown_column'],
  ])('returns 400 for %s', async (parameters, place) => {
    expectFailure(await owner.api.get(`${rows}?${parameters}`), 'invalid_request', [place]);
  });
});
