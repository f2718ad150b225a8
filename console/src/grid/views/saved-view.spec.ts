import type { ColumnType } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { isSameView, namesRemovedColumn, shownView, type SavedView } from './saved-view';

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
  column('due', 'date'),
];

const view = (query: Partial<SavedView>): SavedView => {
  const rest = { filter: null, sort: null, q: null, columns: [], updatedAt: '' };
  const shown = { groupBy: null, groupBucket: null, colorBy: null };
  return { id: '1', name: 'View', ...rest, ...shown, ...query };
};

describe('shownView', () => {
  it('returns the filter with its groups, the sort order and the search', () => {
    const filter = { $or: [{ name: 'a' }, { $not: { size: 1 } }] };
    expect(
      shownView(view({ filter, sort: '-_id,name', q: 'x', groupBy: 'paid' }), COLUMNS),
    ).toEqual({
      filter: {
        match: 'any',
        parts: [{ key: 'name', operator: '$eq', typed: 'a' }, { json: '{"$not":{"size":1}}' }],
      },
      sort: [
        { key: '_id', isDescending: true },
        { key: 'name', isDescending: false },
      ],
      ...{ q: 'x', groupBy: 'paid', groupBucket: null, group: undefined, colorBy: null },
    });
    expect(shownView(view({}), COLUMNS).filter.parts).toEqual([]);
  });
});

describe('isSameView', () => {
  const shown = (groupBucket: string | null): ReturnType<typeof shownView> =>
    shownView(view({ groupBy: 'due', groupBucket }), COLUMNS);

  it('compares the period of the groups, which is the day for dates without one', () => {
    expect(isSameView(shown('month'), shown('month'), COLUMNS)).toBe(true);
    expect(isSameView(shown('month'), shown('week'), COLUMNS)).toBe(false);
    expect(isSameView(shown(null), shown('day'), COLUMNS)).toBe(true);
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
