import { columnTitle, matchNames } from './column-names';

interface Named {
  readonly key: string;
  readonly title: string;
}

const column = (key: string, title: string): Named => ({ key, title });

/** Returns the keys of the columns that names stand for. */
function found(names: readonly string[], columns: readonly Named[]): (string | null)[] {
  const matches = matchNames(names, columns, (name) => columns.find(({ key }) => key === name));
  return matches.map((match) => (match === null || match === 'several' ? match : match.key));
}

/** Columns with a title that is the key of another column. */
const CONFUSING = [column('name', 'Name'), column('name2', 'name'), column('city', 'City')];

const LONG = 'Please rate the opening hours of the pool. '.repeat(8);

describe('matchNames', () => {
  it.each<[string, string[], (string | null)[]]>([
    ['a title before the key of another column', ['name'], ['name2']],
    ['titles that differ in case', ['name', 'Name'], ['name2', 'name']],
    ['a key that is no title', ['name2', 'city'], ['name2', 'city']],
    ['no column for blank and unknown names', ['', 'NAME'], [null, null]],
    [
      'keys, as in an export, if titles would repeat a column',
      ['name', 'name2'],
      ['name', 'name2'],
    ],
    ['titles if a name is no key', ['name', 'City'], ['name2', 'city']],
  ])('finds %s', (_, names, keys) => {
    expect(found(names, CONFUSING)).toEqual(keys);
  });

  it('finds several columns for a title that they share, unless one of them has it as its key', () => {
    const columns = [
      column('a', 'Twice'),
      column('b', 'Twice'),
      column('c', 'd'),
      column('d', 'd'),
    ];
    expect(found(['Twice', 'd'], columns)).toEqual(['several', 'd']);
  });

  it('finds several columns if the titles are the keys in another order', () => {
    const swapped = [column('a', 'b'), column('b', 'a'), column('c', 'C')];
    expect(found(['a', 'b', 'c'], swapped)).toEqual(['several', 'several', 'c']);
    expect(found(['a', 'b', 'C'], swapped)).toEqual(['b', 'a', 'c']);
  });

  it('finds the titles that long names create, or created before, and names without line breaks', () => {
    const own = column('own', columnTitle(`${LONG}(1)`));
    expect(found([`${LONG}(1)`, `${LONG}(2)`], [own])).toEqual(['own', null]);
    expect(found([LONG], [column('cut', LONG.slice(0, 200).trim())])).toEqual(['cut']);
    expect(found([LONG], [column('cut', LONG.slice(0, 190).trim())])).toEqual(['cut']);
    expect(found(['Depth\n(m)'], [column('depth', 'Depth (m)')])).toEqual(['depth']);
  });
});

describe('columnTitle', () => {
  it('keeps a name of 200 characters', () => {
    expect(columnTitle('😀'.repeat(200))).toBe('😀'.repeat(200));
  });

  it('shortens a longer name to 200 characters with its start, its end and a hash', () => {
    expect(columnTitle('😀'.repeat(201))).toBe(`${'😀'.repeat(120)}… ${'😀'.repeat(69)} 5bc46198`);
    const middles = ['a', 'b'].map((middle) => columnTitle(`${LONG}${middle}${LONG}`));
    expect(new Set(middles).size).toBe(2);
  });
});
