import { COLUMN_KEY } from '../../../datagrids/column/column-key';
import { columnKey, columnTitle } from './column-name';

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
])('of %j is %s', (cell, key) => {
  expect(columnKey(cell, new Set())).toBe(key);
});

it('is one that no other column has, and no longer than a key may be', () => {
  expect(columnKey('Name', new Set(['name', 'name2']))).toBe('name3');
  const long = 'a'.repeat(100);
  const first = columnKey(long, new Set());
  const second = columnKey(long, new Set([first]));
  expect(first).toHaveLength(63);
  expect(second).toBe(`${'a'.repeat(62)}2`);
  expect(second).toMatch(COLUMN_KEY);
});

it('has a title of at most 200 characters', () => {
  expect(columnTitle('😀'.repeat(300))).toBe('😀'.repeat(200));
});
