import fc from 'fast-check';
import type { ColumnType } from '../../datagrids/datagrid';
import { editableValue, shownTyped, shownValue, withLineEndsOf } from './shown-value';
import { typedJson, valuesBody } from './typed-value';

const json = (type: ColumnType, typed: string): string => {
  const result = typedJson({ type }, typed);
  if (!result.ok) throw new Error(result.message);
  return result.json;
};

describe('a typed value', () => {
  it('keeps every digit of a number', () => {
    expect(json('integer', '9007199254740993')).toBe('9007199254740993');
    expect(json('number', '0.1000000000000000055')).toBe('0.1000000000000000055');
    expect(json('number', '1e400')).toBe('1e400');
    expect(json('integer', ' -12 ')).toBe('-12');
  });

  it('is sent as text for a decimal, with the zeros that were typed', () => {
    expect(json('decimal', ' 1204.50 ')).toBe('"1204.50"');
    expect(json('decimal', '12345678901234567890.000000000000000001')).toBe(
      '"12345678901234567890.000000000000000001"',
    );
  });

  it('is sent as it was typed if it is not a number, and the service rejects it', () => {
    for (const text of ['12a', '+5', '.5', '5.', '01', 'Infinity', '0x10', '1,5']) {
      expect(json('number', text)).toBe(JSON.stringify(text));
    }
    expect(json('boolean', 'yes')).toBe('"yes"');
    expect(json('boolean', 'TRUE')).toBe('true');
  });

  it('keeps the spaces of a text', () => {
    expect(json('text', '  a\n')).toBe('"  a\\n"');
    expect(json('select', ' small ')).toBe('" small "');
  });

  it('is null if nothing was typed', () => {
    expect(json('text', '')).toBe('null');
    expect(json('integer', '   ')).toBe('null');
    expect(json('text', '   ')).toBe('"   "');
  });

  it('is sent as it was typed if it is JSON, and never if it is not', () => {
    expect(json('json', ' {"n": 1.10, "n2": 12345678901234567890} ')).toBe(
      '{"n": 1.10, "n2": 12345678901234567890}',
    );
    expect(typedJson({ type: 'json' }, '{"a":')).toMatchObject({ ok: false });
    expect(typedJson({ type: 'multiSelect' }, 'red')).toMatchObject({ ok: false });
  });

  it('cannot break out of the body', () => {
    const body = valuesBody(
      new Map([
        ['a', json('number', '1}, "b": 2')],
        ['c', json('json', '"x"')],
      ]),
    );
    expect(JSON.parse(body)).toEqual({ values: { a: '1}, "b": 2', c: 'x' } });
  });

  it('equals any value of any type that was shown for editing', () => {
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

describe('what is shown', () => {
  it('is the value in its own digits', () => {
    expect(shownValue({ type: 'number' }, 12.5)).toBe('12.5');
    expect(shownValue({ type: 'decimal' }, '1.10')).toBe('1.10');
    expect(shownValue({ type: 'multiSelect' }, ['a', 'b'])).toBe('a, b');
    expect(shownValue({ type: 'json' }, { a: [1] })).toBe('{"a":[1]}');
    expect(shownValue({ type: 'json' }, '12')).toBe('"12"');
    expect(shownValue({ type: 'text' }, undefined)).toBe('');
  });

  it('of something typed is the choices of it', () => {
    expect(shownTyped({ type: 'multiSelect' }, '["a","b"]')).toBe('a, b');
    expect(shownTyped({ type: 'multiSelect' }, 'broken')).toBe('broken');
    expect(shownTyped({ type: 'text' }, '["a"]')).toBe('["a"]');
  });
});

describe('line ends', () => {
  it('stay CRLF where they were, and LF or mixed where they were', () => {
    expect(withLineEndsOf('a\r\nb', 'a\nb!')).toBe('a\r\nb!');
    expect(withLineEndsOf('a\nb', 'a\nb!')).toBe('a\nb!');
    expect(withLineEndsOf('a\r\nb\nc', 'x\ny')).toBe('x\ny');
  });
});
