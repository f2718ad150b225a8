import { AppError } from '../../../common/error/app-error';
import { datagridSchema, type DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { EVERY_ROW } from './filter';
import { MAX_QUERY_PRICE, queryPrice, requireAffordable } from './filter-price';
import { parseFilter } from './parse-filter';

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
    version: 1,
    options: type === 'multiSelect' ? { choices: ['x'] } : {},
  })),
);

const price = (filter: unknown, search?: string): number =>
  queryPrice(parseFilter(schema, filter), search);

describe('queryPrice', () => {
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
  ])('is the sum of the conditions for %s', (_, filter, search, expected) => {
    expect(price(filter, search)).toBe(expected);
  });
});

describe('requireAffordable', () => {
  const searches = (count: number): unknown => ({
    $or: Array.from({ length: count }, () => ({ text: { $contains: 'x' } })),
  });

  it('lets through a query that costs as much as one may', () => {
    expect(price(searches(19), 'x')).toBe(MAX_QUERY_PRICE);
    requireAffordable(parseFilter(schema, searches(19)), 'x');
    requireAffordable(EVERY_ROW);
  });

  it('rejects a query that costs more, and tells the prices', () => {
    const reject = (): AppError => {
      try {
        requireAffordable(parseFilter(schema, searches(20)), 'x');
      } catch (error) {
        if (error instanceof AppError) return error;
      }
      throw new Error('It was let through.');
    };
    const { code, details } = reject();
    expect(code).toBe('query_too_expensive');
    expect(details).toEqual([
      { field: 'filter', code: 'too_many', message: 'has a cost of 210; the maximum is 200' },
    ]);
  });
});
