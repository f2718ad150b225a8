import Papa from 'papaparse';
import { importText } from '../../../text/import-text';
import { FileRejectedError, type Delimiter, type SourceRecord } from './record';

/** Characters that one record can have. A longer one has a quote that is never closed. */
const MAX_RECORD_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads the records of a CSV file. Empty lines are left out, and an empty cell is `null`. Lines can
 * end with LF and CRLF in the same file.
 */
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
    for (const [at, found] of result.data.entries()) {
      const last = found.at(-1) ?? '';
      const cells = last.endsWith('\r') ? found.with(-1, last.slice(0, -1)) : found;
      const error = broken.get(at);
      const isEmpty = cells.every((cell) => cell === '');
      const isDirective = line === 1 && /^sep=/i.test(cells[0] ?? '');
      if (!isEmpty && !isDirective) {
        const record = { line, cells: cells.map((cell) => (cell === '' ? null : cell)) };
        yield error === undefined ? record : { ...record, error: importText.read.quotes(error) };
      }
      line += 1 + cells.reduce((sum, cell) => sum + linesIn(cell), 0);
    }
    rest = isLast ? '' : rest.slice(result.meta.cursor);
  };
  let unfinished = 0;
  for await (const text of texts) {
    rest += text;
    // A long record is not read again with each part.
    if (rest.length < 2 * unfinished) continue;
    yield* take(false);
    unfinished = rest.length;
    if (unfinished > MAX_RECORD_CHARACTERS) {
      throw new FileRejectedError(importText.read.longRow(line));
    }
  }
  yield* take(true);
}

const linesIn = (cell: string): number => cell.match(/\r\n|\r|\n/g)?.length ?? 0;

/** Returns the line end outside quotes. LF also stands for CRLF. */
function lineEndOf(text: string, isLast: boolean): string | undefined {
  const outside = text.replace(/"[^"]*("|$)/g, '');
  if (outside.includes('\n')) return '\n';
  if (/\r(?!$)/.test(outside)) return '\r';
  return isLast ? (outside.endsWith('\r') ? '\r' : '\n') : undefined;
}
