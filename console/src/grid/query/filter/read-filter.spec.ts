import type { ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { filterJson, type FilterGroup } from './filter-group';
import { readFilter, readFilterText } from './read-filter';

const column = (key: string, type: ColumnType): Column => {
  const flags = { required: false, unique: false, indexed: false };
  return { key, title: key, type, ...flags, options: {} };
};

const COLUMNS = [
  column('name', 'text'),
  column('amount', 'decimal'),
  column('size', 'integer'),
  column('tags', 'multiSelect'),
  column('paid', 'boolean'),
];

const read = (filter: Record<string, unknown>): FilterGroup => readFilter(filter, COLUMNS);

describe('readFilter', () => {
  it.each([
    [{ key: 'name', operator: '$contains', typed: 'a"b' }],
    [{ key: 'name', operator: '$in', typed: 'a\nb c' }],
    [{ key: 'amount', operator: '$gt', typed: '1.10' }],
    [{ key: 'size', operator: '$lte', typed: '-9007199254740991' }],
    [{ key: 'tags', operator: '$contains', typed: 'red' }],
    [{ key: 'paid', operator: '$eq', typed: 'false' }],
    [{ key: 'name', operator: 'empty', typed: '' }],
    [{ key: 'name', operator: 'notEmpty', typed: '' }],
  ] as const)('returns the condition from which the filter was made: %j', (condition) => {
    const other = { key: 'size', operator: '$eq', typed: '7' } as const;
    const nested: FilterGroup = {
      match: 'any',
      parts: [condition, { match: 'all', parts: [other, condition] }],
    };
    for (const filter of [nested, { match: 'all', parts: [condition] } as const]) {
      expect(readFilterText(filterJson(filter, COLUMNS) ?? '', COLUMNS)).toEqual(filter);
    }
  });

  it('reads plain values and several operators of a column', () => {
    expect(read({ name: 'a', size: { $gte: 1, $lt: 5 } })).toEqual({
      match: 'all',
      parts: [
        { key: 'name', operator: '$eq', typed: 'a' },
        { key: 'size', operator: '$gte', typed: '1' },
        { key: 'size', operator: '$lt', typed: '5' },
      ],
    });
  });

  it('reads groups beside conditions', () => {
    expect(read({ name: 'a', $or: [{ size: 1 }, { size: 2, paid: true }] })).toEqual({
      match: 'all',
      parts: [
        { key: 'name', operator: '$eq', typed: 'a' },
        {
          match: 'any',
          parts: [
            { key: 'size', operator: '$eq', typed: '1' },
            {
              match: 'all',
              parts: [
                { key: 'size', operator: '$eq', typed: '2' },
                { key: 'paid', operator: '$eq', typed: 'true' },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each([
    [{ $not: { name: 'a' } }],
    [{ _id: { $lt: 3 } }],
    [{ gone: 1 }],
    [{ 'gone~3': { $isNull: true } }],
    [{ name: { $nin: ['a'] } }],
    [{ name: { $in: ['a\nb'] } }],
    [{ name: { $in: [''] } }],
    [{ name: '' }],
    [{ amount: { $gt: 1.5 } }],
    [{ name: {} }],
    [{ $or: [] }],
    [{ $and: 'x' }],
  ])('keeps a part that the dialog cannot edit as it is: %j', (filter) => {
    const part = { json: JSON.stringify(filter) };
    expect(read(filter)).toEqual({ match: 'all', parts: [part] });
    const named = { key: 'name', operator: '$eq', typed: 'b' };
    expect(read({ $or: [{ name: 'b' }, filter] })).toEqual({ match: 'any', parts: [named, part] });
    expect(filterJson(read({ $or: [{ name: 'b' }, filter] }), COLUMNS)).toBe(
      JSON.stringify({ $or: [{ name: { $eq: 'b' } }, filter] }),
    );
  });

  it('reads no filter from other texts', () => {
    for (const text of ['', '{', '[]', 'null', '1']) {
      expect(readFilterText(text, COLUMNS)).toBeUndefined();
    }
  });
});
