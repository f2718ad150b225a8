import { COLUMN_KEY } from '../../datagrids/column-type/column-options';
import { cellType, columnKey } from './header-column.service';

describe('cellType', () => {
  it.each<[string[], string]>([
    [[], 'text'],
    [['', ''], 'text'],
    [['1', '', '-20', '0'], 'integer'],
    [['1', '9007199254740992'], 'number'],
    [['1', '0.5'], 'number'],
    [['1', '1.50'], 'decimal'],
    [['12345678901234567890'], 'decimal'],
    [['0.1', '1e3'], 'text'],
    [['1e21'], 'text'],
    [['1e+21'], 'text'],
    [['1e-7'], 'text'],
    [['007'], 'text'],
    [['+1'], 'text'],
    [['-0'], 'decimal'],
    [['1e400'], 'text'],
    [['true', 'FALSE', ''], 'boolean'],
    [['true', '1'], 'text'],
    [['2024-02-29'], 'date'],
    [['2024-02-30'], 'text'],
    [['2024-02-29', '2024-02-29T00:00:00Z'], 'text'],
    [['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.5Z'], 'datetime'],
    [['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.5+02:00'], 'text'],
    [['2024-02-29T00:00:00.0001Z'], 'text'],
    [[' 1'], 'text'],
  ])('infers the type of the cells %j: %s', (cells, type) => {
    expect(cellType(cells)).toBe(type);
  });
});

describe('columnKey', () => {
  it.each([
    ['name', 'name'],
    ['orderDate', 'orderDate'],
    ['Order Date', 'orderDate'],
    ['ID', 'id'],
    ['order_no', 'order_no'],
    ['Größe (cm)', 'groECm'],
    ['Ümlaut é', 'umlautE'],
    ['2nd', 'column'],
    ['日本', 'column'],
    ['%', 'column'],
  ])('derives the key of the header cell %j: %s', (cell, key) => {
    expect(columnKey(cell, () => false)).toBe(key);
  });

  it('derives a key that no other column has, of at most 63 characters', () => {
    expect(columnKey('Name', (key) => ['name', 'name2'].includes(key))).toBe('name3');
    const long = 'a'.repeat(100);
    const first = columnKey(long, () => false);
    const second = columnKey(long, (key) => key === first);
    expect(first).toHaveLength(63);
    expect(second).toBe(`${'a'.repeat(62)}2`);
    expect(second).toMatch(COLUMN_KEY);
  });
});
