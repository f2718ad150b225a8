import type { Column, Row } from '../../../datagrids/datagrid';
import { foundRows, MAX_FOUND, MAX_SCANNED, searchPlan } from './link-search';

const name: Column = {
  key: 'name',
  title: 'Name',
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  options: {},
};
const small = { rowCount: MAX_SCANNED };
const large = { rowCount: MAX_SCANNED + 1 };

const plan = (
  datagrid: { readonly rowCount: number },
  column: Column,
  text: string,
): readonly unknown[] => {
  const { kind, bodies } = searchPlan(datagrid, column, text);
  expect(bodies.every(({ fields, limit }) => fields === 'name' && limit === MAX_FOUND)).toBe(true);
  return [kind, ...bodies.map(({ filter }) => filter)];
};

describe('searchPlan', () => {
  it('lists the first rows for no text', () => {
    expect(plan(large, name, '')).toEqual(['contains', undefined]);
  });

  it('searches parts of a text in a small datagrid, those at the beginning first', () => {
    expect(plan(small, name, 'air')).toEqual([
      'contains',
      { name: { $startsWith: 'air' } },
      { name: { $contains: 'air' } },
    ]);
  });

  it('uses only the index in a large datagrid, in the common cases', () => {
    const byIndex = [
      'startsWith',
      { name: { $startsWith: 'air' } },
      { name: { $startsWith: 'Air' } },
      { name: { $startsWith: 'AIR' } },
    ];
    expect(plan(large, { ...name, indexed: true }, 'air')).toEqual(byIndex);
  });

  it('reads only the first rows of a large datagrid without an index, or while it is being built', () => {
    const limited = ['limited', { _id: { $lte: MAX_SCANNED }, name: { $contains: 'air' } }];
    expect(plan(large, name, 'air')).toEqual(limited);
    expect(plan(large, { ...name, indexed: true, indexing: { progress: 0.5 } }, 'air')).toEqual(
      limited,
    );
  });

  it('also finds the row with the typed id', () => {
    expect(plan(large, name, '12')[1]).toEqual({ _id: 12 });
  });
});

describe('foundRows', () => {
  it('lists each row once, in the order of the results, and rows without a title', () => {
    const row = (id: number, title?: string): Pick<Row, 'id' | 'values'> => ({
      id,
      values: title === undefined ? {} : { name: title },
    });
    expect(foundRows('name', [[row(2, 'b')], [row(1, ' a\n b '), row(2, 'b'), row(3)]])).toEqual([
      { id: '2', title: 'b' },
      { id: '1', title: 'a b' },
      { id: '3', title: null },
    ]);
  });
});
