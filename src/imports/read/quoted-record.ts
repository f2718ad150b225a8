import type { CsvSyntax } from './csv-dialect';
import { RecordFault, tooManyCells } from '../../common/encoding/utf8-text';

export interface QuotedRecord {
  readonly content: readonly string[] | RecordFault;
  /** Number of lines that the record spans. */
  readonly lines: number;
  /** Index after the record. */
  readonly end: number;
}

/** A cell and the index after it. */
interface Cell {
  readonly value: string;
  readonly end: number;
}

/**
 * Reads the record at `from`, whose first line contains a quote.
 * @returns `null` if more text is needed.
 */
export function quotedRecord(text: string, from: number, syntax: CsvSyntax): QuotedRecord | null {
  const { delimiter, lineEnd, maxCells } = syntax;
  const cells: string[] = [];
  let at = from;
  for (;;) {
    if (cells.length === maxCells) return passedOver(text, from, syntax);
    const isQuoted = text[at] === '"';
    const cell = isQuoted ? quotedCell(text, at + 1) : plainCell(text, at, syntax);
    if (!cell) return null;
    if (!isQuoted && cell.value.includes('"')) return faulty(text, from, cell.end, lineEnd);
    const stray = isQuoted ? null : strayLineEnd(cell.value, lineEnd);
    if (stray) return faulty(text, from, cell.end, lineEnd, stray);
    cells.push(cell.value);
    at = cell.end;
    if (text[at] === delimiter) {
      at += 1;
    } else {
      const feed = text[at] === '\r' && lineEnd === '\n' ? at + 1 : at;
      if (feed >= text.length) return null;
      if (text[feed] !== lineEnd) return faulty(text, from, at, lineEnd);
      return { content: cells, lines: linesIn(text, from, feed, lineEnd), end: feed + 1 };
    }
  }
}

/** Skips a record with more cells than allowed and finds its end. */
function passedOver(text: string, from: number, syntax: CsvSyntax): QuotedRecord | null {
  const record = new LongCsvRecord(syntax);
  const rest = record.skip(text.slice(from));
  if (rest === null) return null;
  const content = tooManyCells(syntax.maxCells);
  return { content, lines: record.lines, end: text.length - rest.length };
}

/** @param from Index after the opening quote. */
function quotedCell(text: string, from: number): Cell | null {
  let end = text.indexOf('"', from);
  let isDoubled = false;
  while (end !== -1 && text[end + 1] === '"') {
    isDoubled = true;
    end = text.indexOf('"', end + 2);
  }
  if (end === -1 || end + 1 === text.length) return null;
  const inner = text.slice(from, end);
  // With 500,000 pairs of quotes, `replaceAll` takes five times as long.
  return { value: isDoubled ? inner.split('""').join('"') : inner, end: end + 1 };
}

/**
 * Reads a cell up to a delimiter or the end of the line. The CR of a CRLF is not part of the cell.
 */
function plainCell(text: string, from: number, { delimiter, lineEnd }: CsvSyntax): Cell | null {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== lineEnd) end += 1;
  if (end === text.length) return null;
  if (text[end] === '\n' && end > from && text[end - 1] === '\r') end -= 1;
  return { value: text.slice(from, end), end };
}

/**
 * Rejects a record with a misplaced quote. Its meaning is ambiguous, so the record ends with its
 * line.
 */
function faulty(
  text: string,
  from: number,
  at: number,
  lineEnd: string,
  content = strayQuote(),
): QuotedRecord | null {
  const feed = text.indexOf(lineEnd, at);
  if (feed === -1) return null;
  return { content, lines: linesIn(text, from, feed, lineEnd), end: feed + 1 };
}

function strayQuote(): RecordFault {
  const message =
    'has an unexpected quote; enclose the whole cell in quotes, with no space outside them, and double the quotes inside it';
  return new RecordFault('invalid_format', message);
}

/**
 * Rejects the other line end outside quotes. It can be a cell's or separate two lines, which would
 * become one.
 * @param text Unquoted cells without the end of their line.
 * @returns `null` if there is none.
 */
export function strayLineEnd(text: string, lineEnd: CsvSyntax['lineEnd']): RecordFault | null {
  if (!text.includes(lineEnd === '\r' ? '\n' : '\r')) return null;
  const message =
    lineEnd === '\r'
      ? 'has a line feed outside quotes, in a file whose header ends with CR alone'
      : 'has a carriage return outside quotes, in a file whose header ends with LF or CRLF';
  return new RecordFault('invalid_format', message);
}

function linesIn(text: string, from: number, feed: number, lineEnd: string): number {
  let lines = 1;
  for (let at = text.indexOf(lineEnd, from); at < feed; at = text.indexOf(lineEnd, at + 1)) {
    lines += 1;
  }
  return lines;
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/** State of the scanner after the last character. */
type ScanState = 'cell start' | 'unquoted' | 'quoted' | 'after quote' | 'after return' | 'faulty';

/**
 * Skips a record that is too large to read, and finds the start of the next record: the same
 * position as if the record were read. After a misplaced quote, the record ends at the end of the
 * line.
 */
export class LongCsvRecord {
  /** Number of lines that the record spans. */
  lines = 1;
  private state: ScanState = 'cell start';

  private readonly lineEnd: number;
  private readonly delimiter: number;

  constructor({ lineEnd, delimiter }: Pick<CsvSyntax, 'lineEnd' | 'delimiter'>) {
    this.lineEnd = lineEnd.charCodeAt(0);
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** @returns the text after the record; `null` if the record continues. */
  skip(text: string): string | null {
    const { lineEnd, delimiter } = this;
    let { state } = this;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === lineEnd) {
        if (state !== 'quoted') return text.slice(at + 1);
        this.lines += 1;
      } else {
        state = stateAfter(state, code, delimiter);
      }
    }
    this.state = state;
    return null;
  }
}

function stateAfter(state: ScanState, code: number, delimiter: number): ScanState {
  switch (state) {
    case 'cell start':
    case 'unquoted':
      if (code === delimiter) return 'cell start';
      if (code !== QUOTE) return 'unquoted';
      return state === 'cell start' ? 'quoted' : 'faulty';
    case 'quoted':
      return code === QUOTE ? 'after quote' : 'quoted';
    case 'after quote':
      if (code === QUOTE) return 'quoted';
      if (code === delimiter) return 'cell start';
      return code === CARRIAGE_RETURN ? 'after return' : 'faulty';
    case 'after return':
    case 'faulty':
      return 'faulty';
  }
}
