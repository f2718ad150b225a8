import { RFC_4180 } from './csv-dialect';
import { CsvReader } from './csv-reader';

/** A quoted cell of 1 MB whose quotes are doubled, with line feeds in it. */
const CELL = '""\n'.repeat(350_000);
const PIECE_LENGTH = 50;

/** Cells of all records of a text that comes in pieces, with the lines that they begin on. */
function read(text: string, pieceLength: number): (readonly [number, unknown])[] {
  const reader = new CsvReader(4_000_000, RFC_4180);
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
  it('reads a long record that comes in small pieces in the time that one of its length takes', () => {
    const text = `a,b\n"${CELL}",1\nlast,2`;
    expect(read(text, PIECE_LENGTH)).toEqual([
      [1, ['a', 'b']],
      [2, [CELL.replaceAll('""', '"'), '1']],
      [350_003, ['last', '2']],
    ]);
  });

  it('gives a long record as soon as it is whole and has doubled, or at the end', () => {
    const reader = new CsvReader(4_000_000, RFC_4180);
    expect([...reader.read(`"${'x'.repeat(10_000)}`)]).toEqual([]);
    expect([...reader.read('"\n')]).toEqual([]);
    const records = [...reader.end()];
    expect(records).toEqual([{ line: 1, nextLine: 2, content: ['x'.repeat(10_000)] }]);
  });
});
