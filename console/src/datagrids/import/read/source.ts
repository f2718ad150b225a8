import { isMarkup } from '../../../../../src/common/text/markup';
import { importText } from '../../../text/import-text';
import { readCsv } from './csv';
import { detectDelimiter, looksLikeHeader } from './csv-format';
import { cellsOf, membersOf, readJson, type Members } from './json';
import { FileRejectedError, type FileFormat, type SourceRecord } from './record';
import { detectEncoding, headOf, textOf } from './text';
import { readXlsx } from './xlsx';

const t = importText.read;

/** Bytes from which the encoding is detected. */
const ENCODING_BYTES = 8 * 1024 * 1024;
const HEAD_BYTES = 256 * 1024;
/** Records from which types and formats are detected. */
const SAMPLE_RECORDS = 1_000;

/** The start of a file. */
export interface Sample {
  readonly format: FileFormat;
  /** Names in the header, or members of objects. Columns without a header are numbered. */
  readonly names: readonly string[];
  readonly records: readonly SourceRecord[];
}

/** Recognizes how a file is written. */
export async function detectFormat(file: File): Promise<FileFormat> {
  const head = await headOf(file, ENCODING_BYTES);
  if (head.length === 0) throw new FileRejectedError(t.empty);
  if (head[0] === 0x50 && head[1] === 0x4b) {
    const rows = (await readXlsx(file)).slice(0, 50);
    return { kind: 'xlsx', hasHeader: looksLikeHeader(rows.map(textsOf)) };
  }
  if (head[0] === 0xd0 && head[1] === 0xcf) {
    throw new FileRejectedError(t.oldExcel);
  }
  const encoding = detectEncoding(head);
  const text = new TextDecoder(encoding).decode(head.subarray(0, HEAD_BYTES), { stream: true });
  if (isMarkup(text)) throw new FileRejectedError(t.markup);
  const first = text.trimStart().charAt(0);
  if (first === '{' || (first === '[' && /^\[\s*[{\]]/.test(text.trimStart()))) {
    return { kind: 'json', encoding, isArray: first === '[' };
  }
  const delimiter = await detectDelimiter(text);
  const rows: string[][] = [];
  for await (const record of readCsv(parts(text), delimiter)) {
    if (rows.push(textsOf(record)) >= 50) break;
  }
  return { kind: 'csv', encoding, delimiter, hasHeader: looksLikeHeader(rows) };
}

async function* parts(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

const textsOf = ({ cells }: SourceRecord): string[] => cells.map((cell) => cell ?? '');

/** Reads the start of a file. */
export async function readSample(file: File, format: FileFormat): Promise<Sample> {
  if (format.kind === 'json') {
    const objects: { readonly line: number; readonly members: Members }[] = [];
    for await (const { place: line, text } of readJson(textOf(file, format.encoding))) {
      const members = membersOf(text);
      if (typeof members !== 'string') objects.push({ line, members });
      if (objects.length >= SAMPLE_RECORDS) break;
    }
    if (objects.length === 0) throw new FileRejectedError(t.noObject);
    const names = [...new Set(objects.flatMap(({ members }) => [...members.keys()]))];
    const records = objects.map(({ line, members }) => ({
      line,
      ...cellsOf(members, names),
    }));
    return { format, names, records };
  }
  const records: SourceRecord[] = [];
  for await (const record of readTable(file, format)) {
    if (records.push(record) > SAMPLE_RECORDS) break;
  }
  const [first] = records;
  if (!first) throw new FileRejectedError(t.noRows);
  const width = Math.max(...records.map(({ cells }) => cells.length));
  const names = Array.from({ length: width }, (_none, at) =>
    format.hasHeader ? (first.cells[at] ?? '').replace(/\s+/g, ' ').trim() : '',
  );
  return { format, names, records: format.hasHeader ? records.slice(1) : records };
}

/** Reads the rows of a file, each with a cell for each name of its sample. */
export async function* readRecords(
  file: File,
  format: FileFormat,
  names: readonly string[],
): AsyncGenerator<SourceRecord> {
  if (format.kind === 'json') {
    const known = new Set(names);
    for await (const { place: line, text } of readJson(textOf(file, format.encoding))) {
      const members = membersOf(text);
      if (typeof members === 'string') {
        yield { line, cells: [text], error: members };
        continue;
      }
      const cells = cellsOf(members, names);
      const unknown = [...members.keys()].find((name) => !known.has(name));
      yield unknown === undefined
        ? { line, ...cells }
        : { line, ...cells, error: t.unknownMember(JSON.stringify(unknown)) };
    }
    return;
  }
  let isHeader = format.hasHeader;
  for await (const record of readTable(file, format)) {
    if (isHeader) isHeader = false;
    else if (record.cells.slice(names.length).every((cell) => cell === null)) yield record;
    else yield { ...record, error: t.manyCells };
  }
}

async function* readTable(
  file: File,
  format: Exclude<FileFormat, { kind: 'json' }>,
): AsyncGenerator<SourceRecord> {
  if (format.kind === 'xlsx') yield* await readXlsx(file);
  else yield* readCsv(textOf(file, format.encoding), format.delimiter);
}
