import { DELIMITERS } from '../../rows/values/delimiter';
import type { CsvDialect, CsvSyntax } from './csv-dialect';
import { LongCsvRecord, quotedRecord, strayLineEnd } from './quoted-record';
import {
  RecordFault,
  tooLong,
  tooManyCells,
  type RecordLimits,
  type SourceRecord,
} from '../../common/encoding/utf8-text';

export type CsvRecord = SourceRecord<readonly string[]>;

const CARRIAGE_RETURN = 0x0d;
/** Length up to which a pending record is read again with every piece of text. */
const SHORT_LENGTH = 4_096;

/**
 * Reads CSV records from text that arrives in pieces, as in RFC 4180 but with any delimiter. Lines
 * end with LF or CRLF, or all with CR. Blank lines are skipped. Lines without quotes, which are the
 * most common, are split by built-in string functions.
 */
export class CsvReader {
  /** The start of a record whose end has not arrived. */
  private pending = '';
  /** Text after `pending` that has not been read yet. */
  private arrived = '';
  /** A record in progress that is too long to keep. */
  private long: LongCsvRecord | null = null;
  private readonly syntax: CsvSyntax;

  /** @param line The line on which the text starts. */
  constructor(
    private readonly limits: RecordLimits,
    { delimiter, lineEnd }: CsvDialect,
    private line = 1,
  ) {
    this.syntax = { delimiter: DELIMITERS[delimiter], lineEnd, maxCells: limits.maxCells };
  }

  *read(text: string, isEnd = false): Generator<CsvRecord> {
    let rest: string | null = text;
    if (this.long) {
      rest = this.long.skip(text);
      if (rest === null) return;
      yield this.endLong(this.long);
    }
    this.arrived += rest;
    if (!isEnd && this.isTooEarly()) return;
    const whole = this.pending + this.arrived;
    this.arrived = '';
    yield* this.records(whole);
    if (this.pending.length <= this.limits.maxLength) return;
    this.long = new LongCsvRecord(this.syntax);
    this.pending = this.long.skip(this.pending) ?? '';
  }

  /** Reads the text that is left at the end. The last line needs no line ending. */
  *end(): Generator<CsvRecord> {
    if (this.long) yield this.endLong(this.long);
    if (this.pending === '') return;
    const { lineEnd } = this.syntax;
    yield* this.read(lineEnd, true);
    if (this.pending === '') return;
    const fault = new RecordFault('invalid_format', 'has an unterminated quoted cell');
    // Without the line ending that was added here, and one that ends the file.
    const text = this.pending.slice(0, -1);
    const lines = text.split(lineEnd).length - (text.endsWith(lineEnd) ? 1 : 0);
    yield this.record(fault, lines, text);
  }

  private *records(text: string): Generator<CsvRecord> {
    const { lineEnd } = this.syntax;
    let at = 0;
    let quote = text.indexOf('"');
    for (;;) {
      const feed = text.indexOf(lineEnd, at);
      if (feed === -1) break;
      if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
      if (quote === -1 || quote > feed) {
        const isCrLf = feed > at && text.charCodeAt(feed - 1) === CARRIAGE_RETURN;
        const cells = text.slice(at, isCrLf ? feed - 1 : feed);
        if (cells === '') this.line += 1;
        else yield this.record(this.unquoted(cells), 1, cells);
        at = feed + 1;
      } else {
        const found = quotedRecord(text, at, this.syntax);
        if (!found) break;
        yield this.record(found.content, found.lines, text.slice(at, found.end));
        at = found.end;
      }
    }
    this.pending = text.slice(at);
  }

  /** Splits a line without quotes. */
  private unquoted(text: string): readonly string[] | RecordFault {
    const { delimiter, lineEnd, maxCells } = this.syntax;
    const stray = strayLineEnd(text, lineEnd);
    if (stray) return stray;
    const cells = text.split(delimiter, maxCells + 1);
    return cells.length > maxCells ? tooManyCells(maxCells) : cells;
  }

  /**
   * Returns whether it is too early to read the pending record again. Each attempt reads the record
   * from its start. So a long record is read again only when its length has doubled, or when it is
   * too long. Otherwise text that arrives in small pieces would take quadratic time.
   */
  private isTooEarly(): boolean {
    const { length } = this.pending;
    if (length < SHORT_LENGTH || this.arrived.length >= length) return false;
    return length + this.arrived.length <= this.limits.maxLength;
  }

  private endLong({ lines }: LongCsvRecord): CsvRecord {
    this.long = null;
    const { maxLength } = this.limits;
    const { text: _none, ...record } = this.record(tooLong(maxLength), lines, '');
    return { ...record, length: maxLength };
  }

  private record(content: readonly string[] | RecordFault, lines: number, text: string): CsvRecord {
    const { line } = this;
    this.line += lines;
    const record = { line, nextLine: this.line, length: text.length };
    if (!(content instanceof RecordFault)) return { ...record, content };
    return { ...record, content: content.over(line, this.line - 1), text };
  }
}
