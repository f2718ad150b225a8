import { MAX_TABLE_NAME_LENGTH, TABLE_NAME, tableIdOf, tableNameFor } from './table-name';

const nameOf = (text: string, ...taken: string[]): string => tableNameFor(text, new Set(taken));

describe('the name of a table', () => {
  it.each([
    ['Peaks', 'peaks'],
    ['Sales 2026 (EU)', 'sales_2026_eu'],
    ['  --a--b--  ', 'a_b'],
    ['a__b', 'a_b'],
    ['Größe é ñ Å', 'gro_e_e_n_a'],
    ['ﬁle ① ２', 'file_1_2'],
    ['İstanbul', 'istanbul'],
    ['\u212Aelvin', 'kelvin'],
    ['2026', 't_2026'],
    ['_datagrid_sync', 'datagrid_sync'],
    ['東京', 'datagrid'],
    ['🦊', 'datagrid'],
    ['', 'datagrid'],
    ['a'.repeat(60), 'a'.repeat(50)],
    [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
    [`1${'a'.repeat(60)}`, `t_1${'a'.repeat(47)}`],
  ])('of the datagrid %j is %s', (datagrid, name) => {
    expect(nameOf(datagrid)).toBe(name);
    expect(name).toMatch(TABLE_NAME);
  });

  it('gets the first number that makes it different from the other names', () => {
    expect(nameOf('Peaks', 'peak')).toBe('peaks');
    expect(nameOf('Peaks', 'peaks')).toBe('peaks_2');
    expect(nameOf('Peaks', 'peaks', 'peaks_2', 'peaks_4')).toBe('peaks_3');
    expect(nameOf('東京', 'datagrid')).toBe('datagrid_2');
  });

  it('stays within the maximum length with a number', () => {
    const long = 'a'.repeat(MAX_TABLE_NAME_LENGTH);
    expect(nameOf(long, long)).toBe(`${'a'.repeat(MAX_TABLE_NAME_LENGTH - 2)}_2`);
    const spaced = `${'a'.repeat(MAX_TABLE_NAME_LENGTH - 3)}_bb`;
    expect(nameOf(spaced, spaced)).toBe(`${'a'.repeat(MAX_TABLE_NAME_LENGTH - 3)}_2`);
  });
});

describe('the id of a table', () => {
  it('is the same for the same connection and datagrid, and different for others', () => {
    const [first, second, third] = [1, 2, 3].map(
      (n) => `019aa2f4-0000-7000-8000-00000000000${String(n)}`,
    ) as [string, string, string];
    expect(tableIdOf(first, second)).toBe(tableIdOf(first, second));
    const ids = [tableIdOf(first, second), tableIdOf(second, first), tableIdOf(first, third)];
    expect(new Set(ids).size).toBe(3);
  });
});
