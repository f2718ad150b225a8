import type { ColumnType } from '../column-type';
import type { Column, ColumnOptions } from '../datagrid';
import { draftProblems, EMPTY_DRAFT, readableColumns, withType } from './column-draft';

const column = (key: string, type: ColumnType, options: ColumnOptions = {}): Column => ({
  ...{ key, title: key, type, options },
  ...{ required: false, unique: false, indexed: false },
});

const COLUMNS = [
  column('name', 'text'),
  column('airline', 'link', { datagridId: 'A' }),
  column('partners', 'multiLink', { datagridId: 'B' }),
  column('flights', 'count', { datagridId: 'A', column: 'x' }),
];

describe('withType', () => {
  it('chooses the link column of a lookup if there is only one', () => {
    expect(withType(EMPTY_DRAFT, 'lookup', COLUMNS).link).toBe('');
    expect(withType(EMPTY_DRAFT, 'lookup', COLUMNS.slice(0, 2)).link).toBe('airline');
    expect(withType(EMPTY_DRAFT, 'lookup', []).link).toBe('');
  });

  it('keeps the datagrid among links only, and forgets the column that was read', () => {
    const draft = { ...EMPTY_DRAFT, type: 'link' as const, datagridId: 'A', column: 'name' };
    expect(withType(draft, 'multiLink', COLUMNS)).toMatchObject({ datagridId: 'A', column: '' });
    expect(withType(draft, 'count', COLUMNS)).toMatchObject({ datagridId: '', column: '' });
  });
});

describe('readableColumns', () => {
  const keys = (type: ColumnType, homeId: string): string[] =>
    readableColumns({ type }, homeId, COLUMNS).map(({ key }) => key);

  it('are all stored columns for a lookup, and the links to the datagrid for a count', () => {
    expect(keys('lookup', 'A')).toEqual(['name', 'airline', 'partners']);
    expect(keys('count', 'A')).toEqual(['airline']);
    expect(keys('count', 'C')).toEqual([]);
  });
});

describe('draftProblems', () => {
  const fields = (draft: Partial<typeof EMPTY_DRAFT>): string[] =>
    Object.keys(draftProblems({ ...EMPTY_DRAFT, ...draft }));

  it('name the missing options of a computed column, one after another', () => {
    expect(fields({ type: 'lookup' })).toEqual(['options.link']);
    expect(fields({ type: 'lookup', link: 'airline' })).toEqual(['options.column']);
    expect(fields({ type: 'lookup', link: 'airline', column: 'name' })).toEqual([]);
    expect(fields({ type: 'count' })).toEqual(['options.datagridId']);
    expect(fields({ type: 'count', datagridId: 'A' })).toEqual(['options.column']);
    expect(fields({ type: 'count', datagridId: 'A', column: 'airline' })).toEqual([]);
  });

  it('reject a first number that is no whole number within the limits of the service', () => {
    for (const start of ['-1', '1.5', 'x', '1000000000001']) {
      expect([start, ...fields({ type: 'autonumber', start })]).toEqual([start, 'options.start']);
    }
    for (const start of ['', ' 0 ', '1000', '1000000000000']) {
      expect([start, ...fields({ type: 'autonumber', start })]).toEqual([start]);
    }
  });
});
