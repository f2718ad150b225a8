import { COLUMNS, exampleValues } from './data';

const CHUNK_BYTES = 256 * 1024;

/** A file of rows, as its sender reads it. */
export interface RowFile {
  readonly type: string;
  readonly chunks: Iterable<Buffer>;
}

/** Its rows are made as it is read, so that it can be read once. */
export function csvFile(rows: number): RowFile {
  return { type: 'text/csv', chunks: csvChunks(rows) };
}

/** The same as NDJSON. */
export function ndjsonFile(rows: number): RowFile {
  const line = (n: number): string => `${JSON.stringify(exampleValues(n))}\n`;
  return { type: 'application/x-ndjson', chunks: chunksOf(rows, line) };
}

/** The same, made beforehand. */
export const held = ({ type, chunks }: RowFile): RowFile => ({ type, chunks: [...chunks] });

function* csvChunks(rows: number): Generator<Buffer> {
  const keys = COLUMNS.map(({ key }) => key);
  yield Buffer.from(`${keys.join(',')}\n`);
  yield* chunksOf(rows, (n) => {
    const values = exampleValues(n);
    return `${keys.map((key) => cell(String(values[key]))).join(',')}\n`;
  });
}

/** Lines of rows 1 to `rows`, some together. */
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
