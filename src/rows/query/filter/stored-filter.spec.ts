import type { ColumnRecord } from '../../../datagrids/column/column-record';
import { datagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { StoredFilter } from './stored-filter';

const DATAGRID = '019aa2f4-0000-7000-8000-000000000001';

const column = (id: number, key: string): ColumnRecord => ({
  id,
  key,
  slot: key,
  title: key,
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  indexedTo: null,
  previousKeys: [],
  defaultValue: null,
  options: {},
  version: 1,
});

const SCHEMA = datagridSchema(DATAGRID, { version: 1, state: '' }, [
  column(1, 'a'),
  column(2, 'b'),
  column(7, 'c1'),
]);

const named = (id: number, key: string, isRemoved = false): object => ({ id, key, isRemoved });

describe('a stored filter', () => {
  const FILTER = {
    b: 'x',
    _revision: { $gt: 2 },
    $or: [{ a: { $in: ['c2', 'a'] } }, { $not: { c1: { $ne: 'a' } } }],
    $and: [{ b: 'y' }],
  };
  const stored = new StoredFilter(StoredFilter.textOf(SCHEMA, FILTER));

  it('names its datagrid and the ids of its columns, each once', () => {
    expect(stored.datagridId).toBe(DATAGRID);
    expect([...stored.columnIds].sort()).toEqual([1, 2, 7]);
  });

  it('is returned as it was sent, in the same order', () => {
    const columns = [named(1, 'a'), named(2, 'b'), named(7, 'c1')] as never;
    expect(JSON.stringify(stored.withKeys(columns))).toBe(JSON.stringify(FILTER));
  });

  it('is returned with the present keys of its columns, and never with the key of another one', () => {
    const columns = [named(1, 'a', true), named(2, 'a')] as never;
    expect(stored.withKeys(columns)).toEqual({
      a: 'x',
      _revision: { $gt: 2 },
      $or: [{ 'a~1': { $in: ['c2', 'a'] } }, { $not: { '~7': { $ne: 'a' } } }],
      $and: [{ a: 'y' }],
    });
  });

  it('keeps the empty filter', () => {
    const empty = new StoredFilter(StoredFilter.textOf(SCHEMA, {}));
    expect([empty.columnIds, empty.withKeys([])]).toEqual([[], {}]);
  });
});
