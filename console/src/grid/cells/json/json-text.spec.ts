import fc from 'fast-check';
import { compactJson, placeOf, prettyJson } from './print-json';
import { scanJson } from './scan-json';

const problemOf = (text: string): string | null => {
  const { problem } = scanJson(text);
  return problem && `${problem.expected} at ${problem.at}`;
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const SIGNS = Array.from('[]{},:"\\ \n\t0123.-+eEtrunlfas');

describe('scanJson', () => {
  it('names the kinds of tokens', () => {
    const { tokens } = scanJson('{"a": [1.50, "b", null]}');
    expect(tokens.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'sign {',
      'key "a"',
      'sign :',
      'space  ',
      'sign [',
      'number 1.50',
      'sign ,',
      'space  ',
      'string "b"',
      'sign ,',
      'space  ',
      'literal null',
      'sign ]',
      'sign }',
    ]);
  });

  it.each([
    ['', 'value at 0'],
    ['{"a":}', 'value at 5'],
    ['[1,]', 'value at 3'],
    ['[1 2]', 'array-end at 3'],
    ['{"a":1,}', 'key at 7'],
    ['{a:1}', 'key at 1'],
    ['{"a" 1}', 'colon at 5'],
    ['{"a":1', 'object-end at 6'],
    ['{"a":1]', 'object-end at 6'],
    ['01', 'end at 1'],
    ['"a', 'string at 0'],
    [String.raw`["\x"]`, 'string at 1'],
    ['[1] 2', 'end at 4'],
    ['nul', 'value at 0'],
    ['{"a":[1.50,-0,1e400]}', null],
  ])('finds the first error of %s', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('accepts the texts that JSON.parse accepts, and loses no character of any text', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...SIGNS),
      maxLength: 12,
    });
    // JSON with some characters in the middle.
    const broken = fc.tuple(fc.json(), noise, fc.nat()).map(([json, extra, place]) => {
      const at = place % (json.length + 1);
      return json.slice(0, at) + extra + json.slice(at);
    });
    fc.assert(
      fc.property(fc.oneof(fc.json(), noise, broken), (text) => {
        const { tokens, problem } = scanJson(text);
        expect(tokens.map((token) => token.text).join('')).toBe(text);
        expect(problem === null).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('scans deep and long texts', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(scanJson(deep).problem).toBeNull();
    expect(scanJson(`"${'a'.repeat(1_000_000)}`).problem).toEqual({ at: 0, expected: 'string' });
  });
});

describe('prettyJson and compactJson', () => {
  const EXACT = '{"big":12345678901234567890.10,"tiny":1E-400,"list":[-0,1.0],"none":{},"no":[]}';

  it('change no digit', () => {
    const pretty = [
      '{',
      '  "big": 12345678901234567890.10,',
      '  "tiny": 1E-400,',
      '  "list": [',
      '    -0,',
      '    1.0',
      '  ],',
      '  "none": {},',
      '  "no": []',
      '}',
    ].join('\n');
    expect(prettyJson(EXACT)).toBe(pretty);
    expect(compactJson(pretty)).toBe(EXACT);
  });

  it('return a text that is not JSON as it is', () => {
    expect(prettyJson('{"a": 1,}')).toBe('{"a": 1,}');
    expect(compactJson('[1, ')).toBe('[1, ');
  });

  it('print JSON as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value: unknown = JSON.parse(json);
        const text = JSON.stringify(value);
        expect(prettyJson(text)).toBe(JSON.stringify(value, null, 2));
        expect(compactJson(prettyJson(text))).toBe(text);
      }),
    );
  });
});

describe('placeOf', () => {
  it('returns the line and the column', () => {
    expect(placeOf('{\n  "a": x', 9)).toEqual({ line: 2, column: 8 });
    expect(placeOf('', 0)).toEqual({ line: 1, column: 1 });
  });
});
