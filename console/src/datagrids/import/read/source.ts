import { isMarkup } from '../../../../../src/common/text/markup';
import { type Encoding, openText } from '../../../../../src/imports/read/body-text';
import { importText } from '../../../text/import-text';
import { badBytesIn, detectDelimiter, readCsv, type RecordError } from './csv';
import { looksLikeHeader } from './header';
import { cellsOf, membersOf, readJson, type Members } from './json';
import { FileRejectedError, type FileFormat, type SourceRecord } from './record';
import { detectEncoding, headOf, partsOf, textOf } from './text';
import { sheetNames, xlsxRows } from './xlsx';

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
    return detectSheet(file);
  }
  if (head[0] === 0xd0 && head[1] === 0xcf) {
    throw new FileRejectedError(t.oldExcel);
  }
  const encoding = detectEncoding(head);
  const start = head.subarray(0, HEAD_BYTES);
  const text = openText(encoding).read(start);
  if (isMarkup(text)) throw new FileRejectedError(t.markup);
  const first = text.trimStart().charAt(0);
  if (first === '{' || (first === '[' && /^\[\s*[{\]]/.test(text.trimStart()))) {
    return { kind: 'json', encoding, isArray: first === '[' };
  }
  const found = detectDelimiter(start, encoding);
  const rows: string[][] = [];
  for await (const record of readCsv(partsOf(new Blob([start])), { ...found, encoding })) {
    if (record.error === undefined && rows.push(textsOf(record)) >= 50) break;
  }
  return { kind: 'csv', encoding, ...found, hasHeader: looksLikeHeader(rows) };
}

/** Returns how the first worksheet is read. */
async function detectSheet(file: File): Promise<FileFormat> {
  const sheets = await sheetNames(file);
  const sheet = sheets[0] ?? '';
  const rows: string[][] = [];
  for await (const record of xlsxRows(file, sheet)) {
    if (rows.push(textsOf(record)) >= 50) break;
  }
  return { kind: 'xlsx', hasHeader: looksLikeHeader(rows), sheet, sheets };
}

const textsOf = ({ cells }: SourceRecord): string[] => cells.map((cell) => cell ?? '');

/** Reads the start of a file. */
export async function readSample(file: File, format: FileFormat): Promise<Sample> {
  if (format.kind === 'json') {
    const objects: { readonly line: number; readonly members: Members }[] = [];
    for await (const { place: line, text } of readJson(textOf(file, format.encoding))) {
      const members = objectOf(text, format.encoding);
      if (!('error' in members)) objects.push({ line, members });
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
  if (first.error !== undefined && format.hasHeader) {
    const { line, error, detail } = first;
    throw new FileRejectedError(t.faultyHeader(line, error, detail));
  }
  const good = records.filter(({ error }) => error === undefined);
  const widths = good.map(({ cells }) => cells.length);
  // As in the API, the header of a CSV file says how many cells a row has.
  const isFixed = format.kind === 'csv' && format.hasHeader;
  const width = isFixed ? first.cells.length : Math.max(0, ...widths);
  const names = Array.from({ length: width }, (_none, at) =>
    format.hasHeader ? (first.cells[at] ?? '').replace(/\s+/g, ' ').trim() : '',
  );
  return { format, names, records: format.hasHeader ? good.slice(1) : good };
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
      const members = objectOf(text, format.encoding);
      if ('error' in members) {
        yield { line, cells: [text], ...members };
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
  // Spreadsheets leave out empty cells at the end of a row, but only where a name is blank, too.
  const fewest = format.kind === 'csv' ? names.findLastIndex((name) => name !== '') + 1 : 0;
  let isHeader = format.hasHeader;
  for await (const record of readTable(file, format)) {
    const { cells, error } = record;
    if (isHeader) isHeader = false;
    else if (error !== undefined) yield record;
    else if (cells.length < fewest) yield { ...record, error: t.fewCells };
    else if (cells.slice(names.length).every((cell) => cell === null)) yield padded(record, names);
    else yield { ...record, error: t.manyCells };
  }
}

/** Adds the empty cells at the end of a row, which the worksheet does not have. */
function padded(record: SourceRecord, names: readonly string[]): SourceRecord {
  const { cells } = record;
  const missing = names.slice(cells.length).map(() => null);
  return missing.length === 0 ? record : { ...record, cells: [...cells, ...missing] };
}

/** Returns the members of an object, or why the text is none. */
function objectOf(text: string, encoding: Encoding): Members | RecordError {
  const members = badBytesIn([text], encoding) ?? membersOf(text);
  return typeof members === 'string' ? { error: members } : members;
}

async function* readTable(
  file: File,
  format: Exclude<FileFormat, { kind: 'json' }>,
): AsyncGenerator<SourceRecord> {
  if (format.kind === 'xlsx') yield* xlsxRows(file, format.sheet);
  else yield* readCsv(partsOf(file), format);
}
