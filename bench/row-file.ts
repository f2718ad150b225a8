import { COLUMNS, exampleValues } from './data';

const CHUNK_BYTES = 256 * 1024;

/** A file of rows, as chunks to send. */
export interface RowFile {
  readonly type: string;
  readonly chunks: Iterable<Buffer>;
}

/** Returns a CSV file. Its rows are generated while it is read, so it can be read once. */
export function csvFile(rows: number): RowFile {
  return { type: 'text/csv', chunks: csvChunks(rows) };
}

/** Returns an NDJSON file. Like `csvFile`, it can be read once. */
export function ndjsonFile(rows: number): RowFile {
  const line = (n: number): string => `${JSON.stringify(exampleValues(n))}\n`;
  return { type: 'application/x-ndjson', chunks: chunksOf(rows, line) };
}

/** Reads a file into memory, so that it can be read several times. */
export const inMemory = ({ type, chunks }: RowFile): RowFile => ({ type, chunks: [...chunks] });

function* csvChunks(rows: number): Generator<Buffer> {
  const keys = COLUMNS.map(({ key }) => key);
  yield Buffer.from(`${keys.join(',')}\n`);
  yield* chunksOf(rows, (n) => {
    const values = exampleValues(n);
    return `${keys.map((key) => cell(String(values[key]))).join(',')}\n`;
  });
}

/** Returns the lines of rows 1 to `rows` in chunks of about 256 KiB. */
export function* chunksOf(rows: number, line: (n: number) => string): Generator<Buffer> {
  let text = '';
  for (let n = 1; n <= rows; n += 1) {
    text += line(n);
    if (text.length >= CHUNK_BYTES || n === rows) {
      yield Buffer.from(text);
      text = '';
    }
  }
}

const cell = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
