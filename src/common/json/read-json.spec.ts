import fc from 'fast-check';
import { JsonRejectedError } from './json-error';
import { parseJson } from './parse-json';
import { readJson } from './read-json';

function read(text: string): unknown {
  return readJson(Buffer.from(text));
}

function rejection(body: string | Buffer): JsonRejectedError {
  try {
    readJson(Buffer.from(body));
  } catch (error) {
    if (error instanceof JsonRejectedError) return error;
    throw error;
  }
  throw new Error('The body was read.');
}

describe('readJson', () => {
  it('reads whatever JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(read(text)).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('rejects whatever JSON.parse rejects', () => {
    const text = fc.json().chain((json) =>
      fc.tuple(fc.nat(json.length), fc.constantFrom(...Array.from('[]{}",:\\0-.eutn \n'))).map(
        // Changes one character, which breaks most texts and leaves some valid.
        ([at, character]) => json.slice(0, at) + character + json.slice(at + 1),
      ),
    );
    fc.assert(
      fc.property(text, (changed) => {
        let isValid = true;
        try {
          JSON.parse(changed);
        } catch {
          isValid = false;
        }
        if (!isValid) expect(rejection(changed).code).toBe('malformed_json');
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [''],
    [' '],
    ['{'],
    ['{"a":1,}'],
    ["{'a':1}"],
    ['01'],
    ['+1'],
    ['NaN'],
    ['1 2'],
    ['"\n"'],
  ])('rejects %j as malformed', (text) => {
    expect(rejection(text).code).toBe('malformed_json');
  });

  it.each([
    ['', 'unexpected end at line 1, column 1'],
    ['{"a": 1', 'unexpected end at line 1, column 8'],
    ['["abc', 'unexpected end at line 1, column 6'],
    ['{\n  "a": 1,\n}', 'unexpected character at line 3, column 1'],
    ['["ä😀", nul]', 'unexpected character at line 1, column 8'],
    [`["${'ü'.repeat(300)}\n"]`, 'unexpected character at line 1, column 303'],
    ['[1] 2', 'unexpected character at line 1, column 5'],
  ])('reports the line and column of the first error in %j', (text, place) => {
    expect(rejection(text).message).toBe(`is not valid JSON: ${place}`);
    const parser = parseJson(Buffer.from(text), { maxValues: 10, isDue: () => false });
    expect(() => parser.next()).toThrow(`is not valid JSON: ${place}`);
  });

  it('skips a byte order mark', () => {
    expect(read('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('reads text beyond ASCII, raw and escaped', () => {
    expect(read('["Größe 😀","\\u00df\\ud83d\\uDE00\\\\u0000"]')).toEqual([
      'Größe 😀',
      'ß😀\\u0000',
    ]);
  });

  it.each([['1.10'], ['1e23'], ['0.30000000000000004'], ['5e-324'], ['-0'], ['1E5'], ['1.0']])(
    'reads the number %s',
    (token) => {
      expect(read(`[${token}]`)).toEqual([Number(token)]);
    },
  );
});

describe('readJson, for JSON that PostgreSQL cannot store', () => {
  it.each([[5_000], [1_000_000]])('rejects %d levels of nesting', (depth) => {
    expect(rejection('['.repeat(depth)).code).toBe('too_deep');
    expect(rejection('['.repeat(depth) + ']'.repeat(depth)).code).toBe('too_deep');
    expect(rejection('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)).code).toBe('too_deep');
  });

  it('accepts 64 levels of nesting and rejects 65', () => {
    expect(() => read('['.repeat(64) + ']'.repeat(64))).not.toThrow();
    expect(rejection('['.repeat(65) + ']'.repeat(65)).code).toBe('too_deep');
    expect(read(`["${'['.repeat(100)}"]`)).toEqual(['['.repeat(100)]);
  });

  it('rejects bytes that are not UTF-8', () => {
    expect(rejection(Buffer.from([0x22, 0xff, 0x22])).code).toBe('invalid_utf8');
    expect(rejection(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])).code).toBe('invalid_utf8');
  });

  it.each([
    ['NUL', '\\u0000'],
    ['a high surrogate alone', 'x\\uD83D'],
    ['a high surrogate before other text', '\\ud83dx'],
    ['a high surrogate before another escape', '\\ud83d\\n'],
    ['two high surrogates', '\\ud83d\\ud83d\\ude00'],
    ['a low surrogate alone', '\\uDE00'],
    ['a low surrogate after a pair', '\\ud83d\\ude00\\ude00'],
  ])('rejects a key or value that contains %s', (_name, text) => {
    const inValue = rejection(`{"rows":[{"a":1},{"values":{"note":"${text}"}}]}`);
    expect(inValue).toMatchObject({ code: 'invalid_text', field: 'rows.1.values.note' });
    const inKey = rejection(`{"rows":[{"values":{"${text}":1}}]}`);
    expect(inKey).toMatchObject({ code: 'invalid_text', field: 'rows.0.values' });
    expect(rejection(`"${text}"`)).toMatchObject({ code: 'invalid_text', field: undefined });
  });
});

describe('readJson, for numbers that cannot be stored exactly', () => {
  it.each([
    ['9007199254740993'],
    ['1e400'],
    ['0.1234567890123456789'],
    ['3.141592653589793238'],
    ['-1e999'],
  ])('rejects %s and names its field', (token) => {
    expect(
      rejection(`{"rows":[{},[],"x",{"values":{"b":[1, 2],"amount": ${token} }}]}`),
    ).toMatchObject({
      code: 'inexact_number',
      field: 'rows.3.values.amount',
    });
  });
});

describe('readJson, for the keys __proto__ and constructor', () => {
  it('creates own properties and changes no prototype', () => {
    const value = read('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('rejects duplicates', () => {
    expect(rejection('{"__proto__":1,"__proto__":2}').field).toBe('__proto__');
    expect(rejection('{"__proto__":{"a":1,"a":1}}').field).toBe('__proto__.a');
  });
});

describe('readJson, for duplicate keys', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"b":1},{"b":1,"c":{},"b":1}]', '1.b'],
    ['{"rows":[{"values":{"x":{"1":0,"1":0}}}]}', 'rows.0.values.x.1'],
    ['{"":1,"":1}', ''],
  ])('rejects %s and names the field', (text, field) => {
    expect(rejection(text)).toMatchObject({ code: 'duplicate_key', field });
  });

  it('accepts the same key in two objects', () => {
    expect(read('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }]);
  });

  it('finds a duplicate at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'grapheme' }), (value, key) => {
        const twice = `{${JSON.stringify(key)}:0,"-${key.length}-":0,${JSON.stringify(key)}:0}`;
        const text = JSON.stringify([value, 'here']).replace(/"here"\]$/, () => `${twice}]`);
        expect(rejection(text).code).toBe('duplicate_key');
      }),
    );
  });

  it('shortens the key in the error message', () => {
    const key = '😀'.repeat(5_000);
    const error = rejection(`{"${key}":1,"${key}":1}`);
    expect(error.message).toContain(`"${'😀'.repeat(60)}…"`);
    expect(error.field).toBe(`${'😀'.repeat(100)}…`);
  });
});
