import { RFC_4180 } from './csv-dialect';
import { CsvReader } from './csv-reader';
import { RecordFault } from '../../common/encoding/utf8-text';

/** A quoted cell of 1 MB with doubled quotes and line feeds. */
const CELL = '""\n'.repeat(350_000);
const PIECE_LENGTH = 50;
const LIMITS = { maxLength: 4_000_000, maxCells: 4 };

/** Reads text in pieces. Returns the cells of all records and the lines on which they start. */
function read(text: string, pieceLength: number): (readonly [number, unknown])[] {
  const reader = new CsvReader(LIMITS, RFC_4180);
  const records: (readonly [number, unknown])[] = [];
  const take = (found: ReturnType<CsvReader['read']>): void => {
    for (const { line, content } of found) records.push([line, content]);
  };
  for (let at = 0; at < text.length; at += pieceLength) {
    take(reader.read(text.slice(at, at + pieceLength)));
  }
  take(reader.end());
  return records;
}

describe('CsvReader', () => {
  it('reads a long record in small pieces in linear time', () => {
    const text = `a,b\n"${CELL}",1\nlast,2`;
    expect(read(text, PIECE_LENGTH)).toEqual([
      [1, ['a', 'b']],
      [2, [CELL.replaceAll('""', '"'), '1']],
      [350_003, ['last', '2']],
    ]);
  });

  it('returns a long record once it is complete and its buffer has doubled, or at the end', () => {
    const reader = new CsvReader(LIMITS, RFC_4180);
    expect([...reader.read(`"${'x'.repeat(10_000)}`)]).toEqual([]);
    expect([...reader.read('"\n')]).toEqual([]);
    const records = [...reader.end()];
    expect(records).toEqual([
      { line: 1, nextLine: 2, length: 10_003, content: ['x'.repeat(10_000)] },
    ]);
  });

  it.each([
    ['without quotes', 'a,b,c,d,e\n', 2],
    ['with quotes', '"a",b,c,"d",e\n', 2],
    ['with quotes and line feeds after its last cell', 'a,"b",c,d,"e\n\n""\n",f\n', 5],
    ['with a misplaced quote after its last cell', '"a",b,c,d,e"f\n', 2],
  ])('rejects a record of more cells than allowed %s and reads the next one', (_, text, next) => {
    const fault = new RecordFault('too_many', 'has more than 4 cells, the maximum for one line');
    expect(read(`${text}a,b,c,d\n`, text.length)).toEqual([
      [1, fault.over(1, next - 1)],
      [next, ['a', 'b', 'c', 'd']],
    ]);
  });

  it('says which lines are lost with a record of several lines that cannot be read', () => {
    const faults = read('"a\nb,1\nc"d,2\n"e,3\nf,4\n', 7).map(([line, fault]) => [
      line,
      (fault as RecordFault).message,
    ]);
    expect(faults).toEqual([
      [
        1,
        'has an unexpected quote; enclose the whole cell in quotes, with no space outside them, and double the quotes inside it; lines 1 to 3 are not read',
      ],
      [4, 'has an unterminated quoted cell; lines 4 to 5 are not read'],
    ]);
  });

  it.each([
    ['a single column', 'x\ry\n'],
    ['a line that ends with two of them', 'x,1\r\r\n'],
    ['the start of a line', '\rx,1\n'],
    ['a blank line of two of them', '\r\r\n'],
    ['a cell after a quoted one', '"x",1\r2,"y"\n'],
  ])('rejects a line with a carriage return outside quotes, in %s', (_, line) => {
    const fault = new RecordFault(
      'invalid_format',
      'has a carriage return outside quotes, in a file whose header ends with LF or CRLF',
    );
    for (const pieceLength of [1, 1_000]) {
      expect(read(`a,b\n${line}"c\rd",2\r\n`, pieceLength)).toEqual([
        [1, ['a', 'b']],
        [2, fault.over(2, 2)],
        [3, ['c\rd', '2']],
      ]);
    }
  });

  it('splits a line of a million cells only up to the limit', () => {
    const split = jest.spyOn(String.prototype, 'split');
    const records = read(`${','.repeat(1_000_000)}\n`, 2_000_000);
    const made = split.mock.results.map(({ value }) => (value as string[]).length);
    split.mockRestore();
    expect(records).toHaveLength(1);
    expect(made).toEqual([5]);
  });
});
