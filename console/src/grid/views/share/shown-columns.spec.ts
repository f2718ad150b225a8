import type { Column } from '../../../datagrids/datagrid';
import type { SavedView } from '../saved-view';
import { shownColumns } from './shown-columns';

const COLUMNS: Column[] = ['name', 'amount', 'note'].map((key) => ({
  ...{ key, title: key.toUpperCase(), type: 'text', required: false },
  ...{ unique: false, indexed: false, options: {} },
}));

const VIEW: SavedView = {
  ...{ id: '1', name: 'View', filter: null, sort: null, q: null, updatedAt: '' },
  ...{ groupBy: null, groupBucket: null, colorBy: null },
  columns: [{ key: 'note', hidden: true }, { key: 'amount' }],
};

const keys = (columns: readonly Column[]): string[] => columns.map(({ key }) => key);

describe('shownColumns', () => {
  it('returns the visible columns, also those that the view does not list', () => {
    expect(keys(shownColumns(VIEW, COLUMNS).visible)).toEqual(['name', 'amount']);
  });

  it.each([
    ['a filter', { filter: { name: 'x', $or: [{ note: 'a' }, { $not: { amount: '1' } }] } }],
    ['a sort order', { sort: 'name,-note' }],
  ])('returns hidden columns that %s names', (_, query) => {
    expect(keys(shownColumns({ ...VIEW, ...query }, COLUMNS).usedHidden)).toEqual(['note']);
  });

  it('says if a search may find rows by hidden columns', () => {
    expect(shownColumns(VIEW, COLUMNS).searchesHidden).toBe(false);
    expect(shownColumns({ ...VIEW, q: 'x' }, COLUMNS).searchesHidden).toBe(true);
    expect(shownColumns({ ...VIEW, q: 'x', columns: [] }, COLUMNS).searchesHidden).toBe(false);
  });
});
