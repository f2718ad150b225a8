import { AppError } from '../../../common/error/app-error';
import { datagridSchema, type DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { EVERY_ROW, parseFilter } from './parse-filter';
import { MAX_QUERY_COST, costsOf, queryCost, requireAffordable } from './query-cost';

const schema: DatagridSchema = datagridSchema(
  '0',
  { version: 1, state: '1' },
  (['text', 'integer', 'multiSelect'] as const).map((type, index) => ({
    id: index + 1,
    key: type,
    slot: type,
    title: type,
    type,
    required: false,
    unique: false,
    indexed: false,
    indexedTo: null,
    previousKeys: [],
    defaultValue: null,
    version: 1,
    options: type === 'multiSelect' ? { choices: ['x'] } : {},
  })),
);

const cost = (filter: unknown, search?: string): number =>
  queryCost(parseFilter(schema, filter), search);

describe('queryCost', () => {
  it.each<[string, unknown, string | undefined, number]>([
    ['an empty filter', {}, undefined, 0],
    ['a comparison', { integer: 1 }, undefined, 1],
    ['$isNull', { text: { $isNull: true } }, undefined, 1],
    ['a choice of a multiSelect', { multiSelect: { $contains: 'x' } }, undefined, 1],
    ['$contains on text', { text: { $contains: 'x' } }, undefined, 10],
    ['q', {}, 'x', 10],
    ['$in of 99 values', { integer: { $in: [...Array(99).keys()] } }, undefined, 1],
    ['$nin of 1,000 values', { integer: { $nin: [...Array(1_000).keys()] } }, undefined, 11],
    [
      'nested conditions',
      { $or: [{ $not: { text: { $contains: 'x' } } }, { $and: [{ integer: 1 }, { text: 'y' }] }] },
      'z',
      22,
    ],
  ])('adds up the costs of the conditions of %s', (_, filter, search, expected) => {
    expect(cost(filter, search)).toBe(expected);
  });
});

describe('requireAffordable', () => {
  const searches = (count: number): unknown => ({
    $or: Array.from({ length: count }, () => ({ text: { $contains: 'x' } })),
  });

  it('accepts a query of the maximum cost', () => {
    expect(cost(searches(19), 'x')).toBe(MAX_QUERY_COST);
    requireAffordable(parseFilter(schema, searches(19)), 'x');
    requireAffordable(EVERY_ROW);
  });

  it('rejects a more expensive query and names both costs', () => {
    const reject = (): AppError => {
      try {
        requireAffordable(parseFilter(schema, searches(20)), 'x');
      } catch (error) {
        if (error instanceof AppError) return error;
      }
      throw new Error('It was let through.');
    };
    const { code, message, details } = reject();
    expect(code).toBe('query_too_expensive');
    expect(message).toBe(
      'The query is too expensive. $contains and q cost 10 each, $endsWith costs 3, other conditions cost 1, and $in, $nin and $containsAny 1 more for 100 values.',
    );
    expect(details).toEqual([
      { field: 'filter', code: 'too_many', message: 'has a cost of 210; the maximum is 200' },
    ]);
  });
});

describe('costsOf', () => {
  it('names each operator with its own cost, and none that costs 1', () => {
    const operators = [
      { name: '$eq', cost: 1 },
      { name: '$contains', cost: 10 },
      { name: '$matches', cost: 40 },
      { name: '$invented', cost: 10 },
      { name: 'q', cost: 10 },
    ];
    expect(costsOf(operators)).toBe('$contains, $invented and q cost 10 each, $matches costs 40');
  });
});
