import type { ColumnType } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { filterJson } from '../filter/condition';
import { conditionsOf, namesRemovedColumn, shownView, type SavedView } from './saved-view';

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

const view = (query: Partial<SavedView>): SavedView => {
  const rest = { filter: null, sort: null, q: null, columns: [], updatedAt: '' };
  return { id: '1', name: 'View', ...rest, ...query };
};

describe('conditionsOf', () => {
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
    const json = filterJson([condition, other], COLUMNS) ?? '';
    expect(conditionsOf(JSON.parse(json) as object as Record<string, unknown>, COLUMNS)).toEqual([
      condition,
      other,
    ]);
  });

  it('reads plain values and several operators of a column', () => {
    expect(conditionsOf({ name: 'a', size: { $gte: 1, $lt: 5 } }, COLUMNS)).toEqual([
      { key: 'name', operator: '$eq', typed: 'a' },
      { key: 'size', operator: '$gte', typed: '1' },
      { key: 'size', operator: '$lt', typed: '5' },
    ]);
  });

  it.each([
    [{ $or: [{ name: 'a' }, { name: 'b' }] }],
    [{ $not: { name: 'a' } }],
    [{ $and: [{ name: 'a' }, { $or: [{ name: 'b' }] }] }],
    [{ _id: { $lt: 3 } }],
    [{ gone: 1 }],
    [{ name: { $nin: ['a'] } }],
    [{ name: { $in: ['a\nb'] } }],
    [{ name: { $in: [''] } }],
    [{ name: '' }],
  ])('returns null for a filter that the dialog would change: %j', (filter) => {
    expect(conditionsOf(filter, COLUMNS)).toBeNull();
  });
});

describe('shownView', () => {
  it('keeps a filter that the dialog cannot show as it is', () => {
    const filter = { $or: [{ name: 'a' }, { size: 1 }] };
    expect(shownView(view({ filter, sort: '-_id,name', q: 'x' }), COLUMNS)).toEqual({
      view: {
        conditions: [],
        sort: [
          { key: '_id', isDescending: true },
          { key: 'name', isDescending: false },
        ],
        q: 'x',
      },
      base: JSON.stringify(filter),
    });
  });
});

describe('namesRemovedColumn', () => {
  it.each([
    [{ filter: { $or: [{ name: 'a~1' }, { $not: { size: 1 } }] }, sort: 'name' }, false],
    [{ filter: { $or: [{ name: 'a' }, { $not: { 'size~2': 1 } }] } }, true],
    [{ sort: 'name,-size~2' }, true],
    [{}, false],
  ])('returns whether the filter or the sort order has a removed column: %j', (query, expected) => {
    expect(namesRemovedColumn(view(query))).toBe(expected);
  });
});
