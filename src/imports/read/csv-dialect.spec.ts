import { AppError } from '../../common/error/app-error';
import type { Delimiter } from '../../rows/values/delimiter';
import { findDialect } from './csv-dialect';

const MAX_CELLS = 4;

/**
 * Describes the delimiter, the line ending and the start of the header; or returns the error
 * message.
 */
function found(text: string, asked: Delimiter | null = null): string {
  try {
    const opening = findDialect(text, asked, true, MAX_CELLS);
    if (!opening) return 'needs more text';
    const { dialect, from, line } = opening;
    const end = dialect.lineEnd === '\n' ? 'LF' : 'CR';
    return `${dialect.delimiter} ${end} ${text.slice(from).split(/[\r\n]/)[0] ?? ''} on ${String(line)}`;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

describe('findDialect', () => {
  it.each([
    ['a,b\n1,2\n', 'comma LF a,b on 1'],
    ['a;b\r\n1;2\r\n', 'semicolon LF a;b on 1'],
    ['a\tb\r1\t2\r', 'tab CR a\tb on 1'],
    ['a|b\n', 'pipe LF a|b on 1'],
    ['name\n1;2\n3;4\n', 'comma LF name on 1'],
    ['"a;b"\n1\n', 'comma LF "a;b" on 1'],
    ['"a,b";c\n"1,5";2\n', 'semicolon LF "a,b";c on 1'],
    ['a;b\n1,5;2\n3,25;4\n', 'semicolon LF a;b on 1'],
    ['Area (km²; land),name\n1,a\n2,b\n', 'comma LF Area (km²; land),name on 1'],
    ['\n\r\n\na;b\n1;2\n', 'semicolon LF a;b on 4'],
    ['\r\ra;b\r1;2', 'semicolon CR a;b on 3'],
    ['sep=;\r\na\r\n1\r\n', 'semicolon LF a on 2'],
    ['"sep=\t"\na,b\tc\n1\t2\n', 'tab LF a,b\tc on 2'],
    ['"5"" pipe",b\n1,2\n', 'comma LF "5"" pipe",b on 1'],
  ])('finds the dialect of %j', (text, dialect) => {
    expect(found(text)).toBe(dialect);
  });

  it.each([
    [
      'a,b;c\n',
      'delimiter: the header can be split by "," or ";"; send delimiter=comma or delimiter=semicolon',
    ],
    [
      'price,net;count\n1,5;2\n3,25;4\n',
      'delimiter: the header can be split by "," or ";"; send delimiter=comma or delimiter=semicolon',
    ],
    [
      'name (a|b)\nx\ny\n',
      'delimiter: the header can be split by "|" or ","; send delimiter=pipe or delimiter=comma',
    ],
    ['sep=:\na:b\n', 'delimiter: "sep=:" names an unsupported delimiter'],
  ])('rejects %j and names the parameter to send', (text, message) => {
    expect(found(text)).toBe(message);
  });

  it('uses the requested delimiter even if the header looks different', () => {
    expect(found('a,b;c\n', 'semicolon')).toBe('semicolon LF a,b;c on 1');
    expect(found('a;b\n1;2\n', 'comma')).toBe('comma LF a;b on 1');
    expect(found('sep=;\na;b\n', 'semicolon')).toBe('semicolon LF a;b on 2');
    expect(found('sep=;\na;b\n', 'comma')).toBe(
      'delimiter: delimiter=comma contradicts the first line of the file, "sep=;"',
    );
  });

  it.each(['[{"a":1}]', '[\n  {"a": 1}\n]', '{"a":1}\n{"a":2}\n', '["a"]'])(
    'rejects JSON that is sent as CSV: %j',
    (text) => {
      expect(found(text)).toContain(
        'header: looks like JSON, not CSV; send one JSON object per line',
      );
    },
  );

  it('asks for more text until the first records are complete', () => {
    for (const text of [
      '',
      'a',
      'a,b',
      'a,b\r',
      '"a\n',
      's',
      'sep=;',
      'sep=;\r',
      'sep=;\n',
      'a;b\n1;2\n',
    ]) {
      expect([text, findDialect(text, null, false, MAX_CELLS)]).toEqual([text, null]);
    }
    expect(findDialect('a,b\n', null, false, MAX_CELLS)).toBeNull();
    expect(findDialect('a,b\n1', null, false, MAX_CELLS)).not.toBeNull();
    expect(findDialect(`a;b\n${'1;2\n'.repeat(20)}`, null, false, MAX_CELLS)).not.toBeNull();
  });

  it.each([
    ['of commas', ',,,,,,,,,,', null, null],
    ['of one delimiter among others', 'a;b,c;d;e|f;', null, null],
    ['of the delimiter that is asked for', 'a,b,c,d,eeeee', 'comma' as const, null],
    ['in quotes', '",,,,,",b', 'comma' as const, 'more text'],
    ['of a delimiter that is not asked for', ',,,,,,', 'tab' as const, 'more text'],
  ])('rejects an incomplete header with too many cells %s', (_, text, asked, more) => {
    const find = (): unknown => findDialect(`\n${text}`, asked, false, MAX_CELLS);
    if (more) expect(find()).toBeNull();
    else expect(find).toThrow('header: line 2 has more than 4 cells, the maximum for one line');
  });
});
