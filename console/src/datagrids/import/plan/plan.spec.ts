import type { Column } from '../../datagrid';
import { proposePlan, writtenColumns } from './plan';

const QUESTION = 'Please rate the opening hours of the pool nearest to your home. '.repeat(4);

/** Columns that an import of a file with these names writes, by name. */
function written(names: readonly string[], existing: readonly Column[]): Map<string, Column> {
  const format = { kind: 'csv', encoding: 'utf-8', delimiter: 'comma', hasHeader: true } as const;
  const records = [{ line: 2, cells: names.map(() => 'x') }];
  const plan = proposePlan({ format, names, records }, { existing, mayCreate: true });
  const columns = writtenColumns(plan, existing);
  return new Map(columns.map(({ at, column }) => [plan.columns[at]?.name ?? '', column]));
}

const keysOf = (columns: ReadonlyMap<string, Column>): unknown[][] =>
  [...columns].map(([name, { key }]) => [name, key]);

describe('the plan of an import', () => {
  it.each([
    ['names that differ in case', ['ID', 'id'], ['id2', 'id']],
    ['names that differ in a ligature', ['ﬁle', 'file'], ['file2', 'file']],
    ['a name like a numbered key', ['Name', 'name', 'name2'], ['name3', 'name', 'name2']],
    ['repeated and blank names', ['Name', 'Name', ''], ['name', 'name2', 'column3']],
    [
      'long names with the same start',
      [`${QUESTION}(a)`, `${QUESTION}(b)`],
      ['pleaseRateTheOpeningHoursOfThePoolNearestToYourHomePleaseR', 2],
    ],
  ])('finds the columns that it created from %s', (_, names, keys) => {
    const created = written(names, []);
    const columns = [...created.values()];
    expect(columns.map(({ key }) => key)).toEqual(
      keys.map((key) => (key === 2 ? `${String(keys[0])}2` : key)),
    );
    expect(columns.every(({ title }) => title.length <= 200)).toBe(true);
    expect(keysOf(written(names, columns))).toEqual(keysOf(created));
    for (const name of new Set(names.filter((each) => each !== ''))) {
      expect(keysOf(written([name], columns))).toEqual([[name, created.get(name)?.key]]);
    }
  });

  it('finds a column by its title before the key of another, and by other cases last', () => {
    const flags = { required: false, unique: false, indexed: false, options: {} };
    const columns = [
      { key: 'name', title: 'Name', type: 'text' as const, ...flags },
      { key: 'name2', title: 'name', type: 'text' as const, ...flags },
      { key: 'depth', title: 'Depth\n(m)', type: 'text' as const, ...flags },
    ];
    expect(keysOf(written(['name', 'Depth (m)'], columns))).toEqual([
      ['name', 'name2'],
      ['Depth (m)', 'depth'],
    ]);
    expect(keysOf(written(['NAME', 'name'], columns))).toEqual([
      ['NAME', 'name'],
      ['name', 'name2'],
    ]);
    expect(keysOf(written(['name', 'name2', 'depth'], columns))).toEqual([
      ['name', 'name'],
      ['name2', 'name2'],
      ['depth', 'depth'],
    ]);
  });
});
