import { searchOf, sortParameter, viewOf, type GridView } from './grid-view';

describe('viewOf', () => {
  it('restores the view from the address', () => {
    const view: GridView = {
      conditions: [
        { key: 'size', operator: '$eq', typed: '9007199254740993' },
        { key: 'name', operator: '$in', typed: 'a:b\nc&d=' },
        { key: 'name', operator: 'empty', typed: '' },
      ],
      sort: [
        { key: 'size', isDescending: true },
        { key: 'name', isDescending: false },
      ],
      q: 'größe & mehr',
    };
    expect(viewOf(new URLSearchParams(searchOf(view).toString()))).toEqual(view);
    expect(sortParameter(view.sort)).toBe('-size,name');
  });

  it('ignores invalid parameters', () => {
    const search = new URLSearchParams('where=x&where=name:$evil:1&sort=1,-,a;b,name,,a,b,c,d');
    expect(viewOf(search)).toEqual({
      conditions: [],
      sort: ['name', 'a', 'b', 'c'].map((key) => ({ key, isDescending: false })),
      q: '',
    });
  });
});
