import type { Column } from '../../datagrids/datagrid';
import {
  changedValues,
  exists,
  mayRestoreValue,
  mayRestoreVersion,
  type HistoryEntry,
} from './row-history';

/** Titles of linked rows, which these columns do not have. */
const TITLES = { titleOf: (): undefined => undefined };

const column = (key: string): Column => ({
  key,
  title: key.toUpperCase(),
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  options: {},
});
const COLUMNS = [column('a'), column('b')];

function entry(revision: number, values: HistoryEntry['values']): HistoryEntry {
  const at = '2026-11-21T09:30:00.000Z';
  const by = { userId: 'ada', keyId: null, removedColumns: [] };
  return { revision, operation: values ? 'updated' : 'deleted', at, values, ...by };
}

describe('the values that a write has changed', () => {
  it('are those that differ from the entry before, also if they became empty', () => {
    expect(
      changedValues(entry(2, { b: 'y' }), entry(1, { a: 'x', b: 'y' }), COLUMNS, TITLES),
    ).toEqual([{ key: 'a', title: 'A', before: 'x', after: '', value: null }]);
  });

  it('are all values if those before are not known', () => {
    expect(changedValues(entry(2, { a: 'x' }), undefined, COLUMNS, TITLES)).toEqual([
      { key: 'a', title: 'A', before: undefined, after: 'x', value: 'x' },
    ]);
    expect(changedValues(entry(2, { a: 'x' }), entry(1, null), COLUMNS, TITLES)).toHaveLength(1);
  });

  it('are none if the write deleted the row', () => {
    expect(changedValues(entry(2, null), entry(1, { a: 'x' }), COLUMNS, TITLES)).toEqual([]);
  });
});

describe('restoring', () => {
  const before = entry(1, { a: 'x' });

  it('is offered for values that differ from the current ones', () => {
    const entries = [entry(2, { a: 'z' }), before];
    const [value] = changedValues(before, undefined, COLUMNS, TITLES);
    if (!value) throw new Error('no value');
    expect(mayRestoreValue(entries, value)).toBe(true);
    expect(mayRestoreValue([entry(3, { a: 'x' }), ...entries], value)).toBe(false);
  });

  it('is offered for versions, but for single values only if the row exists', () => {
    const entries = [entry(2, null), before];
    const [value] = changedValues(before, undefined, COLUMNS, TITLES);
    if (!value) throw new Error('no value');
    expect(exists(entries)).toBe(false);
    expect(mayRestoreValue(entries, value)).toBe(false);
    expect(mayRestoreVersion(entries, before)).toBe(true);
  });

  it('is not offered for the current version and for versions without values', () => {
    const newest = entry(3, { a: 'x' });
    const unknown = { ...entry(2, null), operation: 'updated' } as const;
    expect(mayRestoreVersion([newest, unknown], newest)).toBe(false);
    expect(mayRestoreVersion([newest, unknown], unknown)).toBe(false);
  });
});
