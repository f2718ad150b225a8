import type { Column } from '../../../datagrids/datagrid';
import { searchOf, sortParameter, viewOf, type GridView } from './grid-view';

const column = (key: string, type: Column['type']): Column => {
  const flags = { required: false, unique: false, indexed: false };
  return { key, title: key, type, ...flags, options: {} };
};

const COLUMNS = [column('size', 'integer'), column('name', 'text'), column('at', 'datetime')];

const restored = (view: GridView): GridView =>
  viewOf(new URLSearchParams(searchOf(view, COLUMNS).toString()), COLUMNS);

describe('viewOf', () => {
  it('restores the view from the address', () => {
    const view: GridView = {
      filter: {
        match: 'all',
        parts: [
          { key: 'size', operator: '$eq', typed: '9007199254740993' },
          { key: 'name', operator: '$in', typed: 'a:b\nc&d=' },
          { key: 'name', operator: 'empty', typed: '' },
        ],
      },
      sort: [
        { key: 'size', isDescending: true },
        { key: 'name', isDescending: false },
      ],
      q: 'größe & mehr',
      groupBy: 'name',
      groupBucket: null,
      group: 'a&b=',
      colorBy: 'size',
    };
    expect(restored(view)).toEqual(view);
    expect(searchOf(view, COLUMNS).getAll('where')).toHaveLength(3);
    expect(sortParameter(view.sort)).toBe('-size,name');
  });

  it('shows columns whose keys have changed since', () => {
    const expiresAt = '2026-12-01T00:00:00.000Z';
    const columns = COLUMNS.map((one) =>
      one.key === 'size'
        ? { ...one, key: 'width', previousKeys: [{ key: 'size', expiresAt }] }
        : one,
    );
    const view = (address: string): GridView => viewOf(new URLSearchParams(address), columns);
    const condition = { key: 'width', operator: '$gt', typed: '3' };
    expect(view('where=size:$gt:3&sort=-size,name&group=size&color=size')).toMatchObject({
      filter: { match: 'all', parts: [condition] },
      sort: [{ key: 'width', isDescending: true }, { key: 'name' }],
      groupBy: 'width',
      colorBy: 'width',
    });
    expect(view('filter={"$or":[{"size":{"$gt":3}}]}').filter).toEqual({
      match: 'any',
      parts: [condition],
    });
  });

  it('restores nested groups, and parts that the dialog cannot edit', () => {
    const view: GridView = {
      filter: {
        match: 'any',
        parts: [
          { key: 'name', operator: '$eq', typed: 'a' },
          { json: '{"$not":{"name":"x"}}' },
          {
            match: 'all',
            parts: [
              { key: 'size', operator: '$gte', typed: '1' },
              { key: 'name', operator: 'notEmpty', typed: '' },
            ],
          },
        ],
      },
      sort: [],
      q: '',
      groupBy: 'at',
      groupBucket: 'quarter',
      group: null,
      colorBy: null,
    };
    expect(restored(view)).toEqual(view);
    expect(JSON.parse(searchOf(view, COLUMNS).get('filter') ?? '')).toEqual({
      $or: [
        { name: { $eq: 'a' } },
        { $not: { name: 'x' } },
        { $and: [{ size: { $gte: 1 } }, { name: { $isNull: false } }] },
      ],
    });
  });

  it('ignores invalid parameters', () => {
    const search = new URLSearchParams(
      'where=x&where=name:$evil:1&sort=1,-,a;b,name,,a,b,c,d&filter=[1]&group=gone&by=month&in={&color=x',
    );
    expect(viewOf(search, COLUMNS)).toEqual({
      filter: { match: 'all', parts: [] },
      sort: ['name', 'a', 'b', 'c'].map((key) => ({ key, isDescending: false })),
      ...{ q: '', groupBy: null, groupBucket: null, group: undefined, colorBy: null },
    });
    expect(viewOf(new URLSearchParams('group=at&by=hour'), COLUMNS).groupBucket).toBeNull();
    expect(viewOf(new URLSearchParams('group=name&by=month'), COLUMNS).groupBucket).toBeNull();
  });
});
