import { type DetailCode, invalidRequest } from '../../common/error/app-error';
import {
  DELIMITERS,
  DELIMITER_NAMES,
  findDelimiter,
  type Delimiter,
} from '../../rows/values/delimiter';
import { tooManyCells } from '../../common/encoding/utf8-text';

/** Delimiter and line ending of a CSV file. */
export interface CsvDialect {
  readonly delimiter: Delimiter;
  /** `\n` also stands for CRLF. */
  readonly lineEnd: '\n' | '\r';
}

export const RFC_4180: CsvDialect = { delimiter: 'comma', lineEnd: '\n' };

/**
 * Delimiter and line ending as characters (LF also stands for CRLF), and the maximum number of
 * cells of a record.
 */
export interface CsvSyntax {
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r';
  readonly maxCells: number;
}

/** The dialect of a file and the start of its header, found from the beginning of the file. */
export interface CsvOpening {
  readonly dialect: CsvDialect;
  /** Index of the header. */
  readonly from: number;
  /** The line on which the header starts, from 1. */
  readonly line: number;
}

/** Number of records after the header that are used to choose between delimiters. */
const SAMPLE_RECORDS = 20;

/**
 * Finds the line ending and the delimiter of a file from its beginning. Without `asked`, a
 * delimiter is chosen if it is the only one in the header that splits most of the records below it
 * into as many cells as the header.
 * @param asked The delimiter that the caller requests.
 * @param isWhole Whether the text is the whole file.
 * @param maxCells Maximum number of cells of the header. The scan stops at a header with more.
 * @returns `null` if more text is needed.
 * @throws AppError `invalid_request` that says which parameter to send, or that the header is too
 *   large.
 */
export function findDialect(
  text: string,
  asked: Delimiter | null,
  isWhole: boolean,
  maxCells: number,
): CsvOpening | null {
  const first = skipBlankLines(text, { at: 0, line: 1 }, isWhole);
  const start = first && skipSeparatorLine(text, first, asked, isWhole);
  if (!start) return null;
  const { at: from, line } = start;
  const known = asked ?? start.delimiter ?? null;
  const header = scanRecord(text, from, known, null, maxCells);
  if (header.isTooLarge) throw tooLargeHeader(line, maxCells);
  if (!header.lineEnd && !isWhole) return null;
  if (header.lineEnd === '\r' && header.end === text.length && !isWhole) return null;
  if (LIKE_JSON.test(text.slice(from, from + 2))) throw notCsv();
  const lineEnd = header.lineEnd ?? '\n';
  const delimiter = known ?? chooseDelimiter(text, header, lineEnd, isWhole);
  return delimiter && { dialect: { delimiter, lineEnd }, from, line };
}

interface Start {
  readonly at: number;
  readonly line: number;
  /** The delimiter that Excel's `sep=` line names. */
  readonly delimiter?: Delimiter;
}

/** @returns `null` if more text is needed. */
function skipBlankLines(text: string, start: Start, isWhole: boolean): Start | null {
  let { at, line } = start;
  for (;;) {
    const character = text[at];
    if (character !== '\n' && character !== '\r') return { ...start, at, line };
    if (character === '\r' && at + 1 === text.length && !isWhole) return null;
    at += character === '\r' && text[at + 1] === '\n' ? 2 : 1;
    line += 1;
  }
}

const SEPARATOR_LINE = /^"?sep=([^\r\n"]?)"?(\r\n|\n|\r|$)/i;
const SEPARATOR_LINE_LENGTH = '"sep=;"\r\n'.length;

/**
 * Skips a line such as `sep=;`, which Excel writes and reads before the header.
 * @returns `null` if more text is needed.
 */
function skipSeparatorLine(
  text: string,
  start: Start,
  asked: Delimiter | null,
  isWhole: boolean,
): Start | null {
  const beginning = text.slice(start.at, start.at + SEPARATOR_LINE_LENGTH);
  const isIncomplete = beginning.length < SEPARATOR_LINE_LENGTH && !/[\r\n]./s.test(beginning);
  if (isIncomplete && !isWhole) return null;
  const match = SEPARATOR_LINE.exec(beginning);
  if (!match) return start;
  const [all, separator = ''] = match;
  const delimiter = findDelimiter(separator);
  if (!delimiter) {
    throw badDelimiter('not_a_choice', `"sep=${separator}" names an unsupported delimiter`);
  }
  if (asked && asked !== delimiter) {
    const message = `delimiter=${asked} contradicts the first line of the file, "sep=${separator}"`;
    throw badDelimiter('incompatible_parameters', message);
  }
  const next = { at: start.at + all.length, line: start.line + 1, delimiter };
  return skipBlankLines(text, next, isWhole);
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Maps a character code to 1 plus the delimiter's index in DELIMITER_NAMES, or 0 for other
 * characters.
 */
const ordinalsOf = (names: readonly Delimiter[]): Uint8Array => {
  const ordinals = new Uint8Array(128);
  for (const name of names) {
    ordinals[DELIMITERS[name].charCodeAt(0)] = 1 + DELIMITER_NAMES.indexOf(name);
  }
  return ordinals;
};
const ALL_ORDINALS = ordinalsOf(DELIMITER_NAMES);

interface ScannedRecord {
  /** Number of occurrences of each delimiter outside quotes. */
  readonly counts: Readonly<Record<Delimiter, number>>;
  /** Index after the record. */
  readonly end: number;
  /** `null` if the record continues after the text. */
  readonly lineEnd: '\n' | '\r' | null;
  /** Whether a delimiter splits the record into more cells than allowed. */
  readonly isTooLarge: boolean;
}

/** @param lineEnd The line ending; `null` to use the first one found. */
function scanRecord(
  text: string,
  from: number,
  known: Delimiter | null,
  lineEnd: '\n' | '\r' | null,
  maxCells = Infinity,
): ScannedRecord {
  const ordinals = known ? ordinalsOf([known]) : ALL_ORDINALS;
  const counts = new Uint32Array(1 + DELIMITER_NAMES.length);
  const ended = (end: number, found: '\n' | '\r' | null): ScannedRecord => {
    const [, comma = 0, semicolon = 0, tab = 0, pipe = 0] = counts;
    const isTooLarge = Math.max(comma, semicolon, tab, pipe) >= maxCells;
    return { counts: { comma, semicolon, tab, pipe }, end, lineEnd: found, isTooLarge };
  };
  let isQuoted = false;
  let isCellStart = true;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code !== QUOTE) continue;
      if (text.charCodeAt(at + 1) === QUOTE) at += 1;
      else isQuoted = false;
      continue;
    }
    if (code === LINE_FEED && lineEnd !== '\r') return ended(at + 1, '\n');
    if (code === CARRIAGE_RETURN && lineEnd !== '\n') {
      if (text[at + 1] === '\n' && !lineEnd) return ended(at + 2, '\n');
      return ended(at + 1, '\r');
    }
    const ordinal = ordinals[code] ?? 0;
    if (ordinal > 0) {
      const count = (counts[ordinal] ?? 0) + 1;
      counts[ordinal] = count;
      if (count >= maxCells) return ended(at + 1, null);
    }
    isQuoted = isCellStart && code === QUOTE;
    isCellStart = ordinal > 0;
  }
  return ended(text.length, null);
}

/** @returns `null` if more text is needed. @throws AppError `invalid_request` */
function chooseDelimiter(
  text: string,
  header: ScannedRecord,
  lineEnd: '\n' | '\r',
  isWhole: boolean,
): Delimiter | null {
  const found = DELIMITER_NAMES.filter((name) => header.counts[name] > 0);
  // Only a comma is possible, so there is no need to wait for further records.
  if (found.length === 0 || (found.length === 1 && found[0] === 'comma')) return 'comma';
  const sample = sampleOf(text, header.end, lineEnd, isWhole);
  if (!sample) return null;
  const fitting = found.filter((name) => {
    const same = sample.filter(({ counts }) => counts[name] === header.counts[name]);
    return same.length * 2 > sample.length || sample.length === 0;
  });
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  throw ambiguous(fitting.length > 1 ? fitting : found);
}

/** Returns the first records below the header; `null` if more text is needed. */
function sampleOf(
  text: string,
  from: number,
  lineEnd: '\n' | '\r',
  isWhole: boolean,
): ScannedRecord[] | null {
  const sample: ScannedRecord[] = [];
  for (let at = from; at < text.length && sample.length < SAMPLE_RECORDS;) {
    const record = scanRecord(text, at, null, lineEnd);
    if (!record.lineEnd && !isWhole) return null;
    if (text.slice(at, record.end).trim() !== '') sample.push(record);
    at = record.end;
  }
  return sample.length < SAMPLE_RECORDS && !isWhole ? null : sample;
}

const SHOWN: Readonly<Record<Delimiter, string>> = {
  comma: '","',
  semicolon: '";"',
  tab: 'a tab',
  pipe: '"|"',
};

function tooLargeHeader(line: number, maxCells: number): Error {
  const { code, message } = tooManyCells(maxCells);
  const details = [{ field: 'header', code, message: `line ${String(line)} ${message}` }];
  return invalidRequest(details);
}

function ambiguous(found: readonly Delimiter[]): Error {
  // A header that contains only one delimiter may also be a single column.
  const names = found.length === 1 ? [...found, 'comma' as const] : found;
  const shown = names.map((name) => SHOWN[name]).join(' or ');
  const choices = names.map((name) => `delimiter=${name}`).join(' or ');
  return badDelimiter('required', `the header can be split by ${shown}; send ${choices}`);
}

function badDelimiter(code: DetailCode, message: string): Error {
  return invalidRequest([{ field: 'delimiter', code, message }]);
}

/** The start of a JSON array or object. No column name starts like this. */
const LIKE_JSON = /^(?:\[[[{"\r\n]|\{["\r\n])/;

function notCsv(): Error {
  const message =
    'looks like JSON, not CSV; send one JSON object per line, with Content-Type application/x-ndjson';
  return invalidRequest([{ field: 'header', code: 'invalid_format', message }]);
}
