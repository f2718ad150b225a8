import fc from 'fast-check';
import { parseTsv, printTsv } from './tsv';

const CELL = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('"', '\t', '\n', '\r', ',', 'a', ' ', '\u00e9'))
    .map((parts) => parts.join('')),
);
const BLOCK = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.array(fc.array(CELL, { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 6,
  }),
);

describe('copied cells', () => {
  it('are read again exactly, whatever they contain', () => {
    fc.assert(
      fc.property(BLOCK, (block) => {
        expect(parseTsv(printTsv(block))).toEqual(block);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are quoted as in spreadsheets', () => {
    expect(
      printTsv([
        ['a', 'b\tc'],
        ['two\nlines', 'say "yes"'],
      ]),
    ).toBe('a\t"b\tc"\n"two\nlines"\t"say ""yes"""');
  });
});

describe('cells of a spreadsheet', () => {
  it('are read from Excel, which ends each row with a line end', () => {
    expect(parseTsv('a\tb\r\n"c\nd"\t\r\n')).toEqual([
      ['a', 'b'],
      ['c\nd', ''],
    ]);
  });

  it('may begin with a quote that encloses nothing', () => {
    expect(parseTsv('"big" dog\t"')).toEqual([['"big" dog', '"']]);
  });

  it('are one empty cell if there is no text', () => {
    expect(parseTsv('')).toEqual([['']]);
  });
});
