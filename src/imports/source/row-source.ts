import { type DetailCode, invalidRequest } from '../../common/error/app-error';
import type { DefaultedColumn, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { CellRowCheck } from '../check/cell-row-check';
import { ObjectRowCheck } from '../check/object-row-check';
import { type CheckedRows, checkedRows, type RowRules } from '../check/row-rules';
import type { Encoding } from '../read/body-text';
import { CsvInput, type FileFormat } from '../read/csv-input';
import type { CsvRecord } from '../read/csv-reader';
import { LineReader } from '../read/line-reader';
import { RecordFault, type RecordLimits, type SourceRecord } from '../../common/encoding/utf8-text';
import type { RunningImport } from '../progress/running-import';
import type { RowSource } from './header';

/** Finds the columns of a header. */
export interface HeaderColumns {
  /** Number of records after the header that are needed to find the columns. */
  readonly sampleRows: number;
  /** The account that sends the file. */
  readonly accountId: string;
  /**
   * @param sample At least `sampleRows` records; fewer if the file is shorter or MAX_SAMPLE_BYTES
   *   is reached first.
   * @returns the columns in the order of the header; `null` for a blank cell.
   * @throws AppError `invalid_request`
   */
  find(
    header: readonly string[],
    sample: readonly CsvRecord[],
  ): Promise<readonly (SchemaColumn | null)[]>;
  /** Returns the columns whose default values rows get, for the columns of a header. */
  useDefaults(named: readonly (SchemaColumn | null)[]): readonly DefaultedColumn[];
}

/** Size of the body at which the sample is complete, even with fewer records than requested. */
const MAX_SAMPLE_BYTES = 4 * 1024 * 1024;

/** Which records of a file are read. */
interface ReadRecords {
  readonly limits: RecordLimits;
  /** Records that start on an earlier line are skipped, except for the header. */
  readonly startLine: number;
}

/** Skips the records that start before a line. */
function* recordsFrom<Content>(
  startLine: number,
  records: Iterable<SourceRecord<Content>>,
): Generator<SourceRecord<Content>> {
  for (const record of records) if (record.line >= startLine) yield record;
}

/** Reads rows of CSV. The first record names the columns. */
export class CsvSource implements RowSource {
  private readonly input: CsvInput;
  private encoding: Encoding = 'utf-8';
  private checks: CellRowCheck | null = null;
  private header: CsvRecord | null = null;
  private readonly sample: CsvRecord[] = [];
  private sampleBytes = 0;
  private readonly startLine: number;

  constructor(
    private readonly columns: HeaderColumns,
    private readonly rules: RowRules,
    { limits, startLine }: ReadRecords,
    asked: FileFormat,
    onFound: (format: FileFormat) => void,
  ) {
    this.startLine = startLine;
    this.input = new CsvInput(limits, asked, (format) => {
      this.encoding = format.encoding ?? this.encoding;
      onFound(format);
    });
  }

  async *rows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CheckedRows> {
    for await (const chunk of chunks) yield* this.take(this.input.read(chunk), chunk.length);
    yield* this.take(this.input.end(), Infinity);
    if (!this.header) throw rejectedHeader('required', 'must be the first line');
  }

  private async *take(records: Iterable<CsvRecord>, bytes: number): AsyncGenerator<CheckedRows> {
    if (this.checks) {
      const read = this.startLine === 1 ? records : recordsFrom(this.startLine, records);
      yield* checkedRows(this.columns.accountId, this.checks, read);
      return;
    }
    for (const record of records) {
      if (!this.header) this.header = record;
      else if (record.line >= this.startLine) this.sample.push(record);
    }
    // Skipped rows tell nothing about the rows that follow.
    if (this.sample.length > 0 || bytes === Infinity) this.sampleBytes += bytes;
    const isEnough =
      this.sample.length >= this.columns.sampleRows || this.sampleBytes >= MAX_SAMPLE_BYTES;
    if (!this.header || !isEnough) return;
    this.checks = await this.open(this.header);
    yield* checkedRows(this.columns.accountId, this.checks, this.sample.splice(0));
  }

  private async open({ line, content }: CsvRecord): Promise<CellRowCheck> {
    if (content instanceof RecordFault) {
      throw rejectedHeader(content.code, `line ${String(line)} ${content.message}`);
    }
    const columns = await this.columns.find(content, this.sample);
    const defaulted = this.columns.useDefaults(columns);
    return new CellRowCheck(columns, this.rules, this.encoding, defaulted);
  }
}

/** Returns a 400 error for the header. */
export function rejectedHeader(code: DetailCode, message: string): Error {
  return invalidRequest([{ field: 'header', code, message }]);
}

/** Reads rows of NDJSON. Each line is an object of values by column key. */
export class NdjsonSource implements RowSource {
  private readonly reader: LineReader;
  private readonly checks: ObjectRowCheck;
  private readonly accountId: string;

  constructor(
    running: RunningImport,
    rules: RowRules,
    limits: RecordLimits,
    private readonly startLine: number,
  ) {
    this.accountId = running.writer.accountId;
    this.reader = new LineReader(limits.maxLength);
    const use = running.use.bind(running);
    running.usedKeys = new Set();
    const defaulted = running.useDefaults();
    this.checks = new ObjectRowCheck(running.schema, rules, use, limits.maxCells, defaulted);
  }

  async *rows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CheckedRows> {
    const { accountId, checks, reader, startLine } = this;
    for await (const chunk of chunks) {
      const records = reader.read(chunk);
      const read = startLine === 1 ? records : recordsFrom(startLine, records);
      yield* checkedRows(accountId, checks, read);
    }
    yield* checkedRows(accountId, checks, recordsFrom(startLine, reader.end()));
  }
}
