import fc from 'fast-check';
import type { ColumnType } from '../../../datagrids/column-type';
import { editableValue } from './shown-value';
import { typedJson, valuesBody } from './typed-value';

const json = (type: ColumnType, typed: string): string => {
  const result = typedJson({ type }, typed);
  if (!result.ok) throw new Error(result.message);
  return result.json;
};

describe('typedJson', () => {
  it('keeps every digit of a number', () => {
    expect(json('integer', '9007199254740993')).toBe('9007199254740993');
    expect(json('number', '0.1000000000000000055')).toBe('0.1000000000000000055');
    expect(json('number', '1e400')).toBe('1e400');
    expect(json('integer', ' -12 ')).toBe('-12');
  });

  it('returns a decimal as text with all typed zeros', () => {
    expect(json('decimal', ' 1204.50 ')).toBe('"1204.50"');
    expect(json('decimal', '12345678901234567890.000000000000000001')).toBe(
      '"12345678901234567890.000000000000000001"',
    );
  });

  it('says in plain words what to enter instead of a wrong value', () => {
    const message = (type: ColumnType, typed: string): string => {
      const result = typedJson({ type }, typed);
      return result.ok ? '' : result.message;
    };
    for (const text of ['12a', '+5', '.5', '5.', '01', 'Infinity', '0x10', '1,5']) {
      expect(message('number', text)).toBe('Enter a number.');
      expect(message('decimal', text)).toBe('Enter a number.');
    }
    for (const text of ['many', '12.5']) {
      expect(message('integer', text)).toBe('Enter a whole number.');
    }
    expect(message('integer', '12.0')).toBe('');
    expect(message('boolean', 'yes')).toBe('Enter true or false.');
    expect(json('boolean', 'TRUE')).toBe('true');
    expect(message('json', '{"a":}')).toBe('This is not JSON. Line 1, column 6: expected a value.');
  });

  it('keeps the spaces of text', () => {
    expect(json('text', '  a\n')).toBe('"  a\\n"');
    expect(json('select', ' small ')).toBe('" small "');
  });

  it('returns null for an empty input', () => {
    expect(json('text', '')).toBe('null');
    expect(json('integer', '   ')).toBe('null');
    expect(json('text', '   ')).toBe('"   "');
  });

  it('returns typed JSON unchanged and rejects invalid JSON', () => {
    expect(json('json', ' {"n": 1.10, "n2": 12345678901234567890} ')).toBe(
      '{"n": 1.10, "n2": 12345678901234567890}',
    );
    expect(typedJson({ type: 'json' }, '{"a":')).toMatchObject({ ok: false });
    expect(typedJson({ type: 'multiSelect' }, 'red')).toMatchObject({ ok: false });
  });

  it('escapes input that could end the body', () => {
    const body = valuesBody(
      new Map([
        ['a', json('text', '1}, "b": 2')],
        ['c', json('json', '"x"')],
      ]),
    );
    expect(JSON.parse(body)).toEqual({ values: { a: '1}, "b": 2', c: 'x' } });
  });

  it('restores any value of any type from its editable text', () => {
    const cases: [ColumnType, fc.Arbitrary<unknown>][] = [
      ['integer', fc.maxSafeInteger()],
      ['number', fc.double({ noNaN: true, noDefaultInfinity: true })],
      ['boolean', fc.boolean()],
      ['text', fc.string({ minLength: 1 })],
      ['multiSelect', fc.uniqueArray(fc.string({ minLength: 1 }))],
      ['json', fc.oneof(fc.object(), fc.array(fc.integer()), fc.integer(), fc.string())],
    ];
    for (const [type, values] of cases) {
      fc.assert(
        fc.property(values, (value) => {
          const plain = JSON.parse(JSON.stringify(value)) as never;
          expect(JSON.parse(json(type, editableValue({ type }, plain)))).toEqual(plain);
        }),
      );
    }
  });
});
