import Papa from 'papaparse';
import type { Delimiter, SourceRecord } from './record';

/** Characters that one record can have. A longer one has a quote that is never closed. */
const MAX_RECORD_CHARACTERS = 16 * 1024 * 1024;

/** Reads the records of a CSV file. Empty lines are left out, and an empty cell is `null`. */
export async function* readCsv(
  texts: AsyncIterable<string>,
  delimiter: Delimiter,
): AsyncGenerator<SourceRecord> {
  let rest = '';
  let line = 1;
  let newline: string | undefined;
  const take = function* (isLast: boolean): Generator<SourceRecord> {
    newline ??= lineEndOf(rest, isLast);
    if (newline === undefined) return;
    const parser = new Papa.Parser({ delimiter, newline: newline as '\n' });
    const result = parser.parse(rest, 0, !isLast) as Papa.ParseResult<string[]>;
    const broken = new Map(result.errors.map(({ row, message }) => [row, message]));
    for (const [at, cells] of result.data.entries()) {
      const error = broken.get(at);
      const isEmpty = cells.every((cell) => cell === '');
      const isDirective = line === 1 && /^sep=/i.test(cells[0] ?? '');
      if (!isEmpty && !isDirective) {
        const record = { line, cells: cells.map((cell) => (cell === '' ? null : cell)) };
        yield error === undefined ? record : { ...record, error: `Malformed quotes: ${error}` };
      }
      line += 1 + cells.reduce((sum, cell) => sum + linesIn(cell), 0);
    }
    rest = isLast ? '' : rest.slice(result.meta.cursor);
  };
  for await (const text of texts) {
    rest += text;
    if (rest.length > MAX_RECORD_CHARACTERS && !rest.slice(0, -text.length).includes('\n')) {
      yield { line, cells: [], error: 'The line is too long.' };
      return;
    }
    yield* take(false);
  }
  yield* take(true);
}

const linesIn = (cell: string): number => cell.match(/\r\n|\r|\n/g)?.length ?? 0;

/** Returns the first line end outside quotes. */
function lineEndOf(text: string, isLast: boolean): string | undefined {
  const outside = text.replace(/"[^"]*("|$)/g, '');
  const found = /\r\n|\n|\r(?!$)/.exec(outside)?.[0];
  return found ?? (isLast ? (outside.endsWith('\r') ? '\r' : '\n') : undefined);
}
