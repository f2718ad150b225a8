import { invalidRequest } from '../../../common/error/app-error';
import { DELIMITERS, DELIMITER_NAMES, findDelimiter, type Delimiter } from '../../values/delimiter';
import { tooManyCells } from './record';

/** How a CSV file is written. */
export interface CsvDialect {
  readonly delimiter: Delimiter;
  /** `\n` also stands for CRLF. */
  readonly lineEnd: '\n' | '\r';
}

export const RFC_4180: CsvDialect = { delimiter: 'comma', lineEnd: '\n' };

/** The characters between cells and between records (LF stands for CRLF, too), and the most cells of one. */
export interface CsvSyntax {
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r';
  readonly maxCells: number;
}

/** What the beginning of a file tells, and where its header begins. */
export interface CsvOpening {
  readonly dialect: CsvDialect;
  /** Index of the header. */
  readonly from: number;
  /** The line that the header begins on, from 1. */
  readonly line: number;
}

/** Records after the header that decide between delimiters. */
const SAMPLE_RECORDS = 20;

/**
 * Finds the line end and the delimiter of a file from its beginning. Without `asked`, a delimiter is
 * taken if it is the only one in the header that also splits the lines below it as it does the header.
 * @param asked The delimiter that the caller names.
 * @param isWhole Whether nothing follows the text.
 * @param maxCells Cells of the header; one with more is not looked at any further.
 * @returns `null` if more text is needed.
 * @throws AppError `invalid_request` that says which parameter to send, or for a header too large.
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
  /** The one that Excel's `sep=` line names. */
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

/** Excel writes and reads `sep=;` as a line before the header. */
function skipSeparatorLine(
  text: string,
  start: Start,
  asked: Delimiter | null,
  isWhole: boolean,
): Start | null {
  const beginning = text.slice(start.at, start.at + SEPARATOR_LINE_LENGTH);
  const isCut = beginning.length < SEPARATOR_LINE_LENGTH && !/[\r\n]./s.test(beginning);
  if (isCut && !isWhole) return null;
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

/** For each delimiter or all of them, by character code: 1 and its place in the list, or 0. */
const placesOf = (names: readonly Delimiter[]): Uint8Array => {
  const places = new Uint8Array(128);
  for (const name of names) {
    places[DELIMITERS[name].charCodeAt(0)] = 1 + DELIMITER_NAMES.indexOf(name);
  }
  return places;
};
const ALL_PLACES = placesOf(DELIMITER_NAMES);

interface ScannedRecord {
  /** Times that each delimiter stands outside quotes. */
  readonly counts: Readonly<Record<Delimiter, number>>;
  /** Index of what follows the record. */
  readonly end: number;
  /** `null` where the record goes on. */
  readonly lineEnd: '\n' | '\r' | null;
  /** Whether some delimiter makes more cells of it than there may be. */
  readonly isTooLarge: boolean;
}

/** @param lineEnd What ends lines; `null`: whatever comes first. */
function scanRecord(
  text: string,
  from: number,
  known: Delimiter | null,
  lineEnd: '\n' | '\r' | null,
  maxCells = Infinity,
): ScannedRecord {
  const places = known ? placesOf([known]) : ALL_PLACES;
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
    const place = places[code] ?? 0;
    if (place > 0) {
      const count = (counts[place] ?? 0) + 1;
      counts[place] = count;
      if (count >= maxCells) return ended(at + 1, null);
    }
    isQuoted = isCellStart && code === QUOTE;
    isCellStart = place > 0;
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
  // Nothing else can be meant: no line below is waited for.
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

/** The first records below the header; `null` if more text is needed. */
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
  // A header that one delimiter is in may also be one column.
  const names = found.length === 1 ? [...found, 'comma' as const] : found;
  const shown = names.map((name) => SHOWN[name]).join(' or ');
  const choices = names.map((name) => `delimiter=${name}`).join(' or ');
  return badDelimiter('required', `the header can be split by ${shown}; send ${choices}`);
}

function badDelimiter(code: string, message: string): Error {
  return invalidRequest([{ field: 'delimiter', code, message }]);
}

/** The beginning of an array or object; no name of a column begins so. */
const LIKE_JSON = /^(?:\[[[{"\r\n]|\{["\r\n])/;

function notCsv(): Error {
  const message =
    'looks like JSON, not CSV; send one JSON object per line, with Content-Type application/x-ndjson';
  return invalidRequest([{ field: 'header', code: 'invalid_format', message }]);
}
