import type { ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { conditionError, isValidFilter, normalFilter } from './check-condition';
import type { Operator } from './condition';

const column = (type: ColumnType): Column => {
  const flags = { required: false, unique: false, indexed: false };
  return { key: type, title: type, type, ...flags, options: { choices: ['a', 'b'] } };
};

const errorOf = (type: ColumnType, typed: string, operator: Operator = '$eq'): unknown =>
  conditionError(column(type), { key: type, operator, typed });

describe('conditionError', () => {
  it.each([
    ['text', 'anything'],
    ['text', ' '],
    ['email', 'part@'],
    ['url', 'example.com'],
    ['integer', '-9007199254740991'],
    ['integer', '1e3'],
    ['number', '1e+21'],
    ['number', '-0.5'],
    ['number', '5e-324'],
    ['decimal', '99999999999999999999.999999999999999999'],
    ['boolean', 'false'],
    ['date', '2024-02-29'],
    ['datetime', '2026-11-21T09:30:00.123Z'],
    ['datetime', '2026-11-21T09:30:00+01:00'],
    ['datetime', '2026-11-21 09:30'],
    ['select', 'a'],
    ['multiSelect', 'b'],
  ] as const)('accepts a value of type %s: %s', (type, typed) => {
    expect(errorOf(type, typed)).toBeUndefined();
  });

  it.each([
    ['text', '', 'Enter a value.'],
    ['integer', 'abc', 'Enter an integer.'],
    ['integer', '1.5', 'Enter an integer.'],
    ['integer', '9007199254740993', 'Enter an integer.'],
    ['integer', '007', 'Enter an integer.'],
    ['number', 'abc', 'Enter a number such as 12.5, with up to 15 digits.'],
    ['number', '0.30000000000000000001', 'Enter a number such as 12.5, with up to 15 digits.'],
    ['number', '1e400', 'Enter a number such as 12.5, with up to 15 digits.'],
    [
      ...['decimal', '1e5'],
      'Enter a number such as 12.50, with up to 38 digits, 18 of them after the point.',
    ],
    ['boolean', 'yes', 'Enter true or false.'],
    ['date', '2026-02-30', 'Enter a date.'],
    ['date', 'today', 'Enter a date.'],
    ['datetime', '2026-11-21', 'Enter a date and time.'],
    ['select', 'c', 'Enter one of the choices of the column.'],
    ['multiSelect', 'c', 'Choose one of the choices.'],
  ] as [ColumnType, string, string][])('rejects a value of type %s: "%s"', (type, typed, error) => {
    expect(errorOf(type, typed)).toBe(error);
  });

  it('names the value of a list that is invalid', () => {
    expect(errorOf('integer', '1\nx\n2', '$in')).toBe('“x”: Enter an integer.');
    expect(errorOf('integer', '\n', '$in')).toBe('Enter a value.');
  });

  it('limits the length of a text to search for', () => {
    expect(errorOf('text', '😀'.repeat(256), '$contains')).toBeUndefined();
    expect(errorOf('text', 'a'.repeat(257), '$contains')).toBe('Enter at most 256 characters.');
    expect(errorOf('text', 'a'.repeat(257))).toBeUndefined();
  });

  it('needs no value for operators without one', () => {
    expect(errorOf('integer', 'x', 'empty')).toBeUndefined();
  });
});

describe('a filter', () => {
  const columns = [column('integer'), column('date')];
  const group = (typed: string): Parameters<typeof isValidFilter>[0] => ({
    match: 'all',
    parts: [
      { json: '{"$not":{}}' },
      { match: 'any', parts: [{ key: 'integer', operator: '$eq', typed }] },
    ],
  });

  it('is valid if the values of all groups are', () => {
    expect(isValidFilter(group('5'), columns)).toBe(true);
    expect(isValidFilter(group('x'), columns)).toBe(false);
  });

  it('is applied with numbers in the form of the API', () => {
    expect(normalFilter(group('1,234'), columns)).toEqual(group('1234'));
  });
});
