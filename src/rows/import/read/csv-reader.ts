import { DELIMITERS } from '../../values/delimiter';
import type { CsvDialect } from './csv-dialect';
import { LongCsvRecord } from './long-csv-record';
import { quotedRecord, strayLineFeed, type CsvSyntax } from './quoted-record';
import { RecordFault, tooLong, type SourceRecord } from './record';

export type CsvRecord = SourceRecord<readonly string[]>;

const CARRIAGE_RETURN = 0x0d;
/** So much is read again with every piece of text. */
const SHORT_LENGTH = 4_096;

/**
 * Reads records of CSV from text that comes in pieces, by RFC 4180 with any delimiter; lines end
 * with LF or CRLF, or all with CR. Lines with nothing on them are passed over. Lines without a
 * quote, which most are, are cut by the engine's own functions.
 */
export class CsvReader {
  /** The beginning of a record whose end has not come. */
  private pending = '';
  /** What has come after it and was not looked at. */
  private arrived = '';
  /** A record under way that is too long to be kept. */
  private long: LongCsvRecord | null = null;
  private readonly syntax: CsvSyntax;

  /** @param line The line that the text begins on. */
  constructor(
    private readonly mostLength: number,
    { delimiter, lineEnd }: CsvDialect,
    private line = 1,
  ) {
    this.syntax = { delimiter: DELIMITERS[delimiter], lineEnd };
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
    if (this.pending.length <= this.mostLength) return;
    this.long = new LongCsvRecord(this.syntax);
    this.pending = this.long.skip(this.pending) ?? '';
  }

  /** What is left at the end, where the last line need not be ended. */
  *end(): Generator<CsvRecord> {
    if (this.long) yield this.endLong(this.long);
    if (this.pending === '') return;
    yield* this.read(this.syntax.lineEnd, true);
    if (this.pending === '') return;
    yield this.record(new RecordFault('invalid_format', 'has a quoted cell without an end'), 1);
  }

  private *records(text: string): Generator<CsvRecord> {
    const { delimiter, lineEnd } = this.syntax;
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
        else if (lineEnd === '\r' && cells.includes('\n')) yield this.record(strayLineFeed(), 1);
        else yield this.record(cells.split(delimiter), 1);
        at = feed + 1;
      } else {
        const found = quotedRecord(text, at, this.syntax);
        if (!found) break;
        yield this.record(found.content, found.lines);
        at = found.end;
      }
    }
    this.pending = text.slice(at);
  }

  /**
   * A record is read from its begin each time. So a long one is read again only when it has become
   * twice as long, or too long: text that comes in small pieces would take forever otherwise.
   */
  private isTooEarly(): boolean {
    const { length } = this.pending;
    if (length < SHORT_LENGTH || this.arrived.length >= length) return false;
    return length + this.arrived.length <= this.mostLength;
  }

  private endLong({ lines }: LongCsvRecord): CsvRecord {
    this.long = null;
    return this.record(tooLong(this.mostLength), lines);
  }

  private record(content: readonly string[] | RecordFault, lines: number): CsvRecord {
    const { line } = this;
    this.line += lines;
    return { line, nextLine: this.line, content };
  }
}
