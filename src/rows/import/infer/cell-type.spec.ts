import { cellType } from './cell-type';

it.each<[string[], string]>([
  [[], 'text'],
  [['', ''], 'text'],
  [['1', '', '-20', '0'], 'integer'],
  [['1', '9007199254740992'], 'number'],
  [['1', '0.5'], 'number'],
  [['1', '1.50'], 'decimal'],
  [['12345678901234567890'], 'decimal'],
  [['0.1', '1e3'], 'number'],
  [['1.50', '1e3'], 'number'],
  [['007'], 'text'],
  [['+1'], 'text'],
  [['-0'], 'decimal'],
  [['1e400'], 'text'],
  [['true', 'FALSE', ''], 'boolean'],
  [['true', '1'], 'text'],
  [['2024-02-29'], 'date'],
  [['2024-02-30'], 'text'],
  [['2024-02-29', '2024-02-29T00:00:00Z'], 'text'],
  [['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.5+02:00'], 'datetime'],
  [[' 1'], 'text'],
])('of %j is %s', (cells, type) => {
  expect(cellType(cells)).toBe(type);
});
