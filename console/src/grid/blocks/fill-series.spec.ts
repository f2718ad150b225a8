import type { Column } from '../../datagrids/datagrid';
import { continuation, repeating } from './fill-series';

describe('the continuation of a series', () => {
  it.each<[Column['type'], string[], string[]]>([
    ['integer', ['1', '2'], ['3', '4', '5']],
    ['integer', ['5'], ['5', '5', '5']],
    ['integer', ['10', '7'], ['4', '1', '-2']],
    ['integer', ['1', '2', '4'], ['1', '2', '4']],
    ['decimal', ['0.1', '0.20'], ['0.30', '0.40', '0.50']],
    ['decimal', ['-0.5', '0.0'], ['0.5', '1.0', '1.5']],
    [
      'decimal',
      ['12345678901234567890.1', '12345678901234567890.2'],
      ['12345678901234567890.3', '12345678901234567890.4', '12345678901234567890.5'],
    ],
    ['number', ['1e3', '2e3'], ['1e3', '2e3', '1e3']],
    ['date', ['2026-02-27'], ['2026-02-28', '2026-03-01', '2026-03-02']],
    ['date', ['2026-01-01', '2026-01-08'], ['2026-01-15', '2026-01-22', '2026-01-29']],
    ['date', ['2026-11-15', '2026-12-15'], ['2027-01-15', '2027-02-15', '2027-03-15']],
    [
      'datetime',
      ['2026-01-01T10:00:00.000Z', '2026-01-01T10:30:00.000Z'],
      ['2026-01-01T11:00:00.000Z', '2026-01-01T11:30:00.000Z', '2026-01-01T12:00:00.000Z'],
    ],
    ['text', ['Item 9'], ['Item 10', 'Item 11', 'Item 12']],
    ['text', ['A-007', 'A-009'], ['A-011', 'A-013', 'A-015']],
    ['text', ['8000'], ['8000', '8000', '8000']],
    ['text', ['8000', '8001'], ['8002', '8003', '8004']],
    ['text', ['Item 1', 'Item 0'], ['Item 0', 'Item 0', 'Item 0']],
    ['text', ['red', 'green'], ['red', 'green', 'red']],
    ['select', ['Item 1'], ['Item 1', 'Item 1', 'Item 1']],
    ['integer', ['1', ''], ['1', '', '1']],
  ])('of type %s after %j is %j', (type, texts, expected) => {
    expect(continuation(texts, type)(3)).toEqual(expected);
  });

  it('repeats if columns of several types are filled', () => {
    expect(continuation(['1', '2'], undefined)(3)).toEqual(['1', '2', '1']);
    expect(repeating(['1', '2'])(3)).toEqual(['1', '2', '1']);
  });
});
