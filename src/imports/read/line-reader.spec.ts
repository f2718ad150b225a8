import { LineReader } from './line-reader';
import { RecordFault } from '../../common/encoding/utf8-text';

/**
 * Reads pieces and returns each record as `line text`, with an exclamation mark for a line that is
 * too long.
 */
function linesOf(pieces: readonly string[], maxLength = 100): string[] {
  const reader = new LineReader(maxLength);
  const records = [
    ...pieces.flatMap((piece) => [...reader.read(Buffer.from(piece))]),
    ...reader.end(),
  ];
  return records.map(({ line, nextLine, content }) => {
    expect(nextLine).toBe(line + 1);
    return `${String(line)} ${content instanceof RecordFault ? '!' : content.toString()}`;
  });
}

describe('LineReader', () => {
  it.each<[string, string[], string[]]>([
    ['nothing', [], []],
    ['lines', ['a\nb\n'], ['1 a', '2 b']],
    ['a last line without an end', ['a\nb'], ['1 a', '2 b']],
    ['empty lines', ['\n \r\n\t\na\n\n'], ['4 a']],
    ['lines in pieces', ['a', 'b\nc', '', 'd', '\n'], ['1 ab', '2 cd']],
    ['a byte order mark', ['\uFEFFa\n\uFEFFb'], ['1 a', '2 \uFEFFb']],
  ])('reads %s', (_, pieces, lines) => {
    expect(linesOf(pieces)).toEqual(lines);
  });

  it('rejects a line that is too long and stores nothing of it', () => {
    expect(linesOf(['aaaaaa\nb\n', 'ccc', 'ccc', 'c\nd\neeeee'], 4)).toEqual([
      '1 !',
      '2 b',
      '3 !',
      '4 d',
      '5 !',
    ]);
  });
});
