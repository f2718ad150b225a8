import type { ColumnType } from '../../../datagrids/column-type';
import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { exactTitle, shownTyped, shownValue, withLineEndsOf } from './shown-value';

describe('the values of a lookup', () => {
  const rules = { required: false, unique: false, indexed: false };
  const lookup = (type: ColumnType): Pick<Column, 'type' | 'source'> => ({
    type: 'lookup',
    source: { key: 'a', title: 'A', type, options: {}, ...rules },
  });

  it('are shown as in the column that it reads', () => {
    expect(shownValue(lookup('decimal'), '2000.50')).toBe('2,000.50');
    expect(shownValue(lookup('decimal'), ['2000.50', '7.00'])).toBe('2,000.50, 7.00');
    expect(shownValue(lookup('integer'), 2026)).toBe('2026');
    expect(shownValue(lookup('date'), '2026-11-27')).toBe('Nov 27, 2026');
    expect(shownValue(lookup('multiSelect'), ['a', 'b'])).toBe('a, b');
    expect(shownValue(lookup('text'), undefined)).toBe('');
  });
});

describe('shownValue and shownTyped', () => {
  it('show a value with its own digits', () => {
    expect(shownValue({ type: 'number' }, 12.5)).toBe('12.5');
    expect(shownValue({ type: 'integer' }, 1234567)).toBe('1,234,567');
    expect(shownTyped({ type: 'text' }, '1234567')).toBe('1234567');
    expect(shownValue({ type: 'decimal' }, '1.10')).toBe('1.10');
    expect(shownValue({ type: 'multiSelect' }, ['a', 'b'])).toBe('a, b');
    expect(shownValue({ type: 'json' }, { a: [1] })).toBe('{"a":[1]}');
    expect(shownValue({ type: 'json' }, '12')).toBe('"12"');
    expect(shownValue({ type: 'text' }, undefined)).toBe('');
  });

  it('show no value if a row inherits one from the prototype of objects', () => {
    const values = JSON.parse('{}') as Record<string, JsonValue>;
    const inherited = (key: string): JsonValue | undefined => values[key];
    expect(shownValue({ type: 'text' }, inherited('constructor'))).toBe('');
    expect(shownValue({ type: 'json' }, inherited('toString'))).toBe('');
  });

  it('show computed values as text, and lists of them with commas', () => {
    expect(shownValue({ type: 'lookup' }, 'Alpine Air')).toBe('Alpine Air');
    expect(shownValue({ type: 'lookup' }, ['a', 2, { b: 1 }])).toBe('a, 2, {"b":1}');
    expect(shownValue({ type: 'lookup' }, [])).toBe('');
    expect(shownValue({ type: 'count' }, 0)).toBe('0');
  });

  it('show dates and times for the reader, and name their exact text in a title', () => {
    const at = '2026-11-21T09:30:00.000Z';
    expect(shownValue({ type: 'datetime' }, at)).toMatch(/^Nov 21, 2026, 9:30\sAM UTC$/);
    expect(shownTyped({ type: 'date' }, '2026-11-21')).toBe('Nov 21, 2026');
    expect(shownTyped({ type: 'date' }, '2026-02-30')).toBe('2026-02-30');
    expect(exactTitle({ type: 'datetime' }, undefined, at)).toBe(at);
    expect(exactTitle({ type: 'date' }, '2026-11-20', '2026-11-21')).toBe(
      '2026-11-20 → 2026-11-21',
    );
    expect(exactTitle({ type: 'date' }, undefined)).toBeUndefined();
    expect(exactTitle({ type: 'text' }, at)).toBeUndefined();
  });

  it('show the choices of a typed value', () => {
    expect(shownTyped({ type: 'multiSelect' }, '["a","b"]')).toBe('a, b');
    expect(shownTyped({ type: 'multiSelect' }, 'broken')).toBe('broken');
    expect(shownTyped({ type: 'text' }, '["a"]')).toBe('["a"]');
  });
});

describe('withLineEndsOf', () => {
  it('keeps CRLF, LF or mixed line ends', () => {
    expect(withLineEndsOf('a\r\nb', 'a\nb!')).toBe('a\r\nb!');
    expect(withLineEndsOf('a\nb', 'a\nb!')).toBe('a\nb!');
    expect(withLineEndsOf('a\r\nb\nc', 'x\ny')).toBe('x\ny');
  });
});
